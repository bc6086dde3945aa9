// A form for a draft, out of its schema; what it cannot say in fields is edited as JSON.

import { h, icon, iconButton } from "../element.js";
import { readable, said, words } from "../words.js";

const t = words({
  en: { lines: "One on each line", add: "Add", remove: "Remove", json: "As JSON", missing: "missing", yes: "Yes", no: "No", badJson: "{name}: this is not JSON" },
  es: { lines: "Uno en cada línea", add: "Añadir", remove: "Quitar", json: "Como JSON", missing: "falta", yes: "Sí", no: "No", badJson: "{name}: esto no es JSON" },
});

/** Kinds of values that one input says. */
const SIMPLE = ["string", "number", "integer", "boolean"];

/**
 * Fields for an object: {node, value()}. `value()` is the whole object, without what is empty; it throws an Error
 * that says which field is wrong. `missing` are paths like "requirements.items".
 */
export function fields(schema, content, missing, changed, before = "") {
  const parts = Object.entries(schema.properties ?? {}).map(([name, kind]) => [name, field(name, kind ?? {}, content?.[name], missing, changed, `${before}${name}`)]);
  const rest = Object.fromEntries(Object.entries(content ?? {}).filter(([name]) => !(name in (schema.properties ?? {}))));
  if (schema.additionalProperties !== false) parts.push([null, own(rest, changed, (touch) => json(before ? readable(before) : t("json"), rest, false, touch))]);
  return {
    node: h("div", { class: "stack" }, ...parts.map(([, part]) => part.node)),
    value: () => {
      const whole = {};
      for (const [name, part] of parts) {
        const value = part.value();
        if (name === null) Object.assign(whole, value ?? {});
        else if (value !== undefined) whole[name] = value;
      }
      return whole;
    },
  };
}

/** A part that is what it was until somebody has touched it: an input may not be able to show all of it. */
function own(content, changed, make) {
  let touched = false;
  const part = make(() => ((touched = true), changed()));
  return { ...part, value: () => (touched ? part.value() : content) };
}

function field(name, kind, content, missing, changed, where) {
  return own(content, changed, (touch) => {
    const lacks = missing.includes(where);
    const one = control(name, kind, content, touch);
    if (one) return { node: labelled(name, lacks, one.input, said(kind.description)), value: one.value };
    if (kind.type === "array" && areLines(kind.items, content ?? [])) return lines(name, content, lacks, touch);
    if (kind.type === "array" && areRows(kind.items, content ?? [])) return rows(name, kind, content, lacks, touch);
    if (kind.type === "object" && kind.properties) {
      const inner = fields(kind, content, missing, touch, `${where}.`);
      return { node: h("fieldset", {}, h("legend", {}, readable(name)), inner.node), value: () => (Object.keys(inner.value()).length ? inner.value() : undefined) };
    }
    return json(readable(name), content, lacks, touch);
  });
}

function labelled(name, lacks, input, hint) {
  return h("label", { class: "field" }, h("span", { class: "row" }, readable(name), lacks ? h("span", { class: "chip warn" }, t("missing")) : null), input, hint ? h("span", { class: "hint" }, hint) : null);
}

/** Something to type or choose one value with, {input, value()}; null if one input cannot say it. */
function control(name, kind, content, changed, more = {}) {
  if (kind.enum) {
    const input = h("select", { name, onchange: changed, ...more }, h("option", { value: "" }, "–"), ...kind.enum.map((one) => h("option", { value: String(one), selected: one === content }, said(String(one)))));
    return { input, value: () => kind.enum.find((one) => String(one) === input.value) };
  }
  if (kind.type === "string") {
    const written = String(content ?? "");
    const long = (kind.maxLength ?? 0) > 1000 || written.length > 80 || /[\r\n]/.test(written);
    const input = h(long ? "textarea" : "input", { name, rows: long ? "3" : null, value: written, maxlength: kind.maxLength ? String(kind.maxLength) : null, autocomplete: "off", oninput: changed, ...more });
    return { input, value: () => input.value.trim() || undefined };
  }
  if (kind.type === "number" || kind.type === "integer") {
    const input = h("input", { name, type: "number", step: kind.type === "integer" ? "1" : "any", min: kind.minimum ?? null, max: kind.maximum ?? null, value: content ?? "", oninput: changed, ...more });
    return { input, value: () => (input.value === "" ? undefined : Number(input.value)) };
  }
  if (kind.type === "boolean") {
    const input = h("select", { name, onchange: changed, ...more }, h("option", { value: "" }, "–"), h("option", { value: "yes", selected: content === true }, t("yes")), h("option", { value: "no", selected: content === false }, t("no")));
    return { input, value: () => ({ yes: true, no: false })[input.value] };
  }
  return null;
}

/** Whether each of a list can stand on a line of its own. */
function areLines(items, content) {
  return items?.type === "string" && content.every((one) => !/[\r\n]/.test(one));
}

/** Whether each of a list can stand in a row of inputs, with all that it has. */
function areRows(items, content) {
  if (items?.type !== "object" || !items.properties) return false;
  return Object.values(items.properties).every((kind) => kind.enum || SIMPLE.includes(kind.type)) && content.every((one) => Object.keys(one).every((key) => key in items.properties));
}

function lines(name, content, lacks, changed) {
  const input = h("textarea", { name, rows: "2", value: (content ?? []).join("\n"), oninput: changed });
  const value = () => input.value.split("\n").map((line) => line.trim()).filter(Boolean);
  return { node: labelled(name, lacks, input, t("lines")), value: () => (value().length ? value() : undefined) };
}

function rows(name, kind, content, lacks, changed) {
  let entries = [];
  const list = h("div", { class: "stack" });
  const add = (one = {}) => {
    const cells = Object.entries(kind.items.properties).map(([key, of]) => {
      const label = { "aria-label": `${readable(name)}: ${readable(key)}`, placeholder: readable(key) };
      return [key, own(one[key], changed, (touch) => control(`${name}.${key}`, of, one[key], touch, label))];
    });
    const entry = { row: null, value: () => Object.fromEntries(cells.map(([key, cell]) => [key, cell.value()]).filter(([, value]) => value !== undefined)) };
    entry.row = h("div", { class: "entry" }, ...cells.map(([, cell]) => cell.input), iconButton("close", t("remove"), () => (entry.row.remove(), (entries = entries.filter((other) => other !== entry)), changed())));
    entries.push(entry);
    list.append(entry.row);
  };
  (content ?? []).forEach((one) => add(one));
  const node = h("fieldset", {}, h("legend", { class: "row" }, readable(name), lacks ? h("span", { class: "chip warn" }, t("missing")) : null), list,
    h("button", { type: "button", onclick: () => (add(), list.lastElementChild.firstElementChild.focus(), changed()) }, icon("plus", 16), t("add")));
  const value = () => entries.map((entry) => entry.value()).filter((one) => Object.keys(one).length);
  return { node, value: () => (value().length ? value() : undefined) };
}

function json(label, content, lacks, changed) {
  const given = content === undefined || (typeof content === "object" && content && !Object.keys(content).length) ? "" : JSON.stringify(content, null, 2);
  const input = h("textarea", { class: "mono", rows: String(Math.min(12, Math.max(2, given.split("\n").length))), value: given, spellcheck: "false", oninput: changed });
  return {
    node: h("label", { class: "field" }, h("span", { class: "row" }, label, lacks ? h("span", { class: "chip warn" }, t("missing")) : null), input),
    value: () => {
      if (!input.value.trim()) return undefined;
      try {
        return JSON.parse(input.value);
      } catch {
        throw new Error(t("badJson", { name: label }));
      }
    },
  };
}

/** What to send so that `before` becomes `after`: a merge patch, in which null takes away. */
export function patch(before, after) {
  const changes = {};
  for (const name of new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])) {
    const [old, now] = [before?.[name], after?.[name]];
    if (JSON.stringify(old) === JSON.stringify(now)) continue;
    changes[name] = now === undefined ? null : isObject(old) && isObject(now) ? patch(old, now) : now;
  }
  return changes;
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
