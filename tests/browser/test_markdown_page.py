"""Markdown becomes nodes of its own, and nothing else."""

from __future__ import annotations

import pytest

from browsing import Browse

#: Markdown, and what it is shown as.
CASES = {
    "plain": "<p>plain</p>",
    "one\ntwo\n\nthree": "<p>one<br>two</p><p>three</p>",
    "**bold** *it* _it_ ~~no~~ `x < y`": "<p><strong>bold</strong> <em>it</em> <em>it</em> <del>no</del> <code>x &lt; y</code></p>",
    "snake_case_name and 2 * 3 * 4": "<p>snake_case_name and 2 * 3 * 4</p>",
    "# Title #\ntext": "<h3>Title</h3><p>text</p>",
    "- a\n- b\n  - c\n\ntext": "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul><p>text</p>",
    "3. c\n4. d": '<ol start="3"><li>c</li><li>d</li></ol>',
    "> quoted\n> more": "<blockquote><p>quoted<br>more</p></blockquote>",
    "```py\n<b>*x*</b>\n```": '<pre tabindex="0"><code data-language="py">&lt;b&gt;*x*&lt;/b&gt;</code></pre>',
    "```\nnever closed": '<pre tabindex="0"><code>never closed</code></pre>',
    "a\n\n---\n\nb": "<p>a</p><hr><p>b</p>",
    "[in](https://example.org/a?b=1)": '<p><a href="https://example.org/a?b=1" target="_blank" rel="noopener noreferrer nofollow">in</a></p>',
    "see https://example.org/x.": '<p>see <a href="https://example.org/x" target="_blank" rel="noopener noreferrer nofollow">https://example.org/x</a>.</p>',
    "[x](javascript:alert(1))": "<p>[x](javascript:alert(1))</p>",
    "[x](vbscript:y) [y](data:text/html,z) [z](/relative)": "<p>[x](vbscript:y) [y](data:text/html,z) [z](/relative)</p>",
    "<img src=x onerror=alert(1)>": "<p>&lt;img src=x onerror=alert(1)&gt;</p>",
    "\\*not\\*": "<p>*not*</p>",
    "# C ## \t\n#  #": "<h3>C</h3><h3></h3>",
    "``` c++ x\na\n```": '<pre tabindex="0"><code data-language="c++">a</code></pre>',
    "`` a`b `` and ```c`": "<p><code>a`b</code> and ```c`</p>",
    "[a [b](https://c.example 't')": '<p><a href="https://c.example/" target="_blank" rel="noopener noreferrer nofollow">a [b</a></p>',
    "**a *b* c** __d__ e__f__": "<p><strong>a <em>b</em> c</strong> <strong>d</strong> e__f__</p>",
    "| a | b |\n|---|---|\n| 1 | **2** |": '<div class="scroll" tabindex="0"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td><strong>2</strong></td></tr></tbody></table></div>',
}
SHOWN = """async (sources) => {
  const { markdown } = await import('/web/markdown.js');
  return sources.map((source) => {
    const box = document.createElement('div');
    box.append(markdown(source));
    return box.innerHTML;
  });
}"""
#: Lines of a length in which nothing that begins ends.
HARD = {
    "[": lambda n: "[" * n,
    "[](a": lambda n: "[](a" * (n // 4),
    "[](": lambda n: "[" * (n // 2) + "](" + "a" * (n // 2),
    "**": lambda n: "**a " * (n // 4),
    "_": lambda n: "_a " * (n // 3),
    "~~": lambda n: "~~a " * (n // 4),
    "#": lambda n: "# a" + " " * (n // 10) + "x",
    "```": lambda n: "```" + "a" * 5 * n + "`",
    "~~~": lambda n: "~" * 5 * n + "`",
    "|": lambda n: "a|b\n" + " " * n + "x|",
    "-": lambda n: "- " + " " * n + "a\u2028",
}
SLOW = [
    "*a " * 30_000,
    "[" * 20_000,
    "`" * 50_000,
    "> " * 5_000 + "x",
    "- " * 3_000 + "x",
    "_a" * 20_000,
    "|" * 20_000 + "\n|--|--|",
]
TIMED = """async (sources) => {
  const { markdown } = await import('/web/markdown.js');
  const began = performance.now();
  const plain = sources.map((source) => markdown(source).textContent.length);
  return [plain, performance.now() - began];
}"""


async def test_markdown_is_shown_as_meant(browse: Browse) -> None:
    page = await browse()
    shown = await page.evaluate(SHOWN, list(CASES))
    assert dict(zip(CASES, shown, strict=True)) == CASES


async def test_nobody_can_stop_the_page_by_what_they_write(browse: Browse) -> None:
    page = await browse()
    plain, milliseconds = await page.evaluate(TIMED, SLOW)
    assert sum(plain) > 10_000
    # What is hard takes a moment; what hangs would take minutes.
    assert milliseconds < 60_000


@pytest.mark.parametrize("what", HARD)
async def test_a_long_line_takes_as_long_as_its_parts(browse: Browse, what: str) -> None:
    page = await browse()
    long, parts = [HARD[what](19_000)], [HARD[what](950)] * 20

    async def best(sources: list[str]) -> float:
        return min([(await page.evaluate(TIMED, sources * 3))[1] for _ in range(5)])

    assert await best(long) < 5 * await best(parts) + 20
