// <recollect-admin>: how an agent is set up, keys, how long messages are kept, and a user's data. For administrators.

import { path } from "../api.js";
import { bones, css, define, h, icon, RecollectElement } from "../element.js";
import { lately, learned, moment, number, said, words } from "../words.js";
import { agentForm } from "./agent_form.js";
import { keysTable, newKey, renewed, revoked } from "./keys.js";

const DAY = 1440;

const t = words({
  en: {
    admin: "Administration", agent: "Agent {agent}",
    saved: "Saved",
    keys: "Keys", newKey: "New key",
    retention: "How long messages are kept", retentionText: "Older messages go with the next clean-up; memories learned from them stay.", days: "Days", forever: "for ever", noRule: "no rule", installation: "This installation", tenant: "Everybody here", ofAgent: "Agent {agent}", rule: "Rule", setRule: "Set", daysHint: "0 is for ever; empty takes the rule away.", lasts: { one: "{count} day", other: "{count} days" }, minutes: { one: "{count} minute", other: "{count} minutes" }, applies: "For",
    userData: "A user’s data", user: "User", export: "Export", erase: "Erase…", eraseTitle: "Erase {user}?", eraseText: "All conversations, messages, memories and notes of this user go, for good. Type the user’s name to go on.", eraseName: "The user’s name", eraseWrong: "This is not the name of the user.", erased: { one: "Erased: {count} entry", other: "Erased: {count} entries" }, receipts: "Receipts of erasures", noReceipts: "Nobody was erased yet.", when: "When", by: "By", removed: "Removed", receipt: "Receipt", nothingRemoved: "nothing",
  },
  es: {
    admin: "Administración", agent: "Agente {agent}",
    saved: "Guardado",
    keys: "Claves", newKey: "Nueva clave",
    retention: "Cuánto se guardan los mensajes", retentionText: "Los mensajes más antiguos se van con la próxima limpieza; los recuerdos aprendidos se quedan.", days: "Días", forever: "para siempre", noRule: "sin regla", installation: "Esta instalación", tenant: "Todos aquí", ofAgent: "Agente {agent}", rule: "Regla", setRule: "Fijar", daysHint: "0 es para siempre; vacío quita la regla.", lasts: { one: "{count} día", other: "{count} días" }, minutes: { one: "{count} minuto", other: "{count} minutos" }, applies: "Para",
    userData: "Los datos de un usuario", user: "Usuario", export: "Exportar", erase: "Borrar…", eraseTitle: "¿Borrar a {user}?", eraseText: "Se van para siempre todas las conversaciones, mensajes, recuerdos y notas de este usuario. Escribe su nombre para continuar.", eraseName: "El nombre del usuario", eraseWrong: "Este no es el nombre del usuario.", erased: { one: "Borrado: {count} entrada", other: "Borrado: {count} entradas" }, receipts: "Recibos de borrados", noReceipts: "Todavía no se ha borrado a nadie.", when: "Cuándo", by: "Por", removed: "Eliminado", receipt: "Recibo", nothingRemoved: "nada",
  },
});

const style = css`
  header { margin-bottom: 1rem; }
  .all { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem; }
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
  #parts = {};

  async start(signal) {
    this.show(bones(12));
    await learned();
    const who = await this.api.get("/api/whoami", {}, { signal });
    const cards = h("div", { class: "all" });
    if (who.scopes.includes("admin")) cards.append(...(await this.#cards(who, signal)));
    this.show(h("section", { "aria-label": t("admin") }, h("header", {}, h("h1", {}, t("admin"))), cards));
    if (who.operator) cards.append(await this.#tenants(who.tenant));
  }

  /** What concerns the tenant of whoever is signed in. */
  async #cards(who, signal) {
    const [agent, workflows, keys, retention, receipts] = await Promise.all([
      this.api.get(path`/api/agents/${this.agent}`, {}, { signal }),
      this.api.get("/api/workflows", {}, { signal }),
      this.api.get("/api/admin/keys", {}, { signal }),
      this.api.get("/api/retention", {}, { signal }),
      this.api.get("/api/receipts", {}, { signal }),
    ]);
    this.#parts = { keys: h("div", {}), retention: h("div", {}), receipts: h("div", {}) };
    this.#drawKeys(keys);
    this.#drawRetention(retention);
    this.#drawReceipts(receipts);
    return [this.#agentCard(agent, workflows), this.#keysCard(who.operator), this.#retentionCard(), this.#personCard(), this.#receiptsCard()];
  }

  /** Whoever runs the installation also looks after its tenants. */
  async #tenants(own) {
    await import("./tenants.js");
    const tenants = h("recollect-tenants", { base: this.base || null, own });
    if (this.token) tenants.token = this.token;
    return tenants;
  }

  #card(name, title, ...content) {
    return h("section", { class: "card stack", "aria-labelledby": name }, h("h2", { id: name }, title), ...content);
  }

  #agentCard(agent, workflows) {
    const save = async (change, version) => {
      const saved = await this.api.put(path`/api/agents/${this.agent}`, change, { version });
      this.emit("recollect-agent", { agent: this.agent, version: saved.version });
      this.#toast(t("saved"));
      return saved;
    };
    const again = () => this.api.get(path`/api/agents/${this.agent}`);
    return this.#card("agent", t("agent", { agent: this.agent }), agentForm(agent, workflows, { save, again, tell: (error) => this.told(error) }));
  }

  #keysCard(operator) {
    return h("section", { class: "card stack", "aria-labelledby": "keys" },
      h("div", { class: "row" }, h("h2", { id: "keys", class: "grow" }, t("keys")), h("button", { type: "button", onclick: () => this.#newKey(operator) }, icon("plus", 16), t("newKey"))),
      this.#parts.keys);
  }

  #drawKeys(keys) {
    this.#parts.keys.replaceChildren(keysTable(keys, {
      renew: (key, name) => this.#doing(async () => (await renewed(name, () => this.api.post(path`/api/admin/keys/${key.id}/rotate`))) && this.#readKeys()),
      revoke: (key, name) => this.#doing(async () => (await revoked(name, () => this.api.delete(path`/api/admin/keys/${key.id}`))) && this.#readKeys()),
    }));
  }

  async #readKeys() {
    this.#drawKeys(await this.api.get("/api/admin/keys", {}, { signal: this.signal }));
  }

  async #newKey(operator) {
    const keys = await this.api.get("/api/admin/keys").catch(() => []);
    const first = keys.every((one) => one.revokedAt);
    if (await newKey(t("newKey"), (order) => this.api.post("/api/admin/keys", order), { first, operator })) await this.#doing(() => this.#readKeys());
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
    const said = (minutes) => (minutes === null ? t("noRule") : minutes === "forever" ? t("forever") : minutes % DAY === 0 ? t("lasts", { count: minutes / DAY }) : t("minutes", { count: minutes }));
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
