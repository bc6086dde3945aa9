// <recollect-admin>: how an agent is set up, keys, how long messages are kept, and a user's data. For administrators.

import { path } from "../api.js";
import { bones, css, define, h, icon, iconButton, RecollectElement } from "../element.js";
import { explained, lately, learned, moment, number, said, words } from "../words.js";

const DAY = 1440;

const t = words({
  en: {
    admin: "Administration", agent: "Agent {agent}", instructions: "Instructions", instructionsHint: "What the agent is told first. {long_term_memory_notes} and {state} say where notes and state go.",
    window: "Messages in the prompt", budget: "Tokens of a prompt at most", pool: "Pool of memories", poolHint: "Agents with the same pool share their memories.", learnEvery: "Messages before it learns", learnHint: "0 is never.", workflow: "Workflow", noWorkflow: "None", save: "Save", saved: "Saved", version: "Version {version}", defaults: "Never set up: these are the defaults",
    changed: "Somebody changed it in the meantime. Your values are still here; save again to put them in place of theirs.", keys: "Keys", noKeys: "There are no keys. On this machine nobody has to sign in until the first one is made.", newKey: "New key", name: "Name", scopes: "It may", read: "read", write: "write", adminScope: "administer", userOf: "Only for the user", everybody: "everybody", expires: "Expires on",
    firstKey: "After the first key, everybody has to sign in with one. Make one that may administer first.", make: "Make the key", madeTitle: "The new key", madeText: "It is shown now and never again. Copy it and keep it safe.", copy: "Copy", copied: "Copied", used: "Last used", neverUsed: "never", ends: "Ends", rotate: "Renew", rotateTitle: "Renew “{name}”?", rotateText: "It gets a new secret; the old one ends at once.", revoke: "Revoke", revokeTitle: "Revoke “{name}”?", revokeText: "Whoever uses it is shut out at once, for good.",
    revoked: "revoked", showRevoked: { one: "Show {count} revoked key", other: "Show {count} revoked keys" }, unnamed: "without a name", retention: "How long messages are kept", retentionText: "Older messages go with the next clean-up; memories learned from them stay.", days: "Days", forever: "for ever", noRule: "no rule", installation: "This installation", tenant: "Everybody here", ofAgent: "Agent {agent}", rule: "Rule", setRule: "Set", daysHint: "0 is for ever; empty takes the rule away.", lasts: { one: "{count} day", other: "{count} days" }, minutes: { one: "{count} minute", other: "{count} minutes" }, applies: "For",
    userData: "A user’s data", user: "User", export: "Export", erase: "Erase…", eraseTitle: "Erase {user}?", eraseText: "All conversations, messages, memories and notes of this user go, for good. Type the user’s name to go on.", eraseName: "The user’s name", eraseWrong: "This is not the name of the user.", erased: { one: "Erased: {count} entry", other: "Erased: {count} entries" }, receipts: "Receipts of erasures", noReceipts: "Nobody was erased yet.", when: "When", by: "By", removed: "Removed", receipt: "Receipt", nothingRemoved: "nothing",
  },
  es: {
    admin: "Administración", agent: "Agente {agent}", instructions: "Instrucciones", instructionsHint: "Lo primero que se dice al agente. {long_term_memory_notes} y {state} indican dónde van las notas y el estado.",
    window: "Mensajes en el prompt", budget: "Tokens de un prompt como mucho", pool: "Grupo de recuerdos", poolHint: "Los agentes con el mismo grupo comparten sus recuerdos.", learnEvery: "Mensajes antes de aprender", learnHint: "0 es nunca.", workflow: "Flujo de trabajo", noWorkflow: "Ninguno", save: "Guardar", saved: "Guardado", version: "Versión {version}", defaults: "Sin configurar: estos son los valores por defecto",
    changed: "Alguien lo cambió mientras tanto. Tus valores siguen aquí; guarda otra vez para ponerlos en lugar de los suyos.", keys: "Claves", noKeys: "No hay claves. En esta máquina nadie tiene que iniciar sesión hasta que se cree la primera.", newKey: "Nueva clave", name: "Nombre", scopes: "Puede", read: "leer", write: "escribir", adminScope: "administrar", userOf: "Solo para el usuario", everybody: "todos", expires: "Caduca el",
    firstKey: "Tras la primera clave, todos tienen que iniciar sesión con una. Crea antes una que pueda administrar.", make: "Crear la clave", madeTitle: "La nueva clave", madeText: "Se muestra ahora y nunca más. Cópiala y guárdala bien.", copy: "Copiar", copied: "Copiado", used: "Último uso", neverUsed: "nunca", ends: "Caduca", rotate: "Renovar", rotateTitle: "¿Renovar «{name}»?", rotateText: "Recibe un secreto nuevo; el anterior deja de valer enseguida.", revoke: "Revocar", revokeTitle: "¿Revocar «{name}»?", revokeText: "Quien la use queda fuera enseguida, para siempre.",
    revoked: "revocada", showRevoked: { one: "Mostrar {count} clave revocada", other: "Mostrar {count} claves revocadas" }, unnamed: "sin nombre", retention: "Cuánto se guardan los mensajes", retentionText: "Los mensajes más antiguos se van con la próxima limpieza; los recuerdos aprendidos se quedan.", days: "Días", forever: "para siempre", noRule: "sin regla", installation: "Esta instalación", tenant: "Todos aquí", ofAgent: "Agente {agent}", rule: "Regla", setRule: "Fijar", daysHint: "0 es para siempre; vacío quita la regla.", lasts: { one: "{count} día", other: "{count} días" }, minutes: { one: "{count} minuto", other: "{count} minutos" }, applies: "Para",
    userData: "Los datos de un usuario", user: "Usuario", export: "Exportar", erase: "Borrar…", eraseTitle: "¿Borrar a {user}?", eraseText: "Se van para siempre todas las conversaciones, mensajes, recuerdos y notas de este usuario. Escribe su nombre para continuar.", eraseName: "El nombre del usuario", eraseWrong: "Este no es el nombre del usuario.", erased: { one: "Borrado: {count} entrada", other: "Borrado: {count} entradas" }, receipts: "Recibos de borrados", noReceipts: "Todavía no se ha borrado a nadie.", when: "Cuándo", by: "Por", removed: "Eliminado", receipt: "Recibo", nothingRemoved: "nada",
  },
});

const style = css`
  header { margin-bottom: 1rem; }
  .all { display: grid; gap: 1rem; }
  .fields { display: grid; gap: .8rem 1rem; grid-template-columns: repeat(auto-fit, minmax(min(17rem, 100%), 1fr)); align-items: start; }
  .fields .whole { grid-column: 1 / -1; }
  td .chip + .chip { margin-inline-start: .25rem; }
  td { overflow-wrap: break-word; }
  td.actions { text-align: end; white-space: nowrap; width: 1%; }
  td.actions button { min-height: 2rem; }
  tr.revoked td { color: var(--quiet); }
  .line { display: grid; grid-template-columns: minmax(8rem, 1fr) minmax(6rem, 10rem) auto; gap: .6rem; align-items: end; }
  .person { display: flex; flex-wrap: wrap; gap: .6rem; align-items: end; }
  .person .field { flex: 1 1 14rem; }
  ul.counts { display: flex; flex-wrap: wrap; gap: .25rem; list-style: none; }
  @media (max-width: 600px) { .line { grid-template-columns: 1fr 1fr; } }
`;

class RecollectAdmin extends RecollectElement {
  static styles = [style];
  #agent = null;
  #revoked = false;
  #parts = {};

  async start(signal) {
    this.show(bones(12));
    await learned();
    const [agent, workflows, keys, retention, receipts] = await Promise.all([
      this.api.get(path`/api/agents/${this.agent}`, {}, { signal }),
      this.api.get("/api/workflows", {}, { signal }),
      this.api.get("/api/admin/keys", {}, { signal }),
      this.api.get("/api/retention", {}, { signal }),
      this.api.get("/api/receipts", {}, { signal }),
    ]);
    this.#agent = agent;
    this.#parts = { keys: h("div", {}), retention: h("div", {}), receipts: h("div", {}) };
    this.show(h("section", { "aria-label": t("admin") },
      h("header", {}, h("h1", {}, t("admin"))),
      h("div", { class: "all" }, this.#agentCard(workflows), this.#keysCard(), this.#retentionCard(retention), this.#personCard(), this.#receiptsCard())));
    this.#drawKeys(keys);
    this.#drawRetention(retention);
    this.#drawReceipts(receipts);
  }

  #card(name, title, ...content) {
    return h("section", { class: "card stack", "aria-labelledby": name }, h("h2", { id: name }, title), ...content);
  }

  #agentCard(workflows) {
    const about = h("p", { class: "hint" });
    const said = () => (about.textContent = this.#agent.version ? t("version", { version: this.#agent.version }) : t("defaults"));
    said();
    const field = (name, input, hint = null, whole = false) => h("label", { class: whole ? "field whole" : "field" }, t(name), input, hint ? h("span", { class: "hint" }, hint) : null);
    const amount = (name, least) => h("input", { type: "number", name, min: String(least), step: "1", required: true, value: this.#agent[name] });
    const trouble = h("p", { class: "notice bad", role: "alert", hidden: true });
    const save = h("button", { type: "submit", class: "first" }, icon("check", 16), t("save"));
    const form = h("form", {
      class: "stack",
      onsubmit: async (event) => {
        event.preventDefault();
        const given = Object.fromEntries(new FormData(form));
        const change = { instructions: given.instructions, window: Number(given.window), budget: Number(given.budget), pool: given.pool.trim(), learnEvery: Number(given.learnEvery), workflow: given.workflow };
        save.disabled = true;
        trouble.hidden = true;
        try {
          this.#agent = await this.api.put(path`/api/agents/${this.agent}`, change, { version: this.#agent.version });
          said();
          this.emit("recollect-agent", { agent: this.agent, version: this.#agent.version });
          this.#toast(t("saved"));
        } catch (error) {
          this.told(error);
          if (error.kind === "conflict") this.#agent = await this.api.get(path`/api/agents/${this.agent}`).catch(() => this.#agent);
          trouble.textContent = error.kind === "conflict" ? t("changed") : explained(error);
          trouble.hidden = false;
        } finally {
          save.disabled = false;
        }
      },
    }, h("div", { class: "fields" },
      field("instructions", h("textarea", { name: "instructions", rows: "5", value: this.#agent.instructions }), t("instructionsHint"), true),
      field("window", amount("window", 1)), field("budget", amount("budget", 0)), field("learnEvery", amount("learnEvery", 0), t("learnHint")),
      field("pool", h("input", { name: "pool", required: true, maxlength: "200", autocomplete: "off", value: this.#agent.pool }), t("poolHint")),
      field("workflow", h("select", { name: "workflow" }, h("option", { value: "" }, t("noWorkflow")), ...workflows.map((one) => h("option", { value: one.name, selected: one.name === this.#agent.workflow }, said(one.title) ?? one.name))))),
    trouble, h("div", { class: "row wrap" }, h("div", { class: "grow" }, about), save));
    return this.#card("agent", t("agent", { agent: this.agent }), form);
  }

  #keysCard() {
    return h("section", { class: "card stack", "aria-labelledby": "keys" },
      h("div", { class: "row" }, h("h2", { id: "keys", class: "grow" }, t("keys")), h("button", { type: "button", onclick: () => this.#newKey() }, icon("plus", 16), t("newKey"))),
      this.#parts.keys);
  }

  async #readKeys() {
    this.#drawKeys(await this.api.get("/api/admin/keys", {}, { signal: this.signal }));
  }

  #drawKeys(keys) {
    const gone = keys.filter((one) => one.revokedAt).length;
    const shown = keys.filter((one) => this.#revoked || !one.revokedAt);
    const cell = (moment_, never) => (moment_ ? h("time", { datetime: moment_, title: moment(moment_) }, lately(moment_)) : never);
    this.#parts.keys.replaceChildren(
      shown.length === 0 ? h("p", { class: "quiet" }, t("noKeys")) : h("div", { class: "scroll", tabindex: "0", role: "region", "aria-labelledby": "keys" }, h("table", {},
        h("thead", {}, h("tr", {}, ...["name", "scopes", "user", "used", "ends"].map((name) => h("th", { scope: "col" }, t(name))), h("td", {}))),
        h("tbody", {}, ...shown.map((one) => {
          const name = one.name || t("unnamed");
          return h("tr", { class: one.revokedAt ? "revoked" : null, "data-key": one.id },
            h("td", {}, name, h("div", { class: "small quiet mono" }, one.id)),
            h("td", {}, ...one.scopes.map((scope) => h("span", { class: "chip" }, t(scope === "admin" ? "adminScope" : scope)))),
            h("td", {}, one.user ?? h("span", { class: "quiet" }, t("everybody"))),
            h("td", {}, cell(one.lastUsedAt, t("neverUsed"))),
            h("td", {}, one.revokedAt ? h("span", { class: "chip bad" }, t("revoked")) : cell(one.expiresAt, "–")),
            h("td", { class: "actions" }, one.revokedAt ? null : [iconButton("retry", `${t("rotate")}: ${name}`, () => this.#rotate(one, name)), iconButton("trash", `${t("revoke")}: ${name}`, () => this.#revoke(one, name), { class: "plain icon-only danger" })]));
        })))),
      gone && !this.#revoked ? h("button", { type: "button", class: "plain", onclick: () => ((this.#revoked = true), this.#drawKeys(keys)) }, t("showRevoked", { count: gone })) : "");
  }

  async #newKey() {
    const { ask } = await import("../dialogs.js");
    const keys = await this.api.get("/api/admin/keys").catch(() => []);
    const first = keys.every((one) => one.revokedAt);
    const scope = (name, label, on) => h("label", { class: "row" }, h("input", { type: "checkbox", name: `scope.${name}`, checked: on }), label);
    let made = null;
    await ask({
      title: t("newKey"),
      action: t("make"),
      content: [
        ...(first ? [h("p", { class: "notice warn" }, t("firstKey"))] : []),
        h("label", { class: "field" }, t("name"), h("input", { name: "name", maxlength: "200", autocomplete: "off" })),
        h("div", { class: "row wrap", role: "group", "aria-label": t("scopes") }, h("span", { class: "small" }, t("scopes")), scope("read", t("read"), true), scope("write", t("write"), true), scope("admin", t("adminScope"), first)),
        h("label", { class: "field" }, t("userOf"), h("input", { name: "user", maxlength: "200", autocomplete: "off", placeholder: t("everybody") })),
        h("label", { class: "field" }, t("expires"), h("input", { type: "date", name: "expires", min: new Date(Date.now() + 86_400_000).toISOString().slice(0, 10) })),
      ],
      check: async (values) => {
        const scopes = ["read", "write", "admin"].filter((name) => `scope.${name}` in values);
        made = await this.api.post("/api/admin/keys", { name: values.name.trim(), scopes, user: values.user.trim() || null, expiresAt: values.expires ? `${values.expires}T00:00:00Z` : null });
      },
    });
    if (made === null) return;
    // First of all, what is never shown again.
    await this.#showKey(made);
    await this.#readKeys().catch((error) => this.mention(error));
  }

  async #showKey(made) {
    const { tell } = await import("../dialogs.js");
    const input = h("input", { readonly: true, class: "mono", value: made.text, "aria-label": t("madeTitle"), onfocus: () => input.select() });
    const copy = h("button", {
      type: "button",
      class: "first",
      onclick: async () => {
        try {
          await navigator.clipboard.writeText(made.text);
          copy.lastChild.textContent = t("copied");
        } catch {
          // A page without TLS has no clipboard; then it is selected, ready to be copied by hand.
          input.focus();
        }
      },
    }, icon("key", 16), h("span", {}, t("copy")));
    await tell({ title: t("madeTitle"), content: [h("p", { class: "notice warn" }, t("madeText")), h("div", { class: "row" }, h("div", { class: "grow" }, input), copy)] });
  }

  async #rotate(one, name) {
    const { confirmed } = await import("../dialogs.js");
    if (!(await confirmed(t("rotateTitle", { name }), t("rotateText"), { action: t("rotate"), danger: true }))) return;
    await this.#doing(async () => {
      await this.#showKey(await this.api.post(path`/api/admin/keys/${one.id}/rotate`));
      await this.#readKeys();
    });
  }

  async #revoke(one, name) {
    const { confirmed } = await import("../dialogs.js");
    if (!(await confirmed(t("revokeTitle", { name }), t("revokeText"), { action: t("revoke"), danger: true }))) return;
    await this.#doing(async () => {
      await this.api.delete(path`/api/admin/keys/${one.id}`);
      await this.#readKeys();
    });
  }

  #retentionCard() {
    const days = h("input", { name: "days", type: "number", min: "0", step: "any" });
    const whom = h("select", { name: "whom" }, h("option", { value: "" }, t("tenant")), h("option", { value: this.agent }, t("ofAgent", { agent: this.agent })));
    return this.#card("retention", t("retention"), h("p", { class: "quiet" }, t("retentionText")), this.#parts.retention, h("form", {
      class: "stack",
      onsubmit: (event) => {
        event.preventDefault();
        const minutes = days.value === "" ? null : Number(days.value) === 0 ? "forever" : Math.max(1, Math.round(Number(days.value) * DAY));
        this.#doing(async () => {
          this.#drawRetention(await this.api.put("/api/retention", { minutes, agent: whom.value || null }));
          this.#toast(t("saved"));
        });
      },
    }, h("div", { class: "line" }, h("label", { class: "field" }, t("applies"), whom), h("label", { class: "field" }, t("days"), days), h("button", { type: "submit" }, t("setRule"))), h("p", { class: "hint" }, t("daysHint"))));
  }

  #drawRetention({ installation, tenant, agents }) {
    const said = (minutes) => (minutes === null ? t("noRule") : minutes === 0 ? t("forever") : minutes % DAY === 0 ? t("lasts", { count: minutes / DAY }) : t("minutes", { count: minutes }));
    const rows = [[t("installation"), installation], [t("tenant"), tenant], ...Object.entries(agents).map(([agent, minutes]) => [t("ofAgent", { agent }), minutes])];
    this.#parts.retention.replaceChildren(h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("applies")), h("th", { scope: "col" }, t("rule")))),
      h("tbody", {}, ...rows.map(([name, minutes]) => h("tr", {}, h("td", {}, name), h("td", {}, said(minutes)))))));
  }

  #personCard() {
    const user = h("input", { value: this.user ?? "", maxlength: "200", required: true, autocomplete: "off" });
    return this.#card("person", t("userData"), h("form", { class: "person", onsubmit: (event) => (event.preventDefault(), this.#export(user.value)) },
      h("label", { class: "field" }, t("user"), user),
      h("button", { type: "submit" }, icon("download", 16), t("export")),
      h("button", { type: "button", class: "danger", onclick: () => user.reportValidity() && this.#erase(user.value) }, icon("trash", 16), t("erase"))));
  }

  #export(user) {
    return this.#doing(() => this.api.download(path`/api/users/${user}/export`, {}, `${user.replace(/[^\w.@-]+/g, "_")}.json`));
  }

  async #erase(user) {
    const { ask } = await import("../dialogs.js");
    let receipt = null;
    await ask({
      title: t("eraseTitle", { user }),
      action: t("erase").replace("…", ""),
      danger: true,
      content: [h("p", { class: "notice bad" }, t("eraseText")), h("label", { class: "field" }, t("eraseName"), h("input", { name: "typed", required: true, autocomplete: "off" }))],
      check: async ({ typed }) => {
        if (typed !== user) throw new Error(t("eraseWrong"));
        receipt = await this.api.delete(path`/api/users/${user}`);
      },
    });
    if (receipt === null) return;
    this.emit("recollect-erased", { user, receipt: receipt.id });
    this.#toast(t("erased", { count: Object.values(receipt.counts).reduce((sum, count) => sum + count, 0) }));
    await this.#doing(async () => this.#drawReceipts(await this.api.get("/api/receipts", {}, { signal: this.signal })));
  }

  #receiptsCard() {
    return this.#card("receipts", t("receipts"), this.#parts.receipts);
  }

  #drawReceipts(receipts) {
    this.#parts.receipts.replaceChildren(receipts.length === 0 ? h("p", { class: "quiet" }, t("noReceipts")) : h("div", { class: "scroll", tabindex: "0", role: "region", "aria-labelledby": "receipts" }, h("table", {},
      h("thead", {}, h("tr", {}, ...["when", "receipt", "by", "removed"].map((name) => h("th", { scope: "col" }, t(name))))),
      h("tbody", {}, ...receipts.slice(0, 50).map((one) => h("tr", {},
        h("td", {}, h("time", { datetime: one.at, title: moment(one.at) }, lately(one.at))),
        h("td", { class: "mono" }, one.id),
        h("td", {}, one.actor),
        h("td", {}, h("ul", { class: "counts" }, ...counted(one.counts)))))))));
  }

  async #toast(text) {
    const { toast } = await import("../dialogs.js");
    toast(text, { lasts: 3_000 });
  }

  async #doing(act) {
    try {
      await act();
    } catch (error) {
      this.mention(error);
    }
  }
}

function counted(counts) {
  const some = Object.entries(counts).filter(([, count]) => count);
  return some.length ? some.map(([name, count]) => h("li", { class: "chip" }, `${said(name.replaceAll("_", " "))} ${number(count)}`)) : [h("li", { class: "quiet" }, t("nothingRemoved"))];
}

define("recollect-admin", RecollectAdmin);
