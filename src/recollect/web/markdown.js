// Markdown as nodes. Text only ever becomes text: no markup of the source is read as HTML, and a link leads to
// http, https or mailto or is none.

import { h } from "./element.js";

/** A fragment that shows some markdown. */
export function markdown(source) {
  const fragment = document.createDocumentFragment();
  fragment.append(...blocks(String(source ?? "").replace(/\r\n?/g, "\n").split("\n"), 0));
  return fragment;
}

// Each of these, and of the marks below, looks at a line once, however long it is and whatever is in it.
const FENCE = /^ {0,3}(`{3,}|~{3,}(?!~))([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})\s+([\s\S]*)$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,8})([-*+]|\d{1,9}[.)])\s+([\s\S]*)$/;
const COLUMN = /^:?-{2,}:?$/;
const DEEPEST = 12;
const WIDEST = 60;
/** A longer paragraph is shown as it stands: nobody wrote it by hand. */
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
      nodes.push(h("pre", { tabindex: "0" }, h("code", { "data-language": found[2].trim().match(/^[\w+#.-]*/)[0] || null }, lines.slice(n + 1, end).join("\n"))));
      n = end + 1;
    } else if ((found = line.match(HEADING))) {
      // A reply stands below the page's own headings.
      nodes.push(h(`h${Math.min(6, found[1].length + 2)}`, {}, ...inline(withoutEnd(found[2]))));
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

/** A heading without the signs that may end it. */
function withoutEnd(text) {
  const title = text.trim();
  let end = title.length;
  while (title[end - 1] === "#") end -= 1;
  return title.slice(0, end).trimEnd();
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
  return line.includes("|") && below.includes("|") && cells(below).every((cell) => COLUMN.test(cell)) && cells(line).length <= WIDEST;
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

const PLAIN = /[^\\`*_~![<h\n]+/y;
const CODE = /(`+)(?!`)([\s\S]*?[^`])\1(?!`)/y;
/** Behind the text of a link. It ends where that of another link does, or many unfinished ones would be read to the end. */
const TARGET = /\(\s{0,9}<?((?:(?!\]\()[^\s)>])*)>?(?:\s{1,9}["'(](?:(?!\]\()[^)])*["')])?\s{0,9}\)/y;
/** What may begin with a sign: each gives [characters, what they are shown as], or nothing. */
const MARKS = {
  "`": [code],
  "\\": [simple(/\\([\\`*_{}[\]()#+\-.!|<>~])/y, (found) => found[1])],
  "*": [
    pair(/\*\*(?=\S)/y, /\*\*([\s\S]*?\S)\*\*/y, "strong"),
    pair(/\*(?=[^\s*])/y, /\*([\s\S]*?[^\s*])\*(?!\*)/y, "em"),
  ],
  _: [
    pair(/__(?=\S)/y, /__([\s\S]*?\S)__(?!\w)/y, "strong"),
    pair(/_(?=[^\s_])/y, /_([\s\S]*?[^\s_])_(?!\w)/y, "em"),
  ],
  "~": [pair(/~~(?=\S)/y, /~~([\s\S]*?\S)~~/y, "del")],
  "!": [bracketed],
  "[": [bracketed],
  "<": [simple(/<((?:https?:\/\/|mailto:)[^\s<>]+)>/iy, (found) => link(found[1], [found[1]], found[0]))],
  h: [simple(/https?:\/\/[^\s<>"'`]*[^\s<>"'`.,;:!?)\]}*_]/iy, (found) => link(found[0], [found[0]], found[0]))],
};

function inline(text) {
  if (text.length > LONGEST) return [text];
  const nodes = [];
  const seen = { over: new Set(), close: -1, target: null };
  let plain = "";
  for (let at = 0; at < text.length;) {
    const words = matched(PLAIN, text, at)?.[0];
    const [length, node] = words ? [words.length, words] : (marked(text, at, seen) ?? [1, text[at]]);
    if (typeof node === "string") plain += node;
    else {
      if (plain) nodes.push(plain);
      nodes.push(node);
      plain = "";
    }
    at += length;
  }
  if (plain) nodes.push(plain);
  return nodes;
}

/** What begins here. Underscores and addresses inside of words are neither emphasis nor links. */
function marked(text, at, seen) {
  if (/[_h]/.test(text[at]) && at > 0 && /\w/.test(text[at - 1])) return null;
  for (const mark of MARKS[text[at]] ?? []) {
    const found = mark(text, at, seen);
    if (found) return found;
  }
  return null;
}

function matched(pattern, text, at) {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function simple(pattern, make) {
  return (text, at) => {
    const found = matched(pattern, text, at);
    return found && [found[0].length, make(found)];
  };
}

/** What has an end. Where one is not to be found, none is further on, and nobody looks again. */
function pair(opens, whole, tag) {
  return (text, at, { over }) => {
    if (over.has(whole) || !matched(opens, text, at)) return null;
    const found = matched(whole, text, at);
    if (!found) over.add(whole);
    return found && [found[0].length, h(tag, {}, ...inline(found[1]))];
  };
}

/** Code ends with as many signs as it begins with. */
function code(text, at, { over }) {
  const signs = matched(/`+/y, text, at)[0];
  const found = over.has(signs) ? null : matched(CODE, text, at);
  if (found) return [found[0].length, h("code", {}, found[2].trim())];
  over.add(signs);
  return [signs.length, signs];
}

function bracketed(text, at, seen) {
  const begun = text[at] === "!" ? at + 2 : at + 1;
  if (text[begun - 1] !== "[") return null;
  if (seen.close < begun) {
    const close = text.indexOf("]", begun);
    seen.close = close < 0 ? Infinity : close;
    seen.target = close < 0 ? null : matched(TARGET, text, close + 1);
  }
  if (!seen.target) return null;
  const length = seen.close + 1 + seen.target[0].length - at;
  return [length, link(seen.target[1], inline(text.slice(begun, seen.close)), text.slice(at, at + length))];
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
