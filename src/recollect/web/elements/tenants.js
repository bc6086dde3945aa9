// <recollect-tenants>: the tenants of an installation, for whoever runs it. List, make, give a first key, delete.

import { path } from "../api.js";
import { bones, css, define, h, icon, iconButton, RecollectElement } from "../element.js";
import { learned, moment, number, words } from "../words.js";
import { newKey } from "./keys.js";

const PAGE = 50;

const t = words({
  en: {
    tenants: "Tenants", about: "Customers of this installation. Nobody of one sees anything of another.", new: "New tenant", name: "Name", made: "Made", keys: "Keys", more: "Show more", own: "this one",
    newHint: "It becomes part of what is stored and cannot be changed later.", make: "Make the tenant", key: "New key for {tenant}", firstKey: "A key for {tenant}", delete: "Delete {tenant}", deleteAction: "Delete", deleteTitle: "Delete {tenant}?",
    deleteText: "Everything of this tenant goes, for good: users, conversations, memories, notes, keys. Type its name to go on.", deleteName: "The tenant’s name", deleteWrong: "This is not the name of the tenant.", deleted: "Deleted: {tenant}", none: "There are no tenants.",
  },
  es: {
    tenants: "Clientes", about: "Los clientes de esta instalación. Nadie de uno ve nada de otro.", new: "Nuevo cliente", name: "Nombre", made: "Creado", keys: "Claves", more: "Mostrar más", own: "este",
    newHint: "Forma parte de lo que se guarda y no se puede cambiar después.", make: "Crear el cliente", key: "Nueva clave para {tenant}", firstKey: "Una clave para {tenant}", delete: "Eliminar {tenant}", deleteAction: "Eliminar", deleteTitle: "¿Eliminar {tenant}?",
    deleteText: "Se va para siempre todo lo de este cliente: usuarios, conversaciones, recuerdos, notas, claves. Escribe su nombre para continuar.", deleteName: "El nombre del cliente", deleteWrong: "Este no es el nombre del cliente.", deleted: "Eliminado: {tenant}", none: "No hay clientes.",
  },
});

const style = css`
  td { overflow-wrap: anywhere; }
  td.actions { text-align: end; white-space: nowrap; width: 1%; }
  td.actions button { min-height: 2rem; }
`;

class RecollectTenants extends RecollectElement {
  static observedAttributes = ["base", "own"];
  static styles = [style];
  #items = [];
  #cursor = null;
  #list = null;

  async start() {
    this.#list = h("div", {}, bones(3));
    this.show(h("section", { class: "card stack", "aria-labelledby": "tenants" },
      h("div", { class: "row" }, h("h2", { id: "tenants", class: "grow" }, t("tenants")), h("button", { type: "button", onclick: () => this.#make() }, icon("plus", 16), t("new"))),
      h("p", { class: "quiet" }, t("about")),
      this.#list));
    await learned();
    await this.#read();
  }

  async #read(cursor = null) {
    const page = await this.api.get("/api/tenants", { limit: PAGE, cursor }, { signal: this.signal });
    this.#items = cursor ? [...this.#items, ...page.items] : page.items;
    this.#cursor = page.cursor ?? null;
    this.#draw();
  }

  #draw() {
    this.#list.replaceChildren(
      this.#items.length === 0 ? h("p", { class: "quiet" }, t("none")) : h("div", { class: "scroll", tabindex: "0", role: "region", "aria-labelledby": "tenants" }, h("table", {},
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("name")), h("th", { scope: "col" }, t("made")), h("th", { scope: "col" }, t("keys")), h("td", {}))),
        h("tbody", {}, ...this.#items.map((one) => this.#row(one))))),
      this.#cursor ? h("button", { type: "button", onclick: () => this.#doing(() => this.#read(this.#cursor)) }, t("more")) : "");
  }

  #row({ tenant, createdAt, keys }) {
    const own = tenant === this.getAttribute("own");
    return h("tr", { "data-tenant": tenant },
      h("td", {}, tenant, " ", own ? h("span", { class: "chip accent" }, t("own")) : null),
      h("td", {}, createdAt ? h("time", { datetime: createdAt }, moment(createdAt)) : "–"),
      h("td", { class: "number" }, number(keys ?? 0)),
      h("td", { class: "actions" },
        iconButton("key", t("key", { tenant }), () => this.#key(tenant, t("key", { tenant }))),
        // Whoever deleted their own would lock themselves out.
        own ? null : iconButton("trash", t("delete", { tenant }), () => this.#delete(tenant), { class: "plain icon-only danger" })));
  }

  async #make() {
    const { ask } = await import("../dialogs.js");
    let made = null;
    await ask({
      title: t("new"),
      action: t("make"),
      content: [h("label", { class: "field" }, t("name"), h("input", { name: "tenant", required: true, maxlength: "200", autocomplete: "off", spellcheck: "false" }), h("span", { class: "hint" }, t("newHint")))],
      check: async (values) => (made = await this.api.post("/api/tenants", { tenant: values.tenant.trim() })),
    });
    if (made === null) return;
    await this.#doing(() => this.#read());
    // Nobody can use it without a key.
    await this.#key(made.tenant, t("firstKey", { tenant: made.tenant }), true);
  }

  async #key(tenant, title, first = false) {
    await this.#doing(async () => {
      if (await newKey(title, (order) => this.api.post(path`/api/tenants/${tenant}/keys`, order), { first, warn: false })) await this.#read();
    });
  }

  async #delete(tenant) {
    const { ask, toast } = await import("../dialogs.js");
    const given = await ask({
      title: t("deleteTitle", { tenant }),
      action: t("deleteAction"),
      danger: true,
      content: [h("p", { class: "notice bad" }, t("deleteText")), h("label", { class: "field" }, t("deleteName"), h("input", { name: "typed", required: true, autocomplete: "off", spellcheck: "false" }))],
      check: async ({ typed }) => {
        if (typed !== tenant) throw new Error(t("deleteWrong"));
        await this.api.ask("DELETE", path`/api/tenants/${tenant}`, { body: { confirm: typed } });
      },
    });
    if (given === null) return;
    toast(t("deleted", { tenant }));
    this.emit("recollect-tenant-deleted", { tenant });
    await this.#doing(() => this.#read());
  }

  async #doing(act) {
    try {
      await act();
    } catch (error) {
      this.mention(error);
    }
  }
}

define("recollect-tenants", RecollectTenants);
