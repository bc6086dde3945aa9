// <recollect-conversations>: a user's conversations with an agent. Search, rename, archive, delete, begin.

import { path } from "../api.js";
import { bones, css, debounced, define, empty, h, icon, iconButton, menu, problem, RecollectElement, settle } from "../element.js";
import { lately, moment, words } from "../words.js";

const t = words({
  en: {
    conversations: "Conversations", new: "New conversation", search: "Search what was said", untitled: "Untitled conversation",
    none: "No conversations yet", noneText: "Say something, and it is kept here.", noArchived: "Nothing is archived", nothing: "Nothing found",
    nothingText: "No message has these words.", more: "Show more", archived: "Archived", current: "Current", options: "Options of {title}",
    rename: "Rename", archive: "Archive", restore: "Take out of the archive", delete: "Delete", title: "Title",
    deleteTitle: "Delete this conversation?", deleteText: "“{title}” goes with all its messages, for good. Memories learned from it stay.",
    wasArchived: "Archived “{title}”", messages: { one: "{count} message", other: "{count} messages" },
  },
  es: {
    conversations: "Conversaciones", new: "Nueva conversación", search: "Buscar en lo dicho", untitled: "Conversación sin título",
    none: "Todavía no hay conversaciones", noneText: "Di algo y se guardará aquí.", noArchived: "No hay nada archivado", nothing: "Sin resultados",
    nothingText: "Ningún mensaje tiene esas palabras.", more: "Mostrar más", archived: "Archivadas", current: "Actuales", options: "Opciones de {title}",
    rename: "Cambiar el nombre", archive: "Archivar", restore: "Sacar del archivo", delete: "Eliminar", title: "Título",
    deleteTitle: "¿Eliminar esta conversación?", deleteText: "«{title}» se va con todos sus mensajes, para siempre. Los recuerdos aprendidos se quedan.",
    wasArchived: "«{title}» archivada", messages: { one: "{count} mensaje", other: "{count} mensajes" },
  },
});

const style = css`
  :host { height: 100%; }
  .box { display: grid; grid-template: auto auto minmax(0, 1fr) / minmax(0, 1fr); height: 100%; }
  header { display: flex; align-items: center; gap: .25rem; padding: .9rem .75rem .5rem 1rem; }
  .search { position: relative; padding: 0 .75rem .6rem; }
  .search .icon { position: absolute; inset-inline-start: 1.4rem; top: .6rem; color: var(--quiet); pointer-events: none; }
  .search input { padding-inline-start: 2.1rem; }
  .list { overflow-y: auto; padding: 0 .5rem 1rem; }
  li { display: flex; align-items: center; border-radius: var(--radius); position: relative; }
  li:hover { background: var(--soft); }
  li.here { background: var(--accent-soft); }
  li > button { flex: 1; min-width: 0; display: grid; gap: 0; justify-content: stretch; text-align: start; border: 0; background: none; padding: .45rem .3rem .45rem .6rem; font-weight: 500; }
  li.here > button { color: var(--accent); font-weight: 600; }
  li > button .small { font-weight: 400; }
  li .menu { opacity: 0; }
  li:hover .menu, li:focus-within .menu, li.here .menu { opacity: 1; }
  @media (hover: none) { li .menu { opacity: 1; } }
  .hit { white-space: normal; }
  .hit .text { display: -webkit-box; -webkit-line-clamp: 3; -webkit-box-orient: vertical; overflow: hidden; overflow-wrap: anywhere; font-weight: 400; }
  .more { width: 100%; margin-top: .5rem; }
`;

class RecollectConversations extends RecollectElement {
  static styles = [style];
  #archived = false;
  #selected = null;
  #items = [];
  #loaded = false;
  #cursor = null;
  #words = "";
  #list = null;
  #rows = new Map();
  #refreshSoon = debounced(() => this.signal && !this.signal.aborted && this.refresh(), 250);

  /** The id of the conversation that is open. */
  get selected() {
    return this.#selected;
  }

  set selected(id) {
    this.#selected = id;
    this.#draw();
  }

  /** Mark a conversation as the open one, and show it if it is new. */
  open(conversation) {
    const known = this.#items.find((one) => one.id === conversation.id);
    if (known) Object.assign(known, conversation);
    else if (conversation.agent === this.agent && !conversation.archivedAt && !this.#archived) this.#items.unshift(conversation);
    this.selected = conversation.id;
  }

  async start(signal) {
    this.#items = [];
    this.#rows.clear();
    this.#loaded = false;
    this.#words = "";
    const input = h("input", { type: "search", placeholder: t("search"), "aria-label": t("search"), maxlength: "200", oninput: debounced(() => this.#search(input.value)) });
    const archived = iconButton("archive", t("archived"), () => {
      this.#archived = !this.#archived;
      this.#words = input.value = "";
      archived.setAttribute("aria-pressed", String(this.#archived));
      this.#list.replaceChildren(bones());
      this.refresh();
    }, { "aria-pressed": String(this.#archived) });
    this.#list = h("div", { class: "list" }, bones());
    this.show(h("section", { class: "box", "aria-label": t("conversations") },
      h("header", {}, h("h2", { class: "grow" }, t("conversations")), archived, iconButton("plus", t("new"), () => this.emit("recollect-new"))),
      h("div", { class: "search", role: "search" }, icon("search", 16), input),
      this.#list));
    await this.refresh();
    if (!signal.aborted) this.listen((event) => /^(conversation|messages?)\.|^poll$/.test(event.event) && this.#refreshSoon());
  }

  /** Read the list again. */
  async refresh() {
    if (!this.#list || this.#words) return;
    const { signal } = this;
    const archived = this.#archived;
    try {
      const limit = Math.max(30, this.#items.length);
      const page = await this.api.get("/api/conversations", { user: this.user, agent: this.agent, archived, limit: Math.min(limit, 1000) }, { signal });
      if (archived !== this.#archived) return;
      const open = this.#items.find((one) => one.id === this.#selected && !page.items.some((other) => other.id === one.id));
      this.#items = open && !this.#archived && !this.#loaded ? [open, ...page.items] : page.items;
      this.#loaded = true;
      this.#cursor = page.cursor;
      if (!this.#words) this.#draw();
    } catch (error) {
      if (!signal.aborted && archived === this.#archived) this.#list.replaceChildren(problem(error, () => this.refresh())), this.told(error);
    }
  }

  #draw() {
    if (!this.#list || this.#words) return;
    if (this.#items.length === 0) {
      return this.#list.replaceChildren(this.#archived ? empty("archive", t("noArchived")) : empty("chat", t("none"), t("noneText")));
    }
    const top = this.#list.scrollTop;
    const rows = this.#list.querySelector(":scope > ul") ?? h("ul", { class: "plain" });
    settle(rows, this.#items.map((one) => this.#row(one)));
    settle(this.#list, [rows, ...(this.#cursor ? [h("button", { type: "button", class: "more", onclick: () => this.#more() }, t("more"))] : [])]);
    this.#list.scrollTop = top;
  }

  /** The row of a conversation: made once and kept up to date, so that nobody loses the menu that they have opened. */
  #row(one) {
    if (!this.#rows.has(one.id)) this.#rows.set(one.id, this.#newRow());
    const row = this.#rows.get(one.id);
    const here = one.id === this.#selected;
    const name = one.title ?? t(one.messageCount ? "untitled" : "new");
    row.one = one;
    row.node.classList.toggle("here", here);
    if (here) row.open.setAttribute("aria-current", "true");
    else row.open.removeAttribute("aria-current");
    row.title.textContent = name;
    row.about.textContent = `${lately(one.updatedAt)} · ${t("messages", { count: one.messageCount })}`;
    row.about.title = moment(one.updatedAt);
    for (const attribute of ["aria-label", "title"]) row.options.setAttribute(attribute, t("options", { title: name }));
    return row.node;
  }

  #newRow() {
    const title = h("span", { class: "cut" });
    const about = h("span", { class: "cut small quiet" });
    const open = h("button", { type: "button", onclick: () => this.emit("recollect-select", { id: row.one.id }) }, title, about);
    const entries = menu("", () => [
      ["edit", t("rename"), () => this.#rename(row.one)],
      row.one.archivedAt ? ["undo", t("restore"), () => this.#archive(row.one, false)] : ["archive", t("archive"), () => this.#archive(row.one, true)],
      ["trash", t("delete"), () => this.#delete(row.one), true],
    ]);
    const row = { one: null, title, about, open, options: entries.firstElementChild, node: h("li", {}, open, entries) };
    return row;
  }

  async #more() {
    const archived = this.#archived;
    try {
      const page = await this.api.get("/api/conversations", { user: this.user, agent: this.agent, archived, limit: 50, cursor: this.#cursor }, { signal: this.signal });
      if (archived !== this.#archived) return;
      this.#items.push(...page.items.filter((one) => !this.#items.some((known) => known.id === one.id)));
      this.#cursor = page.cursor;
      this.#draw();
    } catch (error) {
      this.mention(error);
    }
  }

  async #rename(one) {
    const { asked } = await import("../dialogs.js");
    const title = await asked(t("rename"), { label: t("title"), value: one.title ?? "", action: t("rename"), maxlength: "200" });
    if (title !== null) await this.#change(one, { title: title.trim() || null });
  }

  async #archive(one, archived) {
    if (!(await this.#change(one, { archived })) || !archived) return;
    this.emit("recollect-removed", { id: one.id });
    const { toast } = await import("../dialogs.js");
    toast(t("wasArchived", { title: one.title ?? t("untitled") }), { undo: () => this.#change(one, { archived: false }) });
  }

  async #delete(one) {
    const { confirmed } = await import("../dialogs.js");
    const title = one.title ?? t("untitled");
    if (!(await confirmed(t("deleteTitle"), t("deleteText", { title }), { action: t("delete"), danger: true }))) return;
    try {
      await this.api.delete(path`/api/conversations/${one.id}`);
      this.emit("recollect-removed", { id: one.id });
      await this.refresh();
    } catch (error) {
      this.mention(error);
    }
  }

  async #change(one, change) {
    try {
      await this.api.patch(path`/api/conversations/${one.id}`, change);
      this.emit("recollect-renamed", { id: one.id, ...change });
      await this.refresh();
      return true;
    } catch (error) {
      this.mention(error);
      return false;
    }
  }

  async #search(text) {
    this.#words = text.trim();
    if (!this.#words) return this.refresh();
    const words = this.#words;
    try {
      const hits = await this.api.get("/api/search", { query: words, user: this.user, agent: this.agent, limit: 30 }, { signal: this.signal });
      if (words !== this.#words) return;
      const titled = this.#items.filter((one) => one.title?.toLocaleLowerCase().includes(words.toLocaleLowerCase()));
      if (hits.length + titled.length === 0) return this.#list.replaceChildren(empty("search", t("nothing"), t("nothingText")));
      this.#list.replaceChildren(h("ul", { class: "plain" }, ...titled.map((one) => this.#row(one)), ...hits.map((hit) => this.#hit(hit))));
    } catch (error) {
      this.mention(error);
    }
  }

  #hit({ message, text, at }) {
    const chosen = () => this.emit("recollect-select", { id: message.conversationId, message: message.seq });
    return h("li", {}, h("button", { type: "button", class: "hit", onclick: chosen },
      h("span", { class: "text" }, text),
      h("span", { class: "small quiet" }, lately(at))));
  }
}

define("recollect-conversations", RecollectConversations);
