// Questions and passing messages, over whatever is shown. Loaded when first needed.

import { css, h, icon, iconButton, look } from "./element.js";
import { explained, learned, words } from "./words.js";

const t = words({
  en: { ok: "OK", cancel: "Cancel", undo: "Undo", close: "Close" },
  es: { ok: "Aceptar", cancel: "Cancelar", undo: "Deshacer", close: "Cerrar" },
});

const style = css`
  :host { position: fixed; inset: auto 0 0 0; z-index: 1000; pointer-events: none; display: block; }
  dialog {
    pointer-events: auto; width: min(30rem, calc(100vw - 2rem)); max-height: calc(100dvh - 2rem); padding: 1.25rem; border: 1px solid var(--line);
    border-radius: calc(var(--radius) + 6px); background: var(--raised); color: var(--ink); box-shadow: var(--shadow); overflow: auto;
  }
  dialog.wide { width: min(52rem, calc(100vw - 2rem)); }
  dialog::backdrop { background: rgb(10 16 14 / .5); }
  form { display: grid; gap: 1rem; margin: 0; }
  .actions { display: flex; justify-content: flex-end; gap: .5rem; flex-wrap: wrap; }
  .toasts { display: grid; gap: .5rem; justify-items: center; padding: 1rem; }
  .toast {
    pointer-events: auto; display: flex; align-items: center; gap: .6rem; max-width: min(34rem, 100%); padding: .45rem .5rem .45rem .9rem;
    border-radius: var(--radius); background: light-dark(#22302b, #e4ece8); color: light-dark(#f4f7f5, #16201c); box-shadow: var(--shadow);
  }
  .toast.bad { background: light-dark(#8c1d18, #ffdad5); color: light-dark(#fff, #410e0b); }
  .toast button { background: none; border-color: currentColor; color: inherit; min-height: 2rem; }
  .toast button.plain { border: 0; }
  .toast span { overflow-wrap: anywhere; }
`;

class RecollectDialogs extends HTMLElement {
  constructor() {
    super();
    this.attachShadow({ mode: "open" }).adoptedStyleSheets = [look, style];
    this.toasts = h("div", { class: "toasts", role: "status", "aria-live": "polite" });
    this.shadowRoot.append(this.toasts);
  }
}
if (!customElements.get("recollect-dialogs")) customElements.define("recollect-dialogs", RecollectDialogs);

function place() {
  return document.querySelector("recollect-dialogs") ?? document.body.appendChild(document.createElement("recollect-dialogs"));
}

/**
 * Show a dialog; resolves with the values of its form, or null if it was called off. `content` are nodes; named
 * inputs in them become the values. `check(values)` may be async: what it throws is shown, and the dialog stays.
 * `other` is a second way out: {action, values}.
 */
export function ask({ title, content = [], action = t("ok"), danger = false, wide = false, other = null, check = async () => {} }) {
  return new Promise((resolve) => {
    let values = null;
    const trouble = h("p", { class: "notice bad", role: "alert", hidden: true });
    const go = h("button", { class: danger ? "first danger" : "first", type: "submit" }, action);
    const form = h(
      "form",
      {
        method: "dialog",
        onsubmit: async (event) => {
          event.preventDefault();
          const given = Object.fromEntries(new FormData(form));
          go.disabled = true;
          trouble.hidden = true;
          try {
            await check(given);
            values = given;
            dialog.close();
          } catch (error) {
            await learned();
            trouble.textContent = explained(error);
            trouble.hidden = false;
          } finally {
            go.disabled = false;
          }
        },
      },
      h("h2", { id: "title" }, title),
      ...content,
      trouble,
      h("div", { class: "actions" },
        other ? h("button", { type: "button", onclick: () => ((values = other.values), dialog.close()) }, other.action) : null,
        h("button", { type: "button", onclick: () => dialog.close() }, t("cancel")), go),
    );
    const dialog = h("dialog", { "aria-labelledby": "title", class: wide ? "wide" : null, onclose: () => (dialog.remove(), resolve(values)) }, form);
    place().shadowRoot.append(dialog);
    dialog.showModal();
    (form.querySelector("[autofocus], input, textarea, select") ?? go).focus();
  });
}

/** Show something to read, with only a way to close it. */
export function tell({ title, content = [], wide = false }) {
  return new Promise((resolve) => {
    const dialog = h(
      "dialog",
      { "aria-labelledby": "title", class: wide ? "wide" : null, onclose: () => (dialog.remove(), resolve()) },
      h("div", { class: "stack" },
        h("div", { class: "row" }, h("h2", { id: "title", class: "grow" }, title), iconButton("close", t("close"), () => dialog.close())),
        ...content),
    );
    place().shadowRoot.append(dialog);
    dialog.showModal();
  });
}

/** Whether a person agrees. */
export async function confirmed(title, text, { action, danger = false } = {}) {
  return (await ask({ title, content: text ? [h("p", { class: "quiet" }, text)] : [], action, danger })) !== null;
}

/** A new text, or null. */
export async function asked(title, { label = title, value = "", action, required = false, ...rest } = {}) {
  const content = [h("label", { class: "field" }, label, h("input", { name: "text", value, required, autofocus: true, autocomplete: "off", ...rest }))];
  const given = await ask({ title, content, action });
  return given === null ? null : given.text;
}

const LASTS = 6_000;

/** A passing message. With `undo`, a button that calls it; resolves to whether it was pressed. */
export function toast(text, { undo = null, bad = false, lasts = undo ? LASTS + 2_000 : LASTS } = {}) {
  return new Promise((resolve) => {
    let timer;
    const end = (pressed) => {
      clearTimeout(timer);
      if (!box.isConnected) return;
      box.remove();
      resolve(pressed);
      if (pressed) undo();
    };
    const box = h(
      "div",
      { class: bad ? "toast bad" : "toast" },
      bad ? icon("info") : null,
      h("span", { class: "grow" }, text),
      undo ? h("button", { type: "button", onclick: () => end(true) }, icon("undo", 16), t("undo")) : null,
      iconButton("close", t("close"), () => end(false)),
    );
    const wait = () => (timer = setTimeout(() => end(false), lasts));
    // Whoever points at it is reading it.
    box.addEventListener("pointerenter", () => clearTimeout(timer));
    box.addEventListener("pointerleave", wait);
    box.addEventListener("focusin", () => clearTimeout(timer));
    box.addEventListener("focusout", wait);
    place().toasts.append(box);
    wait();
  });
}
