// A memory that is being corrected where it stands.

import { h } from "../element.js";
import { explained, learned, meant, said, words } from "../words.js";

const t = words({
  en: {
    save: "Save", text: "What to remember", conflict: "It was changed in the meantime. It now says: {text}. Save again to put yours in its place.",
    category: "Category", importance: "Importance", cancel: "Cancel",
  },
  es: {
    save: "Guardar", text: "Qué recordar", conflict: "Se cambió mientras tanto. Ahora dice: {text}. Guarda otra vez para poner el tuyo en su lugar.",
    category: "Categoría", importance: "Importancia", cancel: "Cancelar",
  },
});

/**
 * A form for a memory. `save(change, version)` stores what has changed; when somebody else was quicker, `again()` reads
 * what it says now, and whoever is sure saves once more. `shut()` gives up, and `tell(error)` hears of what went wrong.
 */
export function editor(one, categories, { save, again, shut, tell }) {
  const text = h("textarea", { rows: "2", maxlength: "1000", required: true, "aria-label": t("text"), value: one.keyPoint });
  const category = h("input", { maxlength: "64", autocomplete: "off", list: "categories", value: said(one.category ?? "") });
  const importance = h("input", { type: "number", min: "0", max: "1", step: "any", required: true, value: round(one.importance) });
  const trouble = h("p", { class: "notice bad", role: "alert", hidden: true });
  const form = h("form", {
    class: "grow",
    onkeydown: (event) => {
      if (event.key === "Escape") shut();
      else if (event.key === "Enter" && !event.shiftKey && event.target === text) (event.preventDefault(), form.requestSubmit());
    },
    onsubmit: async (event) => {
      event.preventDefault();
      try {
        await save(changed(one, text.value.trim(), meant(category.value.trim()) || null, Number(importance.value)), one.version);
      } catch (error) {
        tell(error);
        await learned();
        if (error.kind === "conflict") {
          one = await again().catch(() => one);
          trouble.textContent = t("conflict", { text: one.keyPoint });
        } else trouble.textContent = explained(error);
        trouble.hidden = false;
      }
    },
  }, text,
  h("div", { class: "row wrap" }, h("label", { class: "field grow" }, t("category"), category), h("label", { class: "field narrow" }, t("importance"), importance)),
  h("datalist", { id: "categories" }, ...categories.map((name) => h("option", { value: said(name) }))),
  trouble, h("div", { class: "row" }, h("button", { type: "submit", class: "first" }, t("save")), h("button", { type: "button", onclick: shut }, t("cancel"))));
  text.setSelectionRange(text.value.length, text.value.length);
  return form;
}

/** What to send: what is not there stays as it is, and null takes a category away. */
function changed(one, keyPoint, category, importance) {
  const change = { keyPoint };
  if (category !== one.category) change.category = category;
  if (importance !== round(one.importance)) change.importance = importance;
  return change;
}

/** As it is shown. */
function round(weight) {
  return Math.round(weight * 100) / 100;
}
