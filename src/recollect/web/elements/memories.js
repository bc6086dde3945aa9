// <recollect-memories>: what is remembered about a user. Look through, search, filter, add, correct, forget.

import { path, uuid } from "../api.js";
import { bones, css, debounced, define, empty, h, icon, problem, RecollectElement, settle } from "../element.js";
import { day, learned, said, words } from "../words.js";
import { Forgetting } from "./forgetting.js";
import { editor } from "./memory_editor.js";
import { memoryRow } from "./memory_row.js";

const PAGE = 100;
/** As many as the server gives at once. */
const MOST = 1000;

const t = words({
  en: {
    memories: "Memories", add: "Add", merge: "Merge now", search: "Search memories", category: "Category", all: "All", importance: "Importance",
    any: "Any", high: "High (0.7 and more)", middle: "Middle (0.4 and more)", status: "Status", active: "In use", quarantined: "Waiting for review", retired: "Retired",
    none: "Nothing is remembered yet", noneText: "What you tell an agent is learned after ten messages, or when you fall silent. You can also add a memory yourself.",
    learn: "Learn now", learnedNow: { one: "{count} memory learned", other: "{count} memories learned" }, nothingLearned: "There was nothing to learn from what was said",
    nothing: "Nothing found", nothingText: "No memory fits these filters.", clear: "Clear the filters", more: "Show more", cancel: "Cancel", forget: "Forget",
    select: "Select", selected: { one: "{count} selected", other: "{count} selected" },
    selectAll: "Select all shown", forgetSelected: "Forget selected", forgetTitle: { one: "Forget {count} memory?", other: "Forget {count} memories?" },
    forgetText: "They are deleted with their versions, and are not learned again until somebody adds them.", forgotten: { one: "Forgotten", other: "{count} forgotten" },
    saved: "Saved", merged: { one: "{count} memory merged into others", other: "{count} memories merged into others" }, nothingMerged: "Nothing to merge",
    shown: { one: "{count} memory", other: "{count} memories" }, shownMore: "{count} shown, more below", reviewing: { one: "{count} memory waits for your review.", other: "{count} memories wait for your review." }, review: "Review",
  },
  es: {
    memories: "Recuerdos", add: "Añadir", merge: "Fusionar ahora", search: "Buscar en los recuerdos", category: "Categoría", all: "Todas", importance: "Importancia",
    any: "Cualquiera", high: "Alta (0,7 o más)", middle: "Media (0,4 o más)", status: "Estado", active: "En uso", quarantined: "Por revisar", retired: "Retirados",
    none: "Todavía no se recuerda nada", noneText: "Lo que cuentas a un agente se aprende tras diez mensajes, o cuando callas. También puedes añadir un recuerdo.",
    learn: "Aprender ahora", learnedNow: { one: "{count} recuerdo aprendido", other: "{count} recuerdos aprendidos" }, nothingLearned: "No había nada que aprender de lo dicho",
    nothing: "Sin resultados", nothingText: "Ningún recuerdo cumple estos filtros.", clear: "Quitar los filtros", more: "Mostrar más", cancel: "Cancelar", forget: "Olvidar",
    select: "Seleccionar", selected: { one: "{count} seleccionado", other: "{count} seleccionados" },
    selectAll: "Seleccionar lo mostrado", forgetSelected: "Olvidar la selección", forgetTitle: { one: "¿Olvidar {count} recuerdo?", other: "¿Olvidar {count} recuerdos?" },
    forgetText: "Se eliminan con sus versiones y no se vuelven a aprender hasta que alguien los añada.", forgotten: { one: "Olvidado", other: "{count} olvidados" },
    saved: "Guardado", merged: { one: "{count} recuerdo fusionado", other: "{count} recuerdos fusionados" }, nothingMerged: "No hay nada que fusionar",
    shown: { one: "{count} recuerdo", other: "{count} recuerdos" }, shownMore: "{count} mostrados, hay más abajo", reviewing: { one: "{count} recuerdo espera tu revisión.", other: "{count} recuerdos esperan tu revisión." }, review: "Revisar",
  },
});

const style = css`
  header { display: grid; gap: .9rem; margin-bottom: 1rem; }
  .filters { display: grid; grid-template-columns: minmax(12rem, 2fr) repeat(3, minmax(8rem, 1fr)); gap: .6rem; align-items: end; }
  .search { position: relative; }
  .search .icon { position: absolute; inset-inline-start: .65rem; bottom: .6rem; color: var(--quiet); pointer-events: none; }
  .search input { padding-inline-start: 2.1rem; }
  .bulk { position: sticky; top: 0; z-index: 5; padding: .5rem .75rem; border-radius: var(--radius); background: var(--accent-soft); margin-bottom: .75rem; }
  h2.day { position: sticky; top: 0; background: var(--ground); padding: .7rem .2rem .35rem; font-size: .88rem; color: var(--quiet); z-index: 2; }
  ol { display: grid; gap: .5rem; }
  /* Thousands of rows: those out of sight are not laid out. */
  li { display: flex; gap: .6rem; align-items: flex-start; padding: .65rem .5rem .65rem .9rem; content-visibility: auto; contain-intrinsic-size: auto 4.2rem; }
  li.card { padding-block: .65rem; padding-inline: .9rem .4rem; }
  li:focus-within, li.open { content-visibility: visible; }
  li.waits { border-color: var(--warn); }
  li.retired .text { color: var(--quiet); }
  .text { overflow-wrap: anywhere; }
  .about { display: flex; flex-wrap: wrap; gap: .35rem .5rem; align-items: center; margin-top: .25rem; font-size: .82rem; color: var(--quiet); }
  .about .chip { white-space: normal; overflow-wrap: anywhere; }
  .about button { display: inline-block; text-align: start; min-height: 0; padding: 0; border: 0; background: none; color: var(--quiet); font: inherit; text-decoration: underline dotted; text-underline-offset: 3px; max-width: 18rem; }
  .about button:hover { color: var(--accent); }
  li form { display: grid; gap: .5rem; }
  li input[type="checkbox"] { margin: .35rem 0 0; width: 1.05rem; height: 1.05rem; flex: none; }
  .narrow { width: 8rem; }
  .waiting { margin-bottom: .75rem; } .waiting .grow { flex: 1 1 10rem; }
  .more { display: block; margin: 1rem auto; }
  @media (max-width: 900px) { .filters { grid-template-columns: 1fr 1fr; } .search, .filters > :last-child { grid-column: 1 / -1; } }
  @media (max-width: 760px) { .tools { width: 100%; flex-wrap: wrap; } .tools button { flex: 1 0 auto; } }
`;

const EVERYTHING = { text: "", category: "", least: 0, status: "active" };

class RecollectMemories extends RecollectElement {
  static styles = [style];
  #items = [];
  #cursor = null;
  #filters = { ...EVERYTHING };
  #chosen = null;
  #editing = null;
  #leaving = new Forgetting({
    done: (ids) => {
      this.#items = this.#items.filter((one) => !ids.includes(one.id));
      this.emit("recollect-memory", { ids, change: "forgotten" });
    },
    failed: (error) => this.mention(error),
    changed: () => this.signal && !this.signal.aborted && this.#draw(),
  });
  #parts = {};
  #asked = 0;
  #reading = false;
  /** Whether the work that is due is being done: the screen may be drawn anew meanwhile. */
  #learning = false;
  #mayLearn = false;
  #watch = null;
  /** The rows and the days that are drawn, so that only what has changed is drawn again. */
  #rows = new Map();
  #days = new Map();
  #categories = [];
  #again = debounced(() => this.signal && !this.signal.aborted && this.refresh(), 400);

  async start(signal) {
    this.#items = [];
    this.#cursor = null;
    this.#editing = null;
    this.#chosen = null;
    this.#rows.clear();
    this.#days.clear();
    await learned();
    this.#frame();
    signal.addEventListener("abort", () => (this.#watch?.disconnect(), this.#leaving.now()), { once: true });
    window.addEventListener("pagehide", () => this.#leaving.now(), { signal });
    this.#watch = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && this.#more(), { rootMargin: "600px" });
    this.listen((event) => /^memory\.|^poll$/.test(event.event) && this.#again());
    await this.refresh();
  }

  #frame() {
    const filters = this.#filters;
    const text = h("input", { type: "search", value: filters.text, maxlength: "200", oninput: debounced(() => ((filters.text = text.value.trim()), this.#look())) });
    const select = (name, options, chosen, act) => h("label", { class: "field" }, t(name), h("select", { onchange: (event) => (act(event.target.value), this.#look()) }, ...options.map(([value, label]) => h("option", { value, selected: value === chosen }, label))));
    const category = select("category", [["", t("all")]], filters.category, (value) => (filters.category = value));
    this.#parts = {
      count: h("span", { class: "quiet", role: "status", "aria-live": "polite" }),
      category: category.querySelector("select"),
      list: h("div", {}, bones(8)),
      bulk: h("div", {}),
      waiting: h("div", {}),
      select: h("button", { type: "button", "aria-pressed": "false", onclick: () => this.#choosing(this.#chosen === null) }, icon("check", 16), t("select")),
    };
    this.show(h("section", { "aria-label": t("memories") },
      h("header", {},
        h("div", { class: "row wrap" }, h("h1", {}, t("memories")), h("div", { class: "grow" }, this.#parts.count),
          h("div", { class: "row tools" }, this.#parts.select,
            h("button", { type: "button", onclick: (event) => this.#merge(event.currentTarget) }, icon("merge", 16), t("merge")),
            h("button", { type: "button", class: "first", onclick: () => this.#add() }, icon("plus", 16), t("add")))),
        h("div", { class: "filters", role: "search" },
          h("label", { class: "field search" }, t("search"), icon("search", 16), text),
          category,
          select("importance", [["0", t("any")], ["0.4", t("middle")], ["0.7", t("high")]], String(filters.least), (value) => (filters.least = Number(value))),
          select("status", ["active", "quarantined", "retired"].map((name) => [name, t(name)]), filters.status, (value) => (filters.status = value)))),
      this.#parts.waiting,
      this.#parts.bulk,
      this.#parts.list));
    this.#counts();
  }

  /** Which categories are in use, to choose from, and how many wait for somebody to look at them. */
  async #counts() {
    const { category, waiting } = this.#parts;
    try {
      const { memoriesByDay } = await this.api.get("/api/analytics", { user: this.user, agent: this.agent, days: 366 }, { signal: this.signal });
      this.#categories = [...new Set(memoriesByDay.map((one) => one.category).filter(Boolean))].sort();
      const chosen = category.value || this.#filters.category;
      category.replaceChildren(...["", ...this.#categories].map((name) => h("option", { value: name, selected: name === chosen }, said(name) || t("all"))));
      const count = memoriesByDay.filter((one) => one.status === "quarantined").reduce((sum, one) => sum + one.count, 0);
      waiting.replaceChildren(count && this.#filters.status !== "quarantined" ? h("div", { class: "notice warn row wrap waiting" }, icon("flag", 16), h("span", { class: "grow" }, t("reviewing", { count })), h("button", { type: "button", onclick: () => this.#review() }, t("review"))) : "");
    } catch {
      // Without counts there is nothing to choose from, and everything else works.
    }
  }

  #review() {
    this.#filters = { ...EVERYTHING, status: "quarantined" };
    this.restart();
  }

  #path(one = null) {
    return one === null ? path`/api/agents/${this.agent}/memories` : path`/api/agents/${this.agent}/memories/${one.id}`;
  }

  /** Read the list again, as far as it was read. */
  async refresh() {
    const asked = ++this.#asked;
    const { signal } = this;
    this.#reading = true;
    try {
      const least = Math.max(PAGE, this.#items.length);
      const items = [];
      let cursor;
      do {
        const page = await this.#page(Math.min(least - items.length, MOST), cursor);
        if (asked !== this.#asked || signal.aborted) return;
        items.push(...page.items);
        cursor = page.cursor;
      } while (cursor && items.length < least);
      this.#items = items;
      this.#cursor = cursor;
      this.#reading = false;
      this.#draw();
    } catch (error) {
      if (signal.aborted || asked !== this.#asked) return;
      this.#reading = false;
      this.#parts.list.replaceChildren(problem(error, () => this.refresh()));
      this.told(error);
    }
  }

  /** Begin again at the top, with other filters. */
  async #look() {
    this.#items = [];
    this.#rows.clear();
    this.#counts();
    await this.refresh();
  }

  #page(limit, cursor) {
    const { text, category, least, status } = this.#filters;
    return this.api.get(this.#path(), { user: this.user, text, category, minImportance: least || null, status, limit, cursor }, { signal: this.signal });
  }

  async #more() {
    if (!this.#cursor || this.#reading) return;
    const cursor = this.#cursor;
    const asked = this.#asked;
    this.#cursor = null;
    try {
      const page = await this.#page(PAGE, cursor);
      if (asked !== this.#asked) return;
      this.#items.push(...page.items);
      this.#cursor = page.cursor;
      this.#draw();
    } catch (error) {
      this.#cursor ??= cursor;
      this.mention(error);
    }
  }

  get #shown() {
    return this.#items.filter((one) => !this.#leaving.has(one.id));
  }

  #draw() {
    const shown = this.#shown;
    const { list, count } = this.#parts;
    count.textContent = shown.length === 0 ? "" : t(this.#cursor ? "shownMore" : "shown", { count: shown.length });
    this.#drawBulk();
    this.#watch.disconnect();
    if (shown.length === 0 && !this.#cursor) return list.replaceChildren(this.#nothing());
    const days = new Map();
    for (const one of shown) {
      const name = day(one.createdAt);
      if (!days.has(name)) days.set(name, []);
      days.get(name).push(this.#row(one));
    }
    const sections = [...days].map(([name, rows]) => {
      if (!this.#days.has(name)) this.#days.set(name, h("section", { "aria-label": name }, h("h2", { class: "day" }, name), h("ol", { class: "plain" })));
      const section = this.#days.get(name);
      settle(section.lastElementChild, rows);
      return section;
    });
    const end = h("div", {}, this.#cursor ? h("button", { type: "button", class: "more", onclick: () => this.#more() }, t("more")) : null);
    settle(list, [...sections, end]);
    if (this.#cursor) this.#watch.observe(end);
  }

  #nothing() {
    const { text, category, least, status } = this.#filters;
    return text || category || least || status !== "active"
      ? empty("search", t("nothing"), t("nothingText"), h("button", { type: "button", onclick: () => this.#clear() }, t("clear")))
      : empty("memories", t("none"), t("noneText"), h("div", { class: "row wrap" }, this.#learnButton(), h("button", { type: "button", class: "first", onclick: () => this.#add() }, icon("plus", 16), t("add"))));
  }

  /** Shown to who may let the work of the whole tenant be done. */
  #learnButton() {
    const button = h("button", { type: "button", hidden: !this.#mayLearn, disabled: this.#learning, onclick: () => this.#learn() }, icon("retry", 16), t("learn"));
    this.api.get("/api/whoami", {}, { signal: this.signal }).then((who) => {
      this.#mayLearn = who.user == null && who.scopes.includes("admin");
      button.hidden = !this.#mayLearn;
    }, () => {});
    return button;
  }

  async #learn() {
    const { signal } = this;
    this.#learning = true;
    this.#draw();
    const { toast } = await import("../dialogs.js");
    try {
      await this.api.post("/api/admin/digest", { everything: true });
      this.#learning = false;
      if (signal.aborted) return; // nobody looks any more
      this.#counts();
      await this.refresh();
      const count = this.#items.length;
      toast(count ? t("learnedNow", { count }) : t("nothingLearned"));
    } catch (error) {
      this.#learning = false;
      this.#draw();
      this.mention(error);
    }
  }

  /** The row of a memory: the one that is there, unless something in it has changed. Who is editing it goes on. */
  #row(one) {
    const made = `${one.version} ${one.status} ${this.#chosen !== null}`;
    const known = this.#rows.get(one.id);
    if (known && (known.made === made || this.#editing === one.id)) {
      if (this.#chosen !== null && this.#editing !== one.id) known.row.firstElementChild.checked = this.#chosen.has(one.id);
      return known.row;
    }
    const row = memoryRow(one, this.#chosen, this.#acts);
    this.#rows.set(one.id, { made, row });
    return row;
  }

  /** Show a memory again that was edited. */
  #shut(id) {
    this.#editing = null;
    this.#rows.delete(id);
    this.#draw();
    this.#rows.get(id)?.row.querySelector(".icon-only")?.focus();
  }

  #replace(one) {
    this.#items = this.#items.map((old) => (old.id === one.id ? one : old));
  }

  /** What can be done with a row. */
  #acts = {
    choose: (id, on) => this.#choose(id, on),
    edit: (row, one) => this.#edit(row, one),
    pin: (one) => this.#put(one, { pinned: !one.pinned }),
    release: (one) => this.#change(one, "release"),
    forget: (one) => this.#forget([one]),
    open: (given) => this.emit("recollect-open", { screen: "chat", with: given }),
    expire: async (one) => {
      const { expiry } = await import("./memory_dialogs.js");
      const expiresAt = await expiry(one);
      if (expiresAt !== undefined) await this.#put(one, { expiresAt });
    },
    history: async (one) => {
      try {
        const { history } = await import("./memory_dialogs.js");
        history(one, await this.api.get(`${this.#path(one)}/versions`, { user: this.user }), (to) => this.#change(one, "undo", { to }));
      } catch (error) {
        this.mention(error);
      }
    },
  };

  #edit(row, one) {
    if (this.#editing !== null) this.#shut(this.#editing);
    this.#editing = one.id;
    row.classList.add("open");
    row.replaceChildren(editor(one, this.#categories, {
      shut: () => this.#shut(one.id),
      again: () => this.api.get(this.#path(one), { user: this.user }),
      tell: (error) => this.told(error),
      save: async (change, version) => {
        this.#replace(await this.api.put(this.#path(one), change, { version, query: { user: this.user } }));
        this.#shut(one.id);
        this.emit("recollect-memory", { id: one.id, change: "revised" });
        this.#counts();
      },
    }));
    row.querySelector("textarea").focus();
  }

  async #add() {
    const [{ add }, { toast }] = await Promise.all([import("./memory_dialogs.js"), import("../dialogs.js")]);
    const templates = await this.api.get("/api/templates").catch(() => []);
    const given = await add(templates, this.#categories, ({ template, ...memory }) =>
      this.api.post(template ? `${this.#path()}/from-template` : this.#path(), template ? { template, ...memory } : memory, { query: { user: this.user }, key: uuid() }));
    if (given === null) return;
    this.emit("recollect-memory", { change: "added" });
    this.#counts();
    await this.refresh();
    toast(t("saved"), { lasts: 2_500 });
  }

  async #put(one, change) {
    try {
      this.#replace(await this.api.put(this.#path(one), change, { version: one.version, query: { user: this.user } }));
      this.#draw();
      this.emit("recollect-memory", { id: one.id, change: "revised" });
    } catch (error) {
      await this.mention(error);
      this.refresh();
    }
  }

  async #change(one, verb, body = {}) {
    try {
      await this.api.post(`${this.#path(one)}/${verb}`, body, { query: { user: this.user } });
      this.emit("recollect-memory", { id: one.id, change: verb });
      this.#counts();
      await this.refresh();
      return true;
    } catch (error) {
      await this.mention(error);
      return false;
    }
  }

  async #merge(button) {
    button.disabled = true;
    const { toast } = await import("../dialogs.js");
    try {
      const done = await this.api.post(`${this.#path()}/summarize`, {}, { query: { user: this.user } });
      await this.refresh();
      const count = done.merged + done.retired;
      toast(count ? t("merged", { count }) : t("nothingMerged"));
    } catch (error) {
      this.mention(error);
    } finally {
      button.disabled = false;
    }
  }

  #choosing(on) {
    this.#chosen = on ? new Set() : null;
    this.#parts.select.setAttribute("aria-pressed", String(on));
    this.#draw();
  }

  #choose(id, on) {
    if (on) this.#chosen.add(id);
    else this.#chosen.delete(id);
    this.#drawBulk();
  }

  #drawBulk() {
    const { bulk } = this.#parts;
    if (this.#chosen === null) return bulk.replaceChildren();
    const chosen = () => this.#shown.filter((one) => this.#chosen.has(one.id));
    bulk.replaceChildren(h("div", { class: "bulk row wrap" },
      h("span", { class: "grow", role: "status" }, t("selected", { count: chosen().length })),
      h("button", { type: "button", onclick: () => ((this.#chosen = new Set(this.#shown.map((one) => one.id))), this.#draw()) }, t("selectAll")),
      h("button", { type: "button", class: "danger", disabled: chosen().length === 0, onclick: () => this.#forget(chosen(), true) }, icon("trash", 16), t("forgetSelected")),
      h("button", { type: "button", onclick: () => this.#choosing(false) }, t("cancel"))));
  }

  async #forget(items, asks = false) {
    const { confirmed, toast } = await import("../dialogs.js");
    if (asks && !(await confirmed(t("forgetTitle", { count: items.length }), t("forgetText"), { action: t("forget"), danger: true }))) return;
    const ids = items.map((one) => one.id);
    const { agent, user, api } = this;
    this.#leaving.add(ids, { agent, user, api });
    if (asks) this.#choosing(false);
    this.#draw();
    const kept = await toast(t("forgotten", { count: items.length }), { undo: () => {} });
    if (kept) this.#leaving.keep(ids);
    else await this.#leaving.now(ids);
  }

  #clear() {
    this.#filters = { ...EVERYTHING };
    this.restart();
  }
}

define("recollect-memories", RecollectMemories);
