// What is asked about memories: a new one, when one expires, and what one was before. Loaded when first needed.

import { ask, tell } from "../dialogs.js";
import { h, icon } from "../element.js";
import { dated, dawn, LAST_DAY, learned, meant, moment, said, words } from "../words.js";

const t = words({
  en: {
    textHint: "One short fact, such as “user is vegetarian”. At most 1,000 characters.", template: "Template", free: "Free text", expiresAt: "Expires on",
    addTitle: "Add a memory", historyTitle: "History of a memory", version: "Version {n}", current: "current", back: "Go back to this", expiryTitle: "When does it expire?",
    text: "What to remember", category: "Category", add: "Add", save: "Save", never: "Never expires",
  },
  es: {
    textHint: "Un dato breve, como «el usuario es vegetariano». Como mucho 1000 caracteres.", template: "Plantilla", free: "Texto libre", expiresAt: "Caduca el",
    addTitle: "Añadir un recuerdo", historyTitle: "Historial de un recuerdo", version: "Versión {n}", current: "actual", back: "Volver a esta",
    expiryTitle: "¿Cuándo caduca?",
    text: "Qué recordar", category: "Categoría", add: "Añadir", save: "Guardar", never: "No caduca",
  },
});

/** When a memory is to expire: a moment, null for never, undefined if nobody wanted to say. */
export async function expiry(one) {
  const date = h("input", { type: "date", name: "date", required: true, min: inDays(1), max: LAST_DAY, value: one.expiresAt ? dated(one.expiresAt) : inDays(30) });
  const given = await ask({
    title: t("expiryTitle"),
    action: t("save"),
    other: one.expiresAt ? { action: t("never"), values: { date: null } } : null,
    content: [h("label", { class: "field" }, t("expiresAt"), date)],
  });
  return given === null ? undefined : given.date && dawn(given.date);
}

/** Show what a memory was; `back(version)` goes there, and says whether it could. */
export function history(one, versions, back) {
  const entry = (version) => h("li", { class: "card" },
    h("div", { class: "row wrap" }, h("b", {}, t("version", { n: version.version })), h("span", { class: "small quiet grow" }, `${moment(version.at)} · ${said(version.change)} · ${version.actor}`),
      version.version === one.version ? h("span", { class: "chip accent" }, t("current")) : h("button", {
        type: "button",
        onclick: async (event) => {
          const dialog = event.currentTarget.closest("dialog");
          if (await back(version.version)) dialog.close();
        },
      }, icon("undo", 16), t("back"))),
    h("p", { class: "text" }, version.text));
  return tell({ title: t("historyTitle"), wide: true, content: [h("ol", { class: "plain stack" }, ...versions.reverse().map(entry))] });
}

/** Ask for a new memory, as free text or by a template, and `save` it; null if nobody wanted one. */
export async function add(templates, categories, save) {
  await learned();
  const fields = h("div", { class: "stack" });
  const free = () => h("label", { class: "field" }, t("text"), h("textarea", { name: "text", rows: "2", maxlength: "1000", required: true }), h("span", { class: "hint" }, t("textHint")));
  const category = () => h("label", { class: "field" }, t("category"), h("input", { name: "category", maxlength: "64", autocomplete: "off", list: "known" }), h("datalist", { id: "known" }, ...categories.map((name) => h("option", { value: said(name) }))));
  const fill = (name) => {
    const template = templates.find((one) => one.name === name);
    fields.replaceChildren(...(template ? template.fields.map((field) => h("label", { class: "field" }, said(field), h("input", { name: `field.${field}`, required: true, maxlength: "150", autocomplete: "off" }))) : [free(), category()]));
  };
  fill("");
  return ask({
    title: t("addTitle"),
    action: t("add"),
    content: [
      templates.length ? h("label", { class: "field" }, t("template"), h("select", { name: "template", onchange: (event) => fill(event.target.value) }, h("option", { value: "" }, t("free")), ...templates.map((one) => h("option", { value: one.name }, `${said(one.name)}: ${one.pattern}`)))) : null,
      fields,
      h("label", { class: "field" }, t("expiresAt"), h("input", { type: "date", name: "expires", min: inDays(1), max: LAST_DAY })),
    ].filter(Boolean),
    check: (values) => save({
      expiresAt: values.expires ? dawn(values.expires) : null,
      ...(values.template ? { template: values.template, fields: filled(values) } : { keyPoint: values.text.trim(), category: meant(values.category.trim()) || null }),
    }),
  });
}

/** The fields of a template, by their names. */
function filled(values) {
  return Object.fromEntries(Object.entries(values).filter(([name]) => name.startsWith("field.")).map(([name, value]) => [name.slice("field.".length), value]));
}

/** So many days from now, as a date field has it. */
function inDays(days) {
  return dated(Date.now() + days * 86_400_000);
}
