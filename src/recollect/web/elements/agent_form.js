// How an agent is set up, as a form.

import { h, icon } from "../element.js";
import { explained, learned, said, words } from "../words.js";

const t = words({
  en: {
    instructions: "Instructions", instructionsHint: "What the agent is told first. {long_term_memory_notes} and {state} say where notes and state go.",
    window: "Messages in the prompt", budget: "Tokens of a prompt at most", pool: "Pool of memories", poolHint: "Agents with the same pool share their memories.",
    learnEvery: "Messages before it learns", learnHint: "0 is never.", workflow: "Workflow", noWorkflow: "None", save: "Save", version: "Version {version}",
    defaults: "Never set up: these are the defaults",
    changed: "Somebody changed it in the meantime. Your values are still here; save again to put them in place of theirs.", model: "Language model",
    modelHint: "As openai:<model>, such as openai:gpt-4o-mini. Empty is the one of this installation.",
  },
  es: {
    instructions: "Instrucciones", instructionsHint: "Lo primero que se dice al agente. {long_term_memory_notes} y {state} indican dónde van las notas y el estado.",
    window: "Mensajes en el prompt", budget: "Tokens de un prompt como mucho", pool: "Grupo de recuerdos",
    poolHint: "Los agentes con el mismo grupo comparten sus recuerdos.", learnEvery: "Mensajes antes de aprender", learnHint: "0 es nunca.", workflow: "Flujo de trabajo",
    noWorkflow: "Ninguno", save: "Guardar", version: "Versión {version}", defaults: "Sin configurar: estos son los valores por defecto",
    changed: "Alguien lo cambió mientras tanto. Tus valores siguen aquí; guarda otra vez para ponerlos en lugar de los suyos.", model: "Modelo de lenguaje",
    modelHint: "Como openai:<modelo>, por ejemplo openai:gpt-4o-mini. Vacío es el de esta instalación.",
  },
});

/**
 * A form for an agent's settings. `save(change, version)` gives what they then are; when somebody else was quicker,
 * `again()` reads them, and whoever is sure saves once more. `tell(error)` hears of what went wrong.
 */
export function agentForm(agent, workflows, { save, again, tell }) {
  const about = h("p", { class: "hint" });
  const drawn = () => (about.textContent = agent.version ? t("version", { version: agent.version }) : t("defaults"));
  drawn();
  const field = (name, input, hint = null, whole = false) => h("label", { class: whole ? "field whole" : "field" }, t(name), input, hint ? h("span", { class: "hint" }, hint) : null);
  const amount = (name, least) => h("input", { type: "number", name, min: String(least), step: "1", required: true, value: agent[name] });
  const word = (name, properties = {}) => h("input", { name, maxlength: "200", autocomplete: "off", value: agent[name] ?? "", ...properties });
  const trouble = h("p", { class: "notice bad", role: "alert", hidden: true });
  const button = h("button", { type: "submit", class: "first" }, icon("check", 16), t("save"));
  const form = h("form", {
    class: "stack",
    onsubmit: async (event) => {
      event.preventDefault();
      button.disabled = true;
      trouble.hidden = true;
      try {
        agent = await save(changed(Object.fromEntries(new FormData(form))), agent.version);
        drawn();
      } catch (error) {
        tell(error);
        await learned();
        if (error.kind === "conflict") agent = await again().catch(() => agent);
        trouble.textContent = error.kind === "conflict" ? t("changed") : explained(error);
        trouble.hidden = false;
      } finally {
        button.disabled = false;
      }
    },
  }, h("div", { class: "fields" },
    field("instructions", h("textarea", { name: "instructions", rows: "5", value: agent.instructions }), t("instructionsHint"), true),
    field("window", amount("window", 1)), field("budget", amount("budget", 0)), field("learnEvery", amount("learnEvery", 0), t("learnHint")),
    field("pool", word("pool", { required: true }), t("poolHint")),
    field("model", word("model", { spellcheck: "false" }), t("modelHint")),
    field("workflow", h("select", { name: "workflow" }, h("option", { value: "" }, t("noWorkflow")), ...workflows.map((one) => h("option", { value: one.name, selected: one.name === agent.workflow }, said(one.title) ?? one.name))))),
  trouble, h("div", { class: "row wrap" }, h("div", { class: "grow" }, about), button));
  return form;
}

/** What to send; an empty text takes the workflow or the model away. */
function changed({ instructions, window, budget, learnEvery, pool, model, workflow }) {
  return { instructions, window: Number(window), budget: Number(budget), pool: pool.trim(), learnEvery: Number(learnEvery), model: model.trim(), workflow };
}
