// What all elements share: nodes without markup, one look, and a life between being put in and being taken out.

import { Api, listen } from "./api.js";
import { explained, learned, words } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";

/** A node: h("button", {class: "quiet", onclick: …}, "text", child). Text stays text; null children are left out. */
export function h(tag, properties = {}, ...children) {
  return filled(document.createElement(tag), properties, children);
}

/** The same for a picture. */
export function s(tag, properties = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), properties, children);
}

function filled(node, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "selected") node[name] = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** Strokes in a square of 24. */
const ICONS = {
  chat: "M4 5h16v11H9l-5 4z",
  memories: "M12 4a5 5 0 0 0-5 5c-2 .5-3 2-3 4a4 4 0 0 0 4 4h1v3m3-16a5 5 0 0 1 5 5c2 .5 3 2 3 4a4 4 0 0 1-4 4h-1v3M12 4v16",
  notes: "M6 3h9l4 4v14H6zM9 11h7M9 15h7M14 3v5h5",
  state: "M5 4h6v5H5zM13 15h6v5h-6zM8 9v8h5",
  analytics: "M4 20h16M7 20v-7M12 20V5M17 20v-10",
  admin: "M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6zM9 12l2 2 4-4",
  plus: "M12 5v14M5 12h14",
  search: "M11 5a6 6 0 1 0 0 12 6 6 0 0 0 0-12M20 20l-4.5-4.5",
  more: "M5 11.5a.5.5 0 1 0 .01 0M12 11.5a.5.5 0 1 0 .01 0M19 11.5a.5.5 0 1 0 .01 0",
  send: "M5 12l15-8-5 16-3.5-6.5zM11.5 13.5L20 4",
  close: "M6 6l12 12M18 6L6 18",
  check: "M5 13l4 4 10-11",
  edit: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  archive: "M4 5h16v4H4zM6 9v11h12V9M10 13h4",
  trash: "M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13M10 11v6M14 11v6",
  download: "M12 4v11m-5-5l5 5 5-5M5 20h14",
  retry: "M5 12a7 7 0 1 0 2-5L4 9.5M4 4v5.5h5.5",
  back: "M15 5l-7 7 7 7",
  down: "M6 9l6 6 6-6",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4",
  moon: "M20 14.5A8 8 0 0 1 9.5 4 8 8 0 1 0 20 14.5z",
  user: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8M4.5 20a7.5 7.5 0 0 1 15 0",
  pin: "M9 4h6l-1 6 3 3H7l3-3zM12 13v7",
  clock: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16M12 8v4l3 2",
  info: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16M12 11v5M12 8h.01",
  merge: "M7 4v4c0 4 10 4 10 8v4M17 4v4c0 4-10 4-10 8v4",
  flag: "M6 21V4h11l-2 4 2 4H6",
  undo: "M8 5L4 9l4 4M4 9h10a5 5 0 0 1 0 10h-3",
  key: "M15 4a5 5 0 1 0 0 10 5 5 0 0 0 0-10M11.5 12.5L4 20M7 17l2.5 2.5",
  out: "M10 4H5v16h5M14 8l4 4-4 4M18 12H9",
  menu: "M4 7h16M4 12h16M4 17h16",
};

/** A small picture beside or instead of a word; whoever reads aloud passes over it. */
export function icon(name, size = 18) {
  return s(
    "svg",
    { class: "icon", viewBox: "0 0 24 24", width: size, height: size, "aria-hidden": "true", focusable: "false" },
    s("path", { d: ICONS[name] ?? ICONS.info }),
  );
}

/** Styles out of text; a template tag so that editors colour it. */
export function css(strings, ...values) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(String.raw(strings, ...values));
  return sheet;
}

/** The look of all elements. A page sets the --recollect-… properties to have its own. */
export const look = css`
  :host {
    --accent: var(--recollect-accent, light-dark(#276e5b, #7cc9b0));
    --accent-soft: var(--recollect-accent-soft, light-dark(#e2efea, #1f3a32));
    --on-accent: var(--recollect-on-accent, light-dark(#ffffff, #0c1f19));
    --ground: var(--recollect-ground, light-dark(#f6f7f5, #131816));
    --paper: var(--recollect-paper, light-dark(#ffffff, #1b211f));
    --raised: var(--recollect-raised, light-dark(#ffffff, #242c29));
    --soft: var(--recollect-soft, light-dark(#eef0ed, #262e2b));
    --line: var(--recollect-line, light-dark(#dfe3df, #333d39));
    --strong-line: var(--recollect-strong-line, light-dark(#8b958f, #75817b));
    --ink: var(--recollect-ink, light-dark(#1c2421, #e6ebe8));
    --quiet: var(--recollect-quiet, light-dark(#59645f, #a3afa9));
    --bad: var(--recollect-bad, light-dark(#b3261e, #ff9d92));
    --bad-soft: var(--recollect-bad-soft, light-dark(#fbe9e7, #45231f));
    --warn: var(--recollect-warn, light-dark(#7d5200, #f3c26b));
    --warn-soft: var(--recollect-warn-soft, light-dark(#fdf1d8, #3d2f12));
    --radius: var(--recollect-radius, 10px);
    --font: var(--recollect-font, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif);
    --mono: var(--recollect-mono, ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace);
    --shadow: 0 1px 2px rgb(0 0 0 / .06), 0 8px 24px rgb(0 0 0 / .12);
    display: block;
    font: 15px/1.5 var(--font);
    color: var(--ink);
    text-align: start;
  }
  :host([hidden]), [hidden] { display: none !important; }
  *, ::before, ::after { box-sizing: border-box; }
  h1, h2, h3, h4, p, ul, ol, dl, dd, figure { margin: 0; padding: 0; }
  ul.plain, ol.plain { list-style: none; }
  h1 { font-size: 1.45rem; line-height: 1.25; font-weight: 650; letter-spacing: -.015em; }
  h2 { font-size: 1.07rem; line-height: 1.3; font-weight: 650; }
  h3 { font-size: .95rem; font-weight: 650; }
  a { color: var(--accent); text-underline-offset: 2px; }
  .quiet { color: var(--quiet); }
  .small { font-size: .85rem; }
  .mono { font-family: var(--mono); font-size: .88em; }
  .bad { color: var(--bad); }
  .number { font-variant-numeric: tabular-nums; }
  .cut { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; min-width: 0; }
  .row { display: flex; align-items: center; gap: .5rem; min-width: 0; }
  .row.wrap { flex-wrap: wrap; }
  .grow { flex: 1 1 auto; min-width: 0; }
  .stack { display: grid; gap: .75rem; align-content: start; min-width: 0; }
  .icon { flex: none; fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round; }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 6px; }
  button, input, select, textarea { font: inherit; color: inherit; }
  button {
    display: inline-flex; align-items: center; justify-content: center; gap: .4rem; min-height: 2.25rem;
    padding: .3rem .8rem; border: 1px solid var(--line); border-radius: var(--radius); background: var(--raised);
    font-weight: 550; cursor: pointer; white-space: nowrap;
  }
  button:hover { border-color: var(--strong-line); }
  button:disabled { opacity: .55; cursor: default; }
  button.first { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
  button.first:hover:not(:disabled) { filter: brightness(1.06); }
  button.plain { background: none; border-color: transparent; }
  button.plain:hover:not(:disabled) { background: var(--soft); }
  button.danger { color: var(--bad); }
  button.first.danger { background: var(--bad); border-color: var(--bad); color: light-dark(#fff, #2b0906); }
  button.icon-only { padding: 0; width: 2.25rem; flex: none; }
  button[aria-pressed="true"] { background: var(--accent-soft); border-color: var(--accent); color: var(--accent); }
  input:not([type="checkbox"], [type="radio"], [type="range"]), select, textarea {
    width: 100%; min-height: 2.25rem; padding: .35rem .65rem; border: 1px solid var(--strong-line);
    border-radius: var(--radius); background: var(--paper);
  }
  textarea { line-height: 1.5; resize: vertical; }
  input::placeholder, textarea::placeholder { color: var(--quiet); opacity: 1; }
  input[type="checkbox"], input[type="radio"], input[type="range"] { accent-color: var(--accent); }
  label.field { display: grid; gap: .25rem; font-size: .88rem; font-weight: 550; }
  label.field > :is(input, select, textarea) { font-weight: 400; font-size: .95rem; }
  .hint { font-size: .82rem; color: var(--quiet); font-weight: 400; }
  .chip { font-weight: 450; }
  .card { background: var(--paper); border: 1px solid var(--line); border-radius: calc(var(--radius) + 4px); padding: 1rem; min-width: 0; }
  .chip {
    display: inline-flex; align-items: center; gap: .25rem; padding: .05rem .5rem; border-radius: 99px;
    background: var(--soft); color: var(--quiet); font-size: .8rem; white-space: nowrap;
  }
  .chip.accent { background: var(--accent-soft); color: var(--accent); }
  .chip.bad { background: var(--bad-soft); color: var(--bad); }
  .chip.warn { background: var(--warn-soft); color: var(--warn); }
  .notice { padding: .7rem .9rem; border-radius: var(--radius); background: var(--soft); overflow-wrap: anywhere; }
  .notice.bad { background: var(--bad-soft); color: var(--bad); }
  .notice.warn { background: var(--warn-soft); color: var(--warn); }
  .middle { display: grid; place-items: center; align-content: center; gap: .6rem; padding: 2.5rem 1.25rem; text-align: center; min-height: 12rem; }
  .middle > .icon { color: var(--quiet); }
  .middle p { max-width: 28rem; color: var(--quiet); }
  .bones { display: grid; gap: .75rem; padding: 1rem; }
  .bones i { display: block; height: 1rem; border-radius: 6px; background: var(--soft); animation: breathe 1.4s ease-in-out infinite; }
  .bones i:nth-child(3n) { width: 62%; } .bones i:nth-child(3n + 1) { width: 88%; }
  @keyframes breathe { 50% { opacity: .45; } }
  table { border-collapse: collapse; width: 100%; }
  th { text-align: start; font-weight: 600; font-size: .82rem; color: var(--quiet); }
  th, td { padding: .45rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
  tr:has(> .actions) > td { vertical-align: middle; }
  .scroll { overflow-x: auto; }
  .unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
  .prose { overflow-wrap: anywhere; }
  .prose > * + * { margin-top: .6rem; }
  .prose ul, .prose ol { padding-inline-start: 1.4rem; }
  .prose li + li { margin-top: .2rem; }
  .prose pre { padding: .7rem .85rem; border-radius: var(--radius); background: var(--soft); overflow-x: auto; }
  .prose code { font: .88em/1.5 var(--mono); background: var(--soft); padding: .1em .3em; border-radius: 5px; }
  .prose pre code { padding: 0; background: none; }
  .prose blockquote { margin: 0; padding-inline-start: .8rem; border-inline-start: 3px solid var(--line); color: var(--quiet); }
  .prose hr { border: 0; border-top: 1px solid var(--line); }
  .prose h3, .prose h4, .prose h5, .prose h6 { font-size: 1rem; font-weight: 650; }
  .menu { position: relative; }
  .menu > [popover], .menu > .list {
    position: absolute; inset: auto; inset-inline-end: 0; top: calc(100% + .25rem); margin: 0; z-index: 20; min-width: 11rem;
    padding: .3rem; border: 1px solid var(--line); border-radius: var(--radius); background: var(--raised);
    color: var(--ink); box-shadow: var(--shadow); display: grid;
  }
  .menu .list button { justify-content: flex-start; border: 0; background: none; font-weight: 450; width: 100%; }
  .menu .list button:hover, .menu .list button:focus-visible { background: var(--soft); }
  @media (prefers-reduced-motion: reduce) { *, ::before, ::after { animation: none !important; transition: none !important; scroll-behavior: auto !important; } }
`;

const t = words({
  en: { loading: "Loading…", failed: "That did not work", again: "Try again" },
  es: { loading: "Cargando…", failed: "No ha funcionado", again: "Reintentar" },
});

/**
 * An element over the API. `start(signal)` is called when it is put into a page and when an attribute changes; the
 * signal ends when it starts again or is taken out. `spoken()` is called when the language changes.
 */
export class RecollectElement extends HTMLElement {
  static observedAttributes = ["base", "user", "agent"];
  static styles = [];
  #token = null;
  #api = null;
  #life = null;
  #due = false;
  #hear = () => this.spoken();

  constructor() {
    super();
    this.attachShadow({ mode: "open" }).adoptedStyleSheets = [look, ...this.constructor.styles];
  }

  get base() {
    return this.getAttribute("base") ?? "";
  }

  get user() {
    return this.getAttribute("user") || null;
  }

  get agent() {
    return this.getAttribute("agent") || "assistant";
  }

  /** A key or token, for a page that has no cookie of the server. It is kept in memory only. */
  get token() {
    return this.#token;
  }

  set token(text) {
    this.#token = text;
    this.#api = null;
    this.restart();
  }

  get api() {
    if (this.#api === null || this.#api.base !== this.base.replace(/\/+$/, "")) {
      this.#api = new Api({ base: this.base, token: this.#token });
    }
    return this.#api;
  }

  /** Ends when the element starts again or is taken out. */
  get signal() {
    return this.#life?.signal;
  }

  connectedCallback() {
    document.addEventListener("recollect-language", this.#hear);
    this.restart();
  }

  disconnectedCallback() {
    document.removeEventListener("recollect-language", this.#hear);
    this.#life?.abort();
  }

  attributeChangedCallback(_, before, now) {
    if (before !== now) this.restart();
  }

  /** Start (again), once, however many attributes have changed. */
  restart() {
    if (this.#due || !this.isConnected) return;
    this.#due = true;
    queueMicrotask(async () => {
      this.#due = false;
      this.#life?.abort();
      if (!this.isConnected) return;
      this.#life = new AbortController();
      const { signal } = this.#life;
      try {
        await this.start(signal);
      } catch (error) {
        if (!signal.aborted && error.name !== "AbortError") this.failed(error);
      }
    });
  }

  async start() {}

  spoken() {
    this.restart();
  }

  /** Show something instead of what is there. */
  show(...nodes) {
    this.shadowRoot.replaceChildren(...nodes);
  }

  /** Tell the page around. */
  emit(name, detail = {}) {
    return this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable: true }));
  }

  /** Hear of changes from elsewhere for as long as this life lasts. */
  listen(hear) {
    const stop = listen(this.api, this.user ?? "", hear);
    this.signal.addEventListener("abort", stop, { once: true });
  }

  /** Show an error in place of the element, with a way to try again. */
  async failed(error) {
    this.told(error);
    await learned();
    this.show(problem(error, () => this.restart()));
  }

  /** Let the page know of an error, which may be that nobody is signed in. */
  told(error) {
    this.emit("recollect-error", { error });
  }

  /** Show an error as a passing message. */
  async mention(error) {
    if (error.name === "AbortError") return;
    this.told(error);
    const { toast } = await import("./dialogs.js");
    await learned();
    toast(explained(error), { bad: true });
  }
}

/** A place that waits for its content. */
export function bones(lines = 6) {
  return h(
    "div",
    { class: "bones", role: "status", "aria-live": "polite" },
    h("span", { class: "unseen" }, t("loading")),
    ...Array.from({ length: lines }, () => h("i", { "aria-hidden": "true" })),
  );
}

/** A place without content, and what to do about it. */
export function empty(picture, title, text, ...actions) {
  return h("div", { class: "middle" }, icon(picture, 34), h("h2", {}, title), text ? h("p", {}, text) : null, ...actions);
}

/** A place whose content could not be had. */
export function problem(error, again) {
  return h(
    "div",
    { class: "middle", role: "alert" },
    icon("info", 34),
    h("h2", {}, t("failed")),
    h("p", {}, explained(error)),
    again ? h("button", { type: "button", onclick: again }, icon("retry"), t("again")) : null,
  );
}

/** A button with only a picture; its name is for whoever cannot see it, and shown on hover. */
export function iconButton(picture, name, onclick, properties = {}) {
  return h("button", { type: "button", class: "plain icon-only", "aria-label": name, title: name, onclick, ...properties }, icon(picture));
}

/** A button that opens a list of [picture, text, action, danger?]. Escape and a click elsewhere close it. */
export function menu(name, entries, properties = {}) {
  const opener = iconButton("more", name, () => (list.hidden ? open() : close()), { "aria-haspopup": "menu", "aria-expanded": "false", ...properties });
  const list = h("div", { class: "list", role: "menu", hidden: true });
  const around = h("div", { class: "menu" }, opener, list);
  function close(back = false) {
    list.hidden = true;
    opener.setAttribute("aria-expanded", "false");
    document.removeEventListener("pointerdown", outside, true);
    if (back) opener.focus();
  }
  function outside(event) {
    if (!event.composedPath().includes(around)) close();
  }
  function open() {
    list.replaceChildren(
      ...entries().map(([picture, text, action, danger]) =>
        h("button", { type: "button", role: "menuitem", class: danger ? "danger" : null, onclick: () => (close(true), action()) }, icon(picture, 16), text),
      ),
    );
    list.hidden = false;
    opener.setAttribute("aria-expanded", "true");
    document.addEventListener("pointerdown", outside, true);
    list.firstElementChild.focus();
  }
  around.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    const buttons = [...list.children];
    const at = buttons.indexOf(list.getRootNode().activeElement);
    if (event.key === "Escape") close(true);
    else if (event.key === "ArrowDown") buttons[(at + 1) % buttons.length].focus();
    else if (event.key === "ArrowUp") buttons.at(at - 1).focus();
    else if (event.key === "Tab") return close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return around;
}

/** Make these the children of a node, and touch only those that are not there already, where they are to be. */
export function settle(parent, nodes) {
  const wanted = new Set(nodes);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  let at = parent.firstElementChild;
  for (const node of nodes) {
    if (node === at) at = at.nextElementSibling;
    // What is only moved keeps the focus, where the browser can do that.
    else if (node.parentNode === parent && parent.moveBefore) parent.moveBefore(node, at);
    else parent.insertBefore(node, at);
  }
}

/** Define an element, unless the page has done so. */
export function define(name, element) {
  if (!customElements.get(name)) customElements.define(name, element);
}

/** Call `act` once nothing has happened for a while. */
export function debounced(act, milliseconds = 200) {
  let timer;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(...given), milliseconds);
  };
}
