// One memory in the list: what it says, where it comes from, and what can be done with it.

import { h, icon, iconButton, menu } from "../element.js";
import { day, moment, number, said, time, words } from "../words.js";

const t = words({
  en: {
    edit: "Edit", pin: "Pin", unpin: "Unpin", expiry: "Expiry…", history: "History", delete: "Forget", release: "Accept", reject: "Reject", options: "Options of: {text}",
    pinned: "Pinned", expires: "Expires {when}", waits: "Waits for review", was: "Retired", selectOne: "Select: {text}", source: "From “{name}”",
    sourceLink: "Show the messages behind it", unknownSource: "Untitled conversation", said: "by {who}", learned: "learned", user: "the user", agentWord: "the agent",
    tool: "a tool",
    importance: "Importance",
  },
  es: {
    edit: "Editar", pin: "Fijar", unpin: "Soltar", expiry: "Caducidad…", history: "Historial", delete: "Olvidar", release: "Aceptar", reject: "Rechazar",
    options: "Opciones de: {text}", pinned: "Fijado", expires: "Caduca: {when}", waits: "Por revisar", was: "Retirado", selectOne: "Seleccionar: {text}",
    source: "De «{name}»", sourceLink: "Ver los mensajes en que se basa", unknownSource: "Conversación sin título", said: "por {who}", learned: "aprendido", user: "el usuario",
    agentWord: "el agente", tool: "una herramienta",
    importance: "Importancia",
  },
});

/** The row of a memory. `chosen` are the ids that are selected, null while nobody selects; `acts` do what is clicked. */
export function memoryRow(one, chosen, acts) {
  const waits = one.status === "quarantined";
  const row = h("li", { class: `card${waits ? " waits" : ""}${one.status === "retired" ? " retired" : ""}`, "data-id": one.id });
  row.append(...[
    chosen === null ? "" : h("input", { type: "checkbox", "aria-label": t("selectOne", { text: one.keyPoint }), checked: chosen.has(one.id), onchange: (event) => acts.choose(one.id, event.target.checked) }),
    h("div", { class: "grow" }, h("p", { class: "text" }, one.keyPoint), about(one, acts)),
    waits ? h("button", { type: "button", onclick: () => acts.release(one) }, icon("check", 16), t("release")) : "",
    waits ? h("button", { type: "button", class: "danger", onclick: () => acts.forget(one) }, t("reject")) : "",
    one.status === "active" ? iconButton("edit", t("edit"), () => acts.edit(row, one)) : "",
    menu(t("options", { text: one.keyPoint }), () => [
      ...(one.status === "active" ? [
        ["pin", t(one.pinned ? "unpin" : "pin"), () => acts.pin(one)],
        ["clock", t("expiry"), () => acts.expire(one)],
      ] : []),
      ["undo", t("history"), () => acts.history(one)],
      ["trash", t("delete"), () => acts.forget(one), true],
    ]),
  ].filter((part) => part !== ""));
  return row;
}

function about(one, acts) {
  const { sessionName, sessionId } = one.context;
  const from = one.source?.conversation ?? sessionId;
  const name = t("source", { name: sessionName ?? t("unknownSource") });
  const author = one.author.startsWith("extractor") ? t("learned") : t("said", { who: t({ agent: "agentWord" }[one.author] ?? one.author) });
  return h("div", { class: "about" },
    h("time", { datetime: one.createdAt, title: moment(one.createdAt) }, time(one.createdAt)),
    one.category ? h("span", { class: "chip" }, said(one.category)) : null,
    one.pinned ? h("span", { class: "chip accent" }, icon("pin", 12), t("pinned")) : null,
    one.status === "quarantined" ? h("span", { class: "chip warn" }, t("waits")) : null,
    one.status === "retired" ? h("span", { class: "chip" }, t("was")) : null,
    one.expiresAt ? h("span", { class: "chip warn" }, t("expires", { when: day(one.expiresAt) })) : null,
    h("span", { class: "number", title: `${t("importance")}: ${number(one.importance)}` }, `${t("importance")} ${number(one.importance)}`),
    h("span", {}, author),
    from ? h("button", { type: "button", class: "cut", title: `${name}. ${t("sourceLink")}`, onclick: () => acts.open({ conversation: from, message: one.source?.first }) }, name) : null);
}
