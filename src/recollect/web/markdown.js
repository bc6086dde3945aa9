// Markdown as nodes. Text only ever becomes text: no markup of the source is read as HTML, and a link leads to
// http, https or mailto or is none.

import { h } from "./element.js";

/** A fragment that shows some markdown. */
export function markdown(source) {
  const fragment = document.createDocumentFragment();
  fragment.append(...blocks(String(source ?? "").replace(/\r\n?/g, "\n").split("\n"), 0));
  return fragment;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)[^`]*$/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,8})([-*+]|\d{1,9}[.)])\s+(.*)$/;
const DIVIDER = /^\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*$/;
const DEEPEST = 12;
const WIDEST = 60;
/** A longer paragraph is shown as it stands: nobody wrote it by hand, and looking for marks in it takes long. */
const LONGEST = 20_000;

function blocks(lines, depth) {
  const nodes = [];
  let n = 0;
  while (n < lines.length) {
    const line = lines[n];
    let found;
    if (line.trim() === "") {
      n += 1;
    } else if ((found = line.match(FENCE))) {
      const end = closing(lines, n + 1, found[1]);
      nodes.push(h("pre", { tabindex: "0" }, h("code", { "data-language": found[2] || null }, lines.slice(n + 1, end).join("\n"))));
      n = end + 1;
    } else if ((found = line.match(HEADING))) {
      // A reply stands below the page's own headings.
      nodes.push(h(`h${Math.min(6, found[1].length + 2)}`, {}, ...inline(found[2])));
      n += 1;
    } else if (RULE.test(line)) {
      nodes.push(h("hr"));
      n += 1;
    } else if (QUOTE.test(line) && depth < DEEPEST) {
      const inner = [];
      while (n < lines.length && QUOTE.test(lines[n])) inner.push(lines[n++].replace(QUOTE, ""));
      nodes.push(h("blockquote", {}, ...blocks(inner, depth + 1)));
    } else if (ITEM.test(line) && depth < DEEPEST) {
      const [list, next] = items(lines, n, depth);
      nodes.push(list);
      n = next;
    } else if (isTable(line, lines[n + 1])) {
      let end = n + 2;
      while (lines[end]?.includes("|")) end += 1;
      nodes.push(table(lines[n], lines.slice(n + 2, end)));
      n = end;
    } else {
      const begun = n;
      n += 1;
      while (n < lines.length && lines[n].trim() !== "" && !starts(lines[n])) n += 1;
      nodes.push(h("p", {}, ...withBreaks(lines.slice(begun, n))));
    }
  }
  return nodes;
}

function starts(line) {
  return FENCE.test(line) || HEADING.test(line) || RULE.test(line) || QUOTE.test(line) || ITEM.test(line);
}

function closing(lines, from, fence) {
  for (let n = from; n < lines.length; n += 1) {
    const text = lines[n].trim();
    if (text.startsWith(fence) && /^(`+|~+)$/.test(text)) return n;
  }
  return lines.length;
}

function items(lines, from, depth) {
  const first = lines[from].match(ITEM);
  const ordered = /\d/.test(first[2]);
  const indent = first[1].length;
  const found = [];
  let n = from;
  while (n < lines.length) {
    const here = lines[n].match(ITEM);
    if (here && here[1].length <= indent + 1) {
      if (here[1].length < indent || /\d/.test(here[2]) !== ordered) break;
      found.push([here[3]]);
    } else if (lines[n].trim() === "") {
      const next = lines[n + 1] ?? "";
      if (!/^\s{2,}\S/.test(next) && !(next.match(ITEM)?.[1].length === indent)) break;
      found.at(-1).push("");
    } else if (/^\s{2,}/.test(lines[n])) {
      found.at(-1).push(lines[n].replace(new RegExp(`^ {1,${indent + 4}}`), ""));
    } else if (starts(lines[n])) {
      break;
    } else {
      found.at(-1).push(lines[n]);
    }
    n += 1;
  }
  const rows = found.map((part) => {
    const inner = blocks(part, depth + 1);
    // An item of one line needs no paragraph around it.
    const tight = inner[0]?.localName === "p" && !part.includes("") ? [...inner[0].childNodes, ...inner.slice(1)] : inner;
    return h("li", {}, ...tight);
  });
  const start = ordered ? parseInt(first[2], 10) : 1;
  return [h(ordered ? "ol" : "ul", start === 1 ? {} : { start: String(start) }, ...rows), n];
}

function isTable(line, below = "") {
  return line.includes("|") && below.includes("|") && DIVIDER.test(below) && cells(line).length <= WIDEST;
}

function cells(line) {
  return line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function table(head, rows) {
  const names = cells(head);
  const row = (line, tag) => {
    const found = cells(line);
    return h("tr", {}, ...names.map((_, n) => h(tag, {}, ...inline(found[n] ?? ""))));
  };
  return h("div", { class: "scroll", tabindex: "0" }, h("table", {}, h("thead", {}, row(head, "th")), h("tbody", {}, ...rows.map((line) => row(line, "td")))));
}

function withBreaks(lines) {
  return lines.flatMap((line, n) => (n === 0 ? inline(line.trim()) : [h("br"), ...inline(line.trim())]));
}

const INLINE = [
  [/^(`+)(?!`)([\s\S]*?[^`])\1(?!`)/, (found) => h("code", {}, found[2].trim())],
  [/^\\([\\`*_{}[\]()#+\-.!|<>~])/, (found) => found[1]],
  [/^\*\*(?=\S)([\s\S]*?\S)\*\*/, (found) => h("strong", {}, ...inline(found[1]))],
  [/^__(?=\S)([\s\S]*?\S)__(?!\w)/, (found) => h("strong", {}, ...inline(found[1]))],
  [/^~~(?=\S)([\s\S]*?\S)~~/, (found) => h("del", {}, ...inline(found[1]))],
  [/^\*(?=[^\s*])([\s\S]*?[^\s*])\*(?!\*)/, (found) => h("em", {}, ...inline(found[1]))],
  [/^_(?=[^\s_])([\s\S]*?[^\s_])_(?!\w)/, (found) => h("em", {}, ...inline(found[1]))],
  [/^!?\[([^\]]*)\]\(\s*<?([^\s)>]*)>?(?:\s+["'(][^)]*["')])?\s*\)/, (found) => link(found[2], inline(found[1]), found[0])],
  [/^<((?:https?:\/\/|mailto:)[^\s<>]+)>/i, (found) => link(found[1], [found[1]], found[0])],
  [/^https?:\/\/[^\s<>"'`]*[^\s<>"'`.,;:!?)\]}*_]/i, (found) => link(found[0], [found[0]], found[0])],
];
const PLAIN = /^[^\\`*_~![<h\n]+/;

function inline(text) {
  if (text.length > LONGEST) return [text];
  const nodes = [];
  let plain = "";
  let before = "";
  while (text) {
    let found = text.match(PLAIN);
    if (found) {
      plain += found[0];
    } else {
      const rule = INLINE.find(([pattern]) => (found = text.match(pattern)) && fits(found[0], before));
      if (rule) {
        const node = rule[1](found);
        if (typeof node === "string") plain += node;
        else {
          if (plain) nodes.push(plain);
          nodes.push(node);
          plain = "";
        }
      } else {
        found = [text[0]];
        plain += text[0];
      }
    }
    before = found[0].at(-1);
    text = text.slice(found[0].length);
  }
  if (plain) nodes.push(plain);
  return nodes;
}

/** Underscores and addresses inside of words are neither emphasis nor links. */
function fits(found, before) {
  return !(/^[_h]/i.test(found) && /\w/.test(before));
}

function link(address, content, source) {
  let target;
  try {
    target = new URL(address);
  } catch {
    return source;
  }
  if (!["http:", "https:", "mailto:"].includes(target.protocol)) return source;
  return h("a", { href: target.href, target: "_blank", rel: "noopener noreferrer nofollow" }, ...(content.length ? content : [address]));
}
