// <recollect-context>: what the agent knew when it gave a reply, with what each part cost and why it was there.

import { path } from "../api.js";
import { bones, css, define, h, icon, problem, RecollectElement } from "../element.js";
import { markdown } from "../markdown.js";
import { day, learned, number, said, words } from "../words.js";

const t = words({
  en: {
    instructions: "Instructions", notes: "Notes", memories: "Memories", state: "State", summary: "Summary", window: "Messages", tools: "Tools",
    tokens: { one: "{count} token", other: "{count} tokens" }, sent: "{count} tokens in all", noMemories: "No memory was related to this.",
    forgotten: "This memory was forgotten since.", score: "fit {score}", messages: "Messages {first} to {last} of this conversation", dropped: "What did not fit",
    by: "Answered by {model} in {seconds} s", none: "Nothing is known about this: no agent of this server gave this reply.", problems: "What went wrong",
    sections: "Tokens by section", memoryBudget: "{count} of 200 tokens for memories",
  },
  es: {
    instructions: "Instrucciones", notes: "Notas", memories: "Recuerdos", state: "Estado", summary: "Resumen", window: "Mensajes", tools: "Herramientas",
    tokens: { one: "{count} token", other: "{count} tokens" }, sent: "{count} tokens en total", noMemories: "Ningún recuerdo tenía que ver con esto.",
    forgotten: "Este recuerdo se ha olvidado desde entonces.", score: "afinidad {score}", messages: "Mensajes {first} a {last} de esta conversación", dropped: "Lo que no cupo",
    by: "Respondió {model} en {seconds} s", none: "No se sabe nada de esto: ningún agente de este servidor dio esta respuesta.", problems: "Lo que salió mal",
    sections: "Tokens por sección", memoryBudget: "{count} de 200 tokens para recuerdos",
  },
});

const style = css`
  :host { font-size: .9rem; }
  .card { padding: .85rem 1rem; background: var(--ground); }
  .bar { display: flex; height: .6rem; border-radius: 99px; overflow: hidden; background: var(--soft); gap: 2px; }
  .bar i { display: block; min-width: 3px; }
  .legend { display: flex; flex-wrap: wrap; gap: .15rem .9rem; font-size: .82rem; color: var(--quiet); }
  .legend li { display: flex; align-items: center; gap: .35rem; }
  .legend i { width: .65rem; height: .65rem; border-radius: 3px; }
  .instructions { background: light-dark(#5b7fb5, #8fb0e0); } .notes { background: light-dark(#b08437, #dfb76d); } .memories { background: var(--accent); }
  .state { background: light-dark(#8a63a8, #c3a1de); } .summary { background: light-dark(#a8576b, #e39db0); } .window { background: light-dark(#75817b, #95a29b); } .tools { background: light-dark(#3b8a9a, #7fcbdb); }
  h3 { font-size: .88rem; margin-bottom: .25rem; }
  .memory { padding: .4rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
  .memory:first-child { border-top: 0; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; font: inherit; color: var(--quiet); }
  .prose { color: var(--quiet); max-height: 12rem; overflow: auto; }
`;

const SECTIONS = ["instructions", "notes", "memories", "state", "summary", "window", "tools"];

class RecollectContext extends RecollectElement {
  static observedAttributes = ["base", "user", "agent", "conversation", "reply"];
  static styles = [style];

  async start(signal) {
    const [conversation, reply] = [this.getAttribute("conversation"), this.getAttribute("reply")];
    if (!conversation || !reply) return;
    this.show(h("div", { class: "card" }, bones(4)));
    await learned();
    try {
      const known = await this.api.get(path`/api/conversations/${conversation}/known/${reply}`, {}, { signal });
      this.show(h("div", { class: "card stack" }, ...shown(known)));
    } catch (error) {
      if (error.status !== 404) throw error;
      this.show(h("div", { class: "card quiet" }, t("none")));
    }
  }

  failed(error) {
    this.told(error);
    this.show(h("div", { class: "card" }, problem(error, () => this.restart())));
  }
}

function shown(known) {
  const { turn } = known;
  const costs = SECTIONS.map((name) => [name, turn.tokens[name] ?? 0]).filter(([, count]) => count > 0);
  const total = costs.reduce((sum, [, count]) => sum + count, 0);
  return [
    h("p", { class: "row wrap quiet" },
      h("span", {}, t("by", { model: turn.model ?? "?", seconds: number(turn.seconds ?? 0) })),
      h("span", { class: "chip" }, t("sent", { count: total }))),
    h("div", {},
      h("div", { class: "bar", role: "img", "aria-label": `${t("sections")}: ${costs.map(([name, count]) => `${t(name)} ${number(count)}`).join(", ")}` }, ...costs.map(([name, count]) => piece(name, count))),
      h("ul", { class: "legend plain", "aria-hidden": "true" }, ...costs.map(([name, count]) => h("li", {}, h("i", { class: name }), t(name), h("span", { class: "number" }, number(count)))))),
    h("section", {},
      h("h3", {}, t("memories"), " ", h("span", { class: "chip" }, t("memoryBudget", { count: turn.tokens.memories ?? 0 }))),
      known.memories.length ? h("ul", { class: "plain" }, ...known.memories.map(memory)) : h("p", { class: "quiet" }, t("noMemories"))),
    known.notes ? h("section", {}, h("h3", {}, t("notes")), h("div", { class: "prose", tabindex: "0" }, markdown(known.notes))) : null,
    known.state ? h("section", {}, h("h3", {}, t("state")), h("pre", {}, known.state)) : null,
    known.first !== null ? h("section", {}, h("h3", {}, t("window")), h("p", { class: "quiet" }, t("messages", { first: known.first, last: known.last }))) : null,
    known.dropped.length ? h("section", {}, h("h3", {}, t("dropped")), h("ul", { class: "plain quiet" }, ...known.dropped.map((one) => h("li", {}, `${t(one.section)}, ${said(one.what)} (${t("tokens", { count: one.tokens })}): ${said(one.why)}`)))) : null,
    turn.problems.length ? h("section", {}, h("h3", {}, t("problems")), h("ul", { class: "plain quiet" }, ...turn.problems.map((text) => h("li", {}, said(text))))) : null,
  ].filter(Boolean);
}

function piece(name, count) {
  const part = h("i", { class: name });
  part.style.flexGrow = String(count);
  return part;
}

/** A reason as the server writes it, in the reader's words. */
function reason(why) {
  return why.replace(/\b(close in meaning|shares words|shares|pinned|related)\b/g, said).replace(/\((\d\.\d+)\)/g, (_, score) => `(${number(Number(score))})`);
}

function memory(one) {
  if (one.memory === null) return h("li", { class: "memory quiet" }, t("forgotten"));
  return h("li", { class: "memory" },
    h("div", {}, one.memory.keyPoint),
    h("div", { class: "row wrap small quiet" },
      h("span", {}, day(one.memory.createdAt)),
      h("span", { class: "chip accent" }, t("score", { score: number(one.score, { minimumFractionDigits: 2 }) })),
      one.memory.pinned ? icon("pin", 14) : null,
      h("span", {}, reason(one.why))));
}

define("recollect-context", RecollectContext);
