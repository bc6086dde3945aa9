// <recollect-state>: a conversation's working memory. Step, draft, what is missing, history, and the workflow drawn.

import { activeSession, path, uuid } from "../api.js";
import { bones, css, debounced, define, empty, h, icon, RecollectElement } from "../element.js";
import { explained, lately, learned, moment, readable, said, words } from "../words.js";
import { diagram } from "./diagram.js";
import { fields, patch } from "./draft.js";

const t = words({
  en: {
    state: "State", none: "No conversation yet", noneText: "Begin one in the chat; its state shows up here.", step: "Step", missing: "Still missing", complete: "Nothing is missing",
    moves: "Move to", moveTo: "Move to {step}", needs: "needs {fields}", noMoves: "This is the last step.", actions: "Actions", act: "Do it", actTitle: "{action}?",
    actText: "This happens outside of the conversation and cannot be taken back.", done: "Done: {action}", draft: "Draft", save: "Save the draft", saved: "Saved", changedMeanwhile: "This was changed elsewhere in the meantime.",
    reload: "Show how it is now", history: "History", noHistory: "Nothing has changed yet.", workflow: "Workflow", noWorkflow: "This conversation follows no workflow. An administrator chooses one for the agent; new conversations then follow it.",
    undo: "Undo the last change", undone: "Taken back", unsaved: "What is typed and not saved is lost.", version: "version {version}", refused: "Refused: {why}", after: "after message {seq}", update: "Draft changed", move: "{from} → {to}", action: "{from} → {to} by an action", wentBack: "Went back",
    by: "by {who}", message: "a message", person: "a person", model: "the model", tool: "a tool", system: "the system", guarded: "dashed: on a condition", conversation: "Conversation",
  },
  es: {
    state: "Estado", none: "Todavía no hay conversación", noneText: "Empieza una en el chat; su estado aparecerá aquí.", step: "Paso", missing: "Todavía falta", complete: "No falta nada",
    moves: "Pasar a", moveTo: "Pasar a {step}", needs: "necesita {fields}", noMoves: "Este es el último paso.", actions: "Acciones", act: "Hacerlo", actTitle: "¿{action}?",
    actText: "Esto ocurre fuera de la conversación y no se puede deshacer.", done: "Hecho: {action}", draft: "Borrador", save: "Guardar el borrador", saved: "Guardado", changedMeanwhile: "Esto se ha cambiado en otro sitio mientras tanto.",
    reload: "Mostrar cómo está ahora", history: "Historial", noHistory: "Todavía no ha cambiado nada.", workflow: "Flujo de trabajo", noWorkflow: "Esta conversación no sigue ningún flujo. Un administrador elige uno para el agente; las conversaciones nuevas lo siguen.",
    undo: "Deshacer el último cambio", undone: "Deshecho", unsaved: "Lo escrito sin guardar se pierde.", version: "versión {version}", refused: "Rechazado: {why}", after: "después del mensaje {seq}", update: "Borrador cambiado", move: "{from} → {to}", action: "{from} → {to} por una acción", wentBack: "Vuelta atrás",
    by: "por {who}", message: "un mensaje", person: "una persona", model: "el modelo", tool: "una herramienta", system: "el sistema", guarded: "a trazos: con condición", conversation: "Conversación",
  },
});

const style = css`
  .columns { display: grid; gap: 1rem; grid-template-columns: minmax(0, 1fr) minmax(0, 26rem); align-items: start; }
  header { margin-bottom: 1rem; }
  .steps { display: flex; flex-wrap: wrap; gap: .5rem; }
  .steps li { display: grid; gap: .1rem; }
  .now { font-size: 1.25rem; font-weight: 650; letter-spacing: -.01em; }
  fieldset { border: 1px solid var(--line); border-radius: var(--radius); margin: 0; padding: .6rem .85rem .85rem; min-width: 0; }
  legend { font-size: .88rem; font-weight: 600; padding: 0 .3rem; }
  .entry { display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 1fr) minmax(0, 2fr) auto; gap: .4rem; }
  .picture { overflow: auto; text-align: center; }
  .picture svg { max-width: 100%; height: auto; }
  svg text { font: 600 14px var(--font); text-anchor: middle; fill: var(--ink); }
  svg .label { font-weight: 400; font-size: 11px; text-anchor: start; fill: var(--quiet); }
  .step rect { fill: var(--raised); stroke: var(--strong-line); stroke-width: 1.5; }
  .step .inner { fill: none; stroke-width: 1; }
  .step.next { cursor: pointer; } .step.next rect { stroke: var(--accent); stroke-width: 2; } .step.next:hover rect:first-child { fill: var(--accent-soft); }
  .step.here rect { fill: var(--accent); stroke: var(--accent); } .step.here .inner { fill: none; stroke: var(--on-accent); } .step.here text { fill: var(--on-accent); }
  .step:focus-visible { outline: none; } .step:focus-visible rect:first-child { stroke-width: 4; }
  .move { fill: none; stroke: var(--strong-line); stroke-width: 1.5; } .guarded .move { stroke-dasharray: 5 4; }
  .head, .begin { fill: var(--strong-line); } .arrow.next .move { stroke: var(--accent); stroke-width: 2; } .arrow.next .head { fill: var(--accent); }
  .history li { padding: .5rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
  .history li:first-child { border: 0; }
  @media (max-width: 980px) { .columns { grid-template-columns: minmax(0, 1fr); } }
  @media (max-width: 560px) { .entry { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr) auto; } .entry input:nth-of-type(3) { grid-column: 1 / 3; grid-row: 2; } }
`;

class RecollectState extends RecollectElement {
  static observedAttributes = ["base", "user", "agent", "conversation"];
  static styles = [style];
  #id = null;
  #state = null;
  #workflow = null;
  #layout = null;
  #form = null;
  #dirty = false;
  #typed = 0; // changes to the form so far: what is typed while something loads is not drawn over
  #soon = debounced(() => this.#changedElsewhere(), 200);

  async start(signal) {
    this.#dirty = false;
    this.show(bones(10));
    await learned();
    this.#id = this.getAttribute("conversation") ?? (await activeSession(this.api, this.user, this.agent, signal));
    if (this.#id === null) return this.show(h("header", {}, h("h1", {}, t("state"))), empty("state", t("none"), t("noneText")));
    await this.#read(signal);
    window.addEventListener("beforeunload", (event) => this.#dirty && event.preventDefault(), { signal });
    this.listen(({ event, data }) => (event === "poll" || data?.conversationId === this.#id) && this.#soon());
  }

  async #read(signal = this.signal, typed = this.#typed) {
    const [state, history, talk] = await Promise.all([
      this.api.get(path`/api/conversations/${this.#id}/state`, {}, { signal }),
      this.api.get(path`/api/conversations/${this.#id}/state/history`, { limit: 30 }, { signal }),
      this.api.get(path`/api/conversations/${this.#id}`, { messages: 1 }, { signal }),
    ]);
    if (state.workflow && (this.#workflow?.name !== state.workflow || this.#state?.workflowVersion !== state.workflowVersion)) {
      const version = state.workflowVersion ? { version: state.workflowVersion } : {};
      [this.#workflow, this.#layout] = await Promise.all([
        this.api.get(path`/api/workflows/${state.workflow}`, version, { signal }),
        this.api.get(path`/api/workflows/${state.workflow}/layout`, version, { signal }),
      ]);
    }
    if (typed !== this.#typed) {
      if (state.version !== this.#state.version) this.#form.notice.hidden = false;
      return;
    }
    if (!state.workflow) this.#workflow = this.#layout = null;
    this.#state = state;
    this.#draw(history.items, talk);
    this.emit("recollect-state", { state });
  }

  #draw(history, talk) {
    const state = this.#state;
    this.#dirty = false;
    this.show(
      h("header", {}, h("h1", {}, t("state")), h("p", { class: "quiet cut" }, `${talk.title ?? t("conversation")} · ${t("version", { version: state.version })}`)),
      h("div", { class: "columns" },
        h("div", { class: "stack" }, this.#stepCard(), this.#draftCard()),
        h("div", { class: "stack" }, this.#pictureCard(), this.#historyCard(history))));
  }

  #label(name) {
    const step = this.#workflow?.steps.find((one) => one.name === name);
    return step?.title ? said(step.title) : readable(name ?? "");
  }

  #stepCard() {
    const state = this.#state;
    if (!this.#workflow) return h("section", { class: "card quiet" }, t("noWorkflow"));
    const step = this.#workflow.steps.find((one) => one.name === state.step);
    const closed = (step?.moves ?? []).filter((move) => !state.moves.includes(move.to));
    return h("section", { class: "card stack", "aria-labelledby": "step" },
      h("div", {}, h("h2", { class: "small quiet", id: "step" }, t("step")),
        h("p", { class: "row wrap" }, h("span", { class: "now" }, this.#label(state.step)), state.status ? h("span", { class: "chip accent" }, readable(state.status)) : null),
        step?.description ? h("p", { class: "quiet" }, said(step.description)) : null),
      h("p", { class: "row wrap" }, state.missing.length
        ? [h("span", { class: "small quiet" }, t("missing")), ...state.missing.map((name) => h("span", { class: "chip warn" }, readable(name.split(".").pop())))]
        : h("span", { class: "chip accent" }, icon("check", 14), t("complete"))),
      state.actions.length ? h("div", {}, h("h3", { class: "small quiet" }, t("actions")), h("div", { class: "row wrap" }, ...state.actions.map((name) => h("button", { type: "button", class: "first", onclick: () => this.#act(name) }, icon("send", 16), readable(name))))) : null,
      h("div", { class: "stack" }, h("h3", { class: "small quiet" }, t("moves")),
        step?.moves?.length
          ? h("ul", { class: "plain steps" }, ...state.moves.map((name) => h("li", {}, h("button", { type: "button", onclick: () => this.#move(name) }, this.#label(name)))),
            ...closed.map((move) => h("li", {}, h("button", { type: "button", disabled: true }, this.#label(move.to)), move.needs?.length ? h("span", { class: "hint" }, t("needs", { fields: move.needs.filter((name) => state.missing.includes(name) || !has(state.draft, name)).map((name) => readable(name.split(".").pop())).join(", ") })) : null)))
          : h("p", { class: "quiet" }, t("noMoves"))));
  }

  #draftCard() {
    const state = this.#state;
    const schema = this.#workflow?.draft ?? { type: "object" };
    const notice = h("div", { class: "notice warn row wrap", role: "status", hidden: true }, h("span", { class: "grow" }, t("changedMeanwhile")), h("button", { type: "button", onclick: () => this.#read().catch((error) => this.mention(error)) }, t("reload")));
    const trouble = h("p", { class: "notice bad", role: "alert", hidden: true });
    const save = h("button", { type: "submit", class: "first", disabled: true }, icon("check", 16), t("save"));
    const parts = fields(schema, state.draft, state.missing, () => ((this.#dirty = true), (this.#typed += 1), (save.disabled = false)));
    this.#form = { notice, trouble, save, parts };
    return h("form", {
      class: "card stack",
      "aria-labelledby": "draft",
      onsubmit: (event) => (event.preventDefault(), this.#save()),
    }, h("h2", { id: "draft" }, t("draft")), notice, parts.node, trouble, h("div", { class: "row" }, save));
  }

  #pictureCard() {
    if (!this.#layout) return "";
    const workflow = this.#workflow;
    const labels = { ...this.#layout, boxes: this.#layout.boxes.map((box) => ({ ...box, label: this.#label(box.name) })), arrows: this.#layout.arrows.map((arrow) => ({ ...arrow, edge: { ...arrow.edge, label: arrow.edge.label && readable(arrow.edge.label) } })) };
    const picture = diagram(labels, {
      title: said(workflow.title) ?? workflow.name, start: workflow.start, step: this.#state.step, moves: this.#state.moves,
      ends: workflow.steps.filter((one) => !one.moves?.length).map((one) => one.name), choose: (name) => this.#move(name), label: (step) => t("moveTo", { step }),
    });
    return h("section", { class: "card stack", "aria-labelledby": "workflow" }, h("h2", { id: "workflow" }, said(workflow.title) ?? t("workflow")), h("div", { class: "picture", tabindex: "0" }, picture), h("p", { class: "hint" }, t("guarded")));
  }

  #historyCard(items) {
    const text = (one) => {
      if (one.refused) return t("refused", { why: said(one.refused) });
      if (one.change === "undo") return t("wentBack");
      if (one.fromStep !== one.toStep) return t(one.change === "action" ? "action" : "move", { from: this.#label(one.fromStep), to: this.#label(one.toStep) });
      return `${t("update")}: ${Object.values(one.patch ?? {}).flatMap((value) => (value && typeof value === "object" ? Object.keys(value) : [])).map(readable).join(", ") || Object.keys(one.patch ?? {}).map(readable).join(", ")}`;
    };
    return h("section", { class: "card stack", "aria-labelledby": "history" },
      h("div", { class: "row" }, h("h2", { class: "grow", id: "history" }, t("history")),
        this.#state.version > 0 ? h("button", { type: "button", class: "plain", onclick: () => this.#undo() }, icon("undo", 16), t("undo")) : null),
      items.length ? h("ol", { class: "plain history" }, ...items.map((one) => h("li", {},
        h("div", { class: one.refused ? "bad" : null }, text(one)),
        h("div", { class: "small quiet" }, h("time", { datetime: one.at, title: moment(one.at) }, lately(one.at)), ` · ${t("by", { who: t(one.cause.kind) })} · ${t("version", { version: one.version })}`)))) : h("p", { class: "quiet" }, t("noHistory")));
  }

  /** Send what the form says; whether it was stored. What is wrong stands below the form. */
  async #store() {
    const { trouble, notice, save, parts } = this.#form;
    const typed = this.#typed;
    trouble.hidden = true;
    save.disabled = true;
    try {
      const changes = patch(this.#state.draft, parts.value());
      const name = this.#workflow?.draft_name ?? "draft";
      this.#state = await this.api.patch(path`/api/conversations/${this.#id}/state`, { [name]: changes }, { version: this.#state.version });
      this.#dirty = typed !== this.#typed;
      save.disabled = !this.#dirty;
      return true;
    } catch (error) {
      this.told(error);
      save.disabled = false;
      if (error.kind === "conflict") notice.hidden = false;
      else {
        trouble.textContent = explained(error);
        trouble.hidden = false;
      }
      return false;
    }
  }

  async #save() {
    const typed = this.#typed;
    if (!(await this.#store())) return;
    await this.#read(this.signal, typed).catch((error) => this.mention(error));
    const { toast } = await import("../dialogs.js");
    toast(t("saved"), { lasts: 2_500 });
  }

  #move(step) {
    return this.#onward(() => this.api.post(path`/api/conversations/${this.#id}/state/move`, { step }, { version: this.#state.version }));
  }

  async #act(action) {
    const { confirmed, toast } = await import("../dialogs.js");
    if (!(await confirmed(t("actTitle", { action: readable(action) }), t("actText"), { action: t("act") }))) return;
    const done = await this.#onward(() => this.api.post(path`/api/conversations/${this.#id}/state/act`, { action }, { key: uuid(), version: this.#state.version }));
    if (done) toast(t("done", { action: readable(action) }));
  }

  async #undo() {
    const { confirmed, toast } = await import("../dialogs.js");
    if (this.#dirty && !(await confirmed(t("undo"), t("unsaved"), { action: t("undo"), danger: true }))) return;
    if (await this.#doing(() => this.api.post(path`/api/conversations/${this.#id}/state/undo`))) toast(t("undone"), { lasts: 2_500 });
  }

  /** What goes on from the draft, goes on from what the form says. */
  async #onward(act) {
    const typed = this.#typed;
    const stores = this.#dirty;
    if (stores && !(await this.#store())) return false;
    const done = await this.#doing(act, typed);
    if (stores && !done) await this.#read(this.signal, typed).catch(() => {});
    return done;
  }

  async #doing(act, typed = this.#typed) {
    try {
      await act();
      await this.#read(this.signal, typed);
      return true;
    } catch (error) {
      await this.mention(error);
      if (error.kind === "conflict") await this.#read(this.signal, typed).catch(() => {});
      return false;
    }
  }

  async #changedElsewhere() {
    if (this.signal.aborted || !this.#state) return;
    try {
      const now = await this.api.get(path`/api/conversations/${this.#id}/state`, {}, { signal: this.signal });
      if (now.version === this.#state.version && now.workflow === this.#state.workflow) return;
      if (this.#dirty) this.#form.notice.hidden = false;
      else await this.#read();
    } catch {
      // The next change, or the next minute, will tell.
    }
  }
}

function has(draft, name) {
  const value = name.split(".").reduce((inner, part) => inner?.[part], draft);
  return value !== undefined && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0);
}

define("recollect-state", RecollectState);
