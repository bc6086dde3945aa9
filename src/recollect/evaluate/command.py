"""`recollect evaluate`: figures of recall and of learning on the user's own copies of public data sets."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table

from recollect.errors import Invalid, RecollectError
from recollect.evaluate.extraction import MOST, ExtractionReport, evaluate_extraction
from recollect.evaluate.files import STDOUT, Source, check_apart, check_different, check_writable, write
from recollect.evaluate.loaders import KNOWN, beside
from recollect.evaluate.merging import MergingReport, evaluate_merging
from recollect.evaluate.metrics import Summary
from recollect.evaluate.plot import svg
from recollect.evaluate.run import Over, Report, check_threshold, evaluate


def evaluate_command(
    files: Annotated[list[Path] | None, typer.Argument(help=f"Files in the format of {KNOWN}.")] = None,
    extraction: Annotated[
        list[Path] | None,
        typer.Option(
            help=f"Measure learning on the first {MOST} dialogues of this file, of Synthetic-Persona-Chat or "
            "LoCoMo; may be repeated."
        ),
    ] = None,
    merging: Annotated[
        Path | None,
        typer.Option(help="Pairs of sentences, as sentence,sentence,similarity, to find duplicates in."),
    ] = None,
    memories: Annotated[
        Path | None, typer.Option(help="The file of memories that belongs to MADial-Bench dialogues.")
    ] = None,
    threshold: Annotated[
        float | None, typer.Option(help="Return only hits of at least this score; 0.5 means related.")
    ] = None,
    over: Annotated[
        Over, typer.Option(help="Search what was said, or the facts of LoCoMo or MADial-Bench as memories.")
    ] = "messages",
    kinds: Annotated[bool, typer.Option(help="Also show each kind of question.")] = False,
    json: Annotated[
        Path | None, typer.Option(help="Write all figures to this file; - is the standard output.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Write a plot to this file, as SVG; - is the standard output.")
    ] = None,
) -> None:
    """Measure recall: is the evidence found, how high, what of it fits into a prompt, and how long it takes.

    Of several files, each is also asked what only the others can answer: then nothing should be found.

    With --extraction, measure what is learned from dialogues: how much of it is right, and how much is found. With
    --merging, how safely duplicates are told from what is merely alike.
    """
    if not files and not extraction and merging is None:
        raise typer.BadParameter("name a file, or one for --extraction or --merging")
    try:
        check_threshold(threshold)
        if not files:
            _check_unused(memories=memories, threshold=threshold, over=over == "memories", kinds=kinds, plot=plot)
        outputs = [Source(name, place) for name, place in (("json", json), ("plot", plot)) if place is not None]
        check_different([Source("file", path) for path in files or ()])
        check_apart(outputs, _inputs(files or (), memories, extraction or (), merging))
        for output in outputs:
            check_writable(output.field, output.path)
        merged = [evaluate_merging(merging)] if merging is not None else []
        with _bars() as bars:
            tasks: dict[str, TaskID] = {}

            def progress(what: str, done: int, of: int) -> None:
                if what not in tasks:
                    tasks[what] = bars.add_task(what, total=of)
                bars.update(tasks[what], completed=done)

            learned = [evaluate_extraction(path, progress) for path in extraction or ()]
            reports: list[Report] = []
            if files:
                measuring = evaluate(files, memories=memories, threshold=threshold, over=over, progress=progress)
                reports = asyncio.run(_until_terminated(measuring))
        if json is not None:
            figures = msgspec.json.encode([*reports, *learned, *merged])
            write("json", json, msgspec.json.format(figures, indent=2))
        if plot is not None:
            write("plot", plot, svg(reports).encode())
    except asyncio.CancelledError:
        raise typer.Exit(128 + signal.SIGTERM) from None
    except RecollectError as error:
        console = Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)
        console.print(f"error: {error}", style="red", markup=False)
        raise typer.Exit(1) from None
    # Who reads figures from the standard output can use no tables there.
    beside_figures = STDOUT in (json, plot)
    # In a pipe nobody knows how wide the page is; better too wide than cut.
    width = None if Console(stderr=beside_figures).is_terminal else 200
    console = Console(stderr=beside_figures, width=width, emoji=False)
    if reports:
        console.print(table(reports, kinds=kinds))
    _remark(console, [(report.dataset, line) for report in reports for line in _remarks(report)])
    if learned:
        console.print(learning_table(learned))
    _remark(
        console,
        [
            (one.dataset, f"the first {one.dialogues:,} of {one.in_file:,} dialogues were measured")
            for one in learned
            if one.dialogues < one.in_file
        ],
    )
    if merged:
        console.print(merging_table(merged))


async def _until_terminated(measuring: Awaitable[list[Report]]) -> list[Report]:
    """SIGTERM ends it as Ctrl-C does, and leaves no database behind either."""
    task = asyncio.current_task()
    assert task is not None
    # Who sends it to a process and to its group sends it twice: the second must not disturb the end.
    asyncio.get_running_loop().add_signal_handler(
        signal.SIGTERM, lambda: None if task.cancelling() else task.cancel()
    )
    return await measuring


def _check_unused(**of_recall: object) -> None:
    """Refuse what would be ignored where no recall is measured."""
    for name, given in of_recall.items():
        if given is not None and given is not False:
            raise Invalid(name, "is for recall only: name a file to measure that on")


def _remarks(report: Report) -> Iterator[str]:
    if report.unknown_evidence:
        yield f"{report.unknown_evidence} of the ids of evidence belong to no message, and count as not found"
    if report.strange:
        asked = f"of {report.strange} questions that only the other files can answer"
        yield f"{asked}, {report.strange_found} find something"


def _remark(console: Console, lines: Iterable[tuple[str, str]]) -> None:
    for dataset, line in lines:
        console.print(f"{dataset}: {line}", markup=False, highlight=False, soft_wrap=True)


def _inputs(
    files: Sequence[Path], memories: Path | None, extraction: Sequence[Path], merging: Path | None
) -> list[Source]:
    found = [("file", path) for path in files]
    found += [("memories", memories or beside(path)) for path in files]
    found += [("extraction", path) for path in extraction]
    found += [("merging", merging)]
    return [Source(field, path) for field, path in found if path is not None]


def table(reports: Sequence[Report], *, kinds: bool) -> Table:
    """One line for each file, and for each kind of question if wanted."""
    shown = Table(
        title=f"Recall over {reports[0].over}",
        caption="recall within a budget of tokens, counted as for a prompt",
        box=None,
        padding=(0, 2, 0, 0),
    )
    shown.add_column("data set")
    for name in (
        "questions",
        "recall@5",
        "recall@10",
        "MRR@10",
        "precision",
        "answer",
        "in 200",
        "in 500",
        "in 1,500",
    ):
        shown.add_column(name, justify="right")
    shown.add_column("newest first", justify="right")
    shown.add_column("ms (median / 95 %)", justify="right")
    for report in reports:
        shown.add_row(escape(report.dataset), *_cells(report.overall))
        for kind, one in report.kinds.items() if kinds else ():
            shown.add_row(f"  {escape(kind)}", *_cells(one), style="dim")
    return shown


def merging_table(reports: Sequence[MergingReport]) -> Table:
    """One line for each file of pairs."""
    shown = Table(title="Merging of duplicates", box=None, padding=(0, 2, 0, 0))
    shown.add_column("data set")
    for name in ("duplicates", "different", "merged", "wrongly", "precision", "recall"):
        shown.add_column(name, justify="right")
    for one in reports:
        counts = (one.duplicates, one.different, one.merged, one.merged_wrongly)
        shown.add_row(escape(one.dataset), *map(str, counts), f"{one.precision:.3f}", f"{one.recall:.3f}")
    return shown


def learning_table(reports: Sequence[ExtractionReport]) -> Table:
    """One line for each file of dialogues."""
    shown = Table(
        title="Learning from dialogues",
        caption="precision and recall of memories as they are stored; with every speaker named; "
        "and with the speaker in the first person, where what is known of them is",
        box=None,
        padding=(0, 2, 0, 0),
    )
    shown.add_column("data set")
    pairs = ("precision", "recall", "named", "", "as told", "")
    for name in ("dialogues", "memories", "per dialogue", *pairs, "support", "refused"):
        shown.add_column(name, justify="right")
    for one in reports:
        compared = (
            one.precision,
            one.recall,
            *(part for each in (one.named, one.told) for part in (each.precision, each.recall)),
        )
        figures = [f"{figure:.3f}" for figure in (*compared, one.support)]
        refused = str(sum(one.refused.values()))
        shown.add_row(
            escape(one.dataset),
            str(one.dialogues),
            str(one.memories),
            f"{one.per_dialogue:.1f}",
            *figures,
            refused,
        )
    return shown


def _cells(one: Summary) -> list[str]:
    ranked = (one.recall_5, one.recall_10, one.mrr_10, one.precision, one.answer_contained)
    figures = ["" if figure is None else f"{figure:.3f}" for figure in (*ranked, *one.recall_within.values())]
    newest = "" if one.newest_first is None else f"{one.newest_first:.0%}"
    times = f"{one.milliseconds_median:.1f} / {one.milliseconds_95:.1f}"
    return [str(one.questions), *figures, newest, times]


def _bars() -> Progress:
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True, emoji=False)
    return Progress(*columns, console=console, disable=not console.is_terminal)
