// <recollect-notes>: the markdown document that an agent keeps about a user. Write, look at it, compare, go back.

import { bones, css, debounced, define, h, icon, RecollectElement } from "../element.js";
import { markdown } from "../markdown.js";
import { explained, lately, learned, moment, said, words } from "../words.js";

const PAGE = 20;

const t = words({
  en: {
    notes: "Notes", about: "What {agent} has written down about {user}. It is in every prompt.", text: "Notes in markdown", preview: "Preview", none: "Nothing is written down yet.",
    placeholder: "# Preferences\nPrefers short answers.", save: "Save", saved: "Saved", unsaved: "Not saved yet", version: "Version {version}", by: "by {who}", never: "Never written",
    undo: "Undo the last change", undone: "Taken back", versions: "Versions", compare: "Compare", older: "From", newer: "To", changes: "Changes", same: "Nothing is different.", back: "Go back to this",
    backTitle: "Go back to version {version}?", backText: "Its text becomes the newest version; nothing is lost.", more: "Show more", current: "current",
    added: "added", removed: "removed", empty: "the empty notes", conflict: "The notes were changed in the meantime", conflictText: "Your text is still here. Choose what to keep.", yours: "Your text", theirs: "What they say now",
    keepYours: "Save yours instead", takeTheirs: "Take what they say now", both: "Put both into the editor", leave: "There are changes that are not saved.",
  },
  es: {
    notes: "Notas", about: "Lo que {agent} ha anotado sobre {user}. Está en cada mensaje al modelo.", text: "Notas en markdown", preview: "Vista previa", none: "Todavía no hay nada anotado.",
    placeholder: "# Preferencias\nPrefiere respuestas breves.", save: "Guardar", saved: "Guardado", unsaved: "Sin guardar", version: "Versión {version}", by: "por {who}", never: "Nunca escritas",
    undo: "Deshacer el último cambio", undone: "Deshecho", versions: "Versiones", compare: "Comparar", older: "De", newer: "A", changes: "Cambios", same: "No hay diferencias.", back: "Volver a esta",
    backTitle: "¿Volver a la versión {version}?", backText: "Su texto pasa a ser la versión más nueva; no se pierde nada.", more: "Mostrar más", current: "actual",
    added: "añadido", removed: "quitado", empty: "las notas vacías", conflict: "Las notas se cambiaron mientras tanto", conflictText: "Tu texto sigue aquí. Elige con qué quedarte.", yours: "Tu texto", theirs: "Lo que dicen ahora",
    keepYours: "Guardar el tuyo", takeTheirs: "Quedarse con lo que dicen ahora", both: "Poner los dos en el editor", leave: "Hay cambios sin guardar.",
  },
});

const style = css`
  header { display: grid; gap: .2rem; margin-bottom: 1rem; }
  .columns { display: grid; gap: 1rem; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
  .columns > .card { display: flex; flex-direction: column; gap: .6rem; }
  .editor textarea { flex: 1; min-height: 18rem; font: .9rem/1.55 var(--mono); }
  .preview { overflow: auto; max-height: 38rem; }
  .below { display: grid; gap: 1rem; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); align-items: start; margin-top: 1rem; }
  .versions li { display: flex; flex-wrap: wrap; gap: .1rem .5rem; align-items: center; padding: .45rem 0; border-bottom: 1px solid var(--line); min-height: 3.2rem; }
  .versions li:last-child { border: 0; }
  .below .stack { grid-template-columns: minmax(0, 1fr); }
  .versions .grow { flex-basis: 11rem; }
  .versions button { font-size: .88rem; padding-inline: .5rem; color: var(--accent); min-height: 2rem; }
  .two { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: .6rem; }
  .diff { position: relative; font: .85rem/1.6 var(--mono); border: 1px solid var(--line); border-radius: var(--radius); overflow: auto; max-height: 26rem; }
  .diff > * { display: block; padding: 0 .7rem 0 1.6rem; text-indent: -1.1rem; white-space: pre-wrap; overflow-wrap: anywhere; text-decoration: none; }
  .diff ins { background: var(--accent-soft); color: var(--accent); }
  .diff del { background: var(--bad-soft); color: var(--bad); }
  .diff .where { background: var(--soft); color: var(--quiet); }
  .conflict { border-color: var(--warn); margin-bottom: 1rem; }
  .conflict pre { margin: 0; padding: .6rem .8rem; background: var(--soft); border-radius: var(--radius); white-space: pre-wrap; overflow-wrap: anywhere; max-height: 16rem; overflow: auto; font: .85rem/1.55 var(--mono); }
  @media (max-width: 900px) { .columns, .below, .conflict .sides { grid-template-columns: minmax(0, 1fr); } .editor textarea { min-height: 14rem; } }
  .sides { display: grid; gap: 1rem; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
`;

class RecollectNotes extends RecollectElement {
  static styles = [style];
  #notes = null;
  #versions = [];
  #cursor = null;
  #compared = null;
  #parts = {};
  #again = debounced(() => this.#changedElsewhere(), 250);
  #preview = debounced(() => this.#drawPreview(), 120);

  /** Whether there is something that was not saved. */
  get dirty() {
    return this.#notes !== null && this.#parts.text.value !== this.#notes.text;
  }

  async start(signal) {
    const kept = this.#kept();
    this.#notes = null;
    this.#compared = null;
    this.show(bones(10));
    await learned();
    const notes = await this.#read(signal);
    this.#frame();
    this.#set(notes);
    // Whoever changes the language, or only looks at the address again, has not thrown a text away.
    if (kept && kept.owner === this.#owner && kept.text !== notes.text) {
      this.#parts.text.value = kept.text;
      if (kept.version !== notes.version) this.#conflict(notes);
      else this.#drawAll();
    }
    window.addEventListener("beforeunload", (event) => this.dirty && event.preventDefault(), { signal });
    this.listen(({ event, data }) => (event === "poll" || (event === "notes.changed" && (data?.agent ?? this.agent) === this.agent)) && this.#again());
    await this.#readVersions();
  }

  get #owner() {
    return JSON.stringify([this.base, this.user, this.agent]);
  }

  #owned = null;

  #kept() {
    return this.dirty ? { text: this.#parts.text.value, version: this.#notes.version, owner: this.#owned } : null;
  }

  #read(signal = this.signal) {
    return this.api.get("/api/notes", { user: this.user, agent: this.agent }, { signal });
  }

  #frame() {
    this.#owned = this.#owner;
    const text = h("textarea", {
      "aria-labelledby": "editor", placeholder: t("placeholder"), spellcheck: "true",
      oninput: () => (this.#drawState(), this.#preview()),
      onkeydown: (event) => (event.ctrlKey || event.metaKey) && event.key === "s" && (event.preventDefault(), this.#save()),
    });
    this.#parts = {
      text,
      state: h("span", { class: "small quiet grow", role: "status" }),
      save: h("button", { type: "button", class: "first", onclick: () => this.#save() }, icon("check", 16), t("save")),
      undo: h("button", { type: "button", onclick: () => this.#goBack(null) }, icon("undo", 16), t("undo")),
      trouble: h("p", { class: "notice bad", role: "alert", hidden: true }),
      conflict: h("div", {}),
      preview: h("div", { class: "prose preview grow" }),
      versions: h("div", {}),
      diff: h("section", { class: "card stack", "aria-labelledby": "compare" }),
    };
    this.show(h("section", { "aria-label": t("notes") },
      h("header", {}, h("div", { class: "row wrap" }, h("h1", { class: "grow" }, t("notes")), this.#parts.undo), h("p", { class: "quiet" }, t("about", { agent: this.agent, user: this.user ?? "local" }))),
      this.#parts.conflict,
      h("div", { class: "columns" },
        h("div", { class: "card editor" }, h("h2", { id: "editor", class: "small quiet" }, t("text")), text, this.#parts.trouble, h("div", { class: "row" }, this.#parts.state, this.#parts.save)),
        h("section", { class: "card", "aria-labelledby": "preview" }, h("h2", { id: "preview", class: "small quiet" }, t("preview")), this.#parts.preview)),
      h("div", { class: "below" },
        h("section", { class: "card stack", "aria-labelledby": "versions" }, h("h2", { id: "versions" }, t("versions")), this.#parts.versions),
        this.#parts.diff)));
  }

  /** Show these notes in the editor, as they are stored. */
  #set(notes) {
    this.#notes = notes;
    this.#parts.text.value = notes.text;
    this.#parts.conflict.replaceChildren();
    this.#parts.trouble.hidden = true;
    this.#drawAll();
  }

  #drawAll() {
    this.#drawState();
    this.#drawPreview();
  }

  #drawState() {
    const { state, save, undo } = this.#parts;
    const { version, updatedAt } = this.#notes;
    save.disabled = !this.dirty;
    undo.disabled = version === 0;
    state.textContent = this.dirty ? t("unsaved") : version === 0 ? t("never") : `${t("version", { version })} · ${lately(updatedAt)}`;
  }

  #drawPreview() {
    const text = this.#parts.text.value;
    this.#parts.preview.replaceChildren(text.trim() ? markdown(text) : h("p", { class: "quiet" }, t("none")));
  }

  async #save(version = this.#notes.version) {
    if (!this.dirty) return;
    const { text, save, trouble } = this.#parts;
    const content = text.value;
    save.disabled = true;
    trouble.hidden = true;
    try {
      const body = content === "" ? { operation: "delete_all_notes" } : { operation: "overwrite", content };
      const notes = await this.api.post("/api/notes", { agent: this.agent, user: this.user, ...body }, { version });
      // What was typed meanwhile stays.
      const more = text.value;
      this.#set(notes);
      if (more !== content) (text.value = more), this.#drawAll();
      this.emit("recollect-notes", { version: notes.version });
      await this.#readVersions();
      const { toast } = await import("../dialogs.js");
      toast(t("saved"), { lasts: 2_500 });
    } catch (error) {
      save.disabled = false;
      this.told(error);
      if (error.kind === "conflict") return this.#conflict(await this.#read().catch(() => this.#notes));
      trouble.textContent = explained(error);
      trouble.hidden = false;
    }
  }

  /** Somebody else changed the notes while this person wrote: both texts, and a choice. */
  #conflict(now) {
    const { text, conflict } = this.#parts;
    conflict.replaceChildren(h("section", { class: "card stack conflict", role: "alert" },
      h("div", {}, h("h2", {}, t("conflict")), h("p", { class: "quiet" }, t("conflictText"))),
      h("div", { class: "sides" },
        h("div", { class: "stack" }, h("h3", {}, t("yours")), h("pre", { tabindex: "0" }, text.value)),
        h("div", { class: "stack" }, h("h3", {}, `${t("theirs")} (${t("version", { version: now.version })})`), h("pre", { tabindex: "0" }, now.text || t("none")))),
      h("div", { class: "row wrap" },
        h("button", { type: "button", class: "first", onclick: () => this.#save(now.version) }, t("keepYours")),
        h("button", { type: "button", onclick: () => (this.#set(now), this.#readVersions()) }, t("takeTheirs")),
        h("button", {
          type: "button",
          onclick: () => {
            const mine = text.value;
            this.#set(now);
            text.value = [now.text.trimEnd(), mine].filter(Boolean).join("\n\n");
            this.#drawAll();
            this.#readVersions();
            text.focus();
          },
        }, t("both")))));
  }

  async #changedElsewhere() {
    if (this.signal.aborted || !this.#notes) return;
    try {
      const now = await this.#read();
      if (now.version === this.#notes.version) return;
      if (this.dirty && now.text !== this.#parts.text.value) this.#conflict(now);
      else this.#set(now);
      await this.#readVersions();
    } catch {
      // The next change, or the next minute, will tell.
    }
  }

  async #readVersions(cursor = undefined) {
    try {
      const page = await this.api.get("/api/notes/versions", { user: this.user, agent: this.agent, limit: PAGE, cursor }, { signal: this.signal });
      this.#versions = cursor ? [...this.#versions, ...page.items] : page.items;
      this.#cursor = page.cursor;
      if (!cursor) this.#compared = null;
      this.#drawVersions();
    } catch (error) {
      this.mention(error);
    }
  }

  #drawVersions() {
    const { versions, diff } = this.#parts;
    if (this.#versions.length === 0) {
      versions.replaceChildren(h("p", { class: "quiet" }, t("never")));
      return diff.replaceChildren(h("h2", { id: "compare" }, t("changes")), h("p", { class: "quiet" }, t("never")));
    }
    versions.replaceChildren(
      h("ol", { class: "plain versions" }, ...this.#versions.map((one) => h("li", {},
        h("div", { class: "grow" },
          h("div", { class: "row" }, h("b", {}, t("version", { version: one.version })), one.version === this.#notes.version ? h("span", { class: "chip accent" }, t("current")) : null),
          h("div", { class: "small quiet" }, h("time", { datetime: one.createdAt, title: moment(one.createdAt) }, lately(one.createdAt)), ` · ${t("by", { who: one.actor })} · ${said(one.operation.replaceAll("_", " "))}`)),
        h("button", { type: "button", class: "plain", "aria-label": `${t("compare")}: ${t("version", { version: one.version })}`, onclick: () => this.#compare(one.version - 1, one.version) }, t("compare")),
        one.version === this.#notes.version ? null : h("button", { type: "button", class: "plain", "aria-label": `${t("back")}: ${t("version", { version: one.version })}`, onclick: () => this.#goBack(one.version) }, t("back"))))),
      this.#cursor ? h("button", { type: "button", onclick: () => this.#readVersions(this.#cursor) }, t("more")) : "");
    if (this.#compared === null) this.#compare(this.#versions[0].version - 1, this.#versions[0].version);
  }

  async #compare(from, to) {
    this.#compared = [from, to];
    const { diff } = this.#parts;
    const newest = this.#versions[0].version;
    const numbers = Array.from({ length: newest - this.#versions.at(-1).version + 2 }, (_, n) => newest - n);
    const select = (name, chosen, act) => h("label", { class: "field" }, t(name), h("select", { onchange: (event) => act(Number(event.target.value)) },
      ...numbers.map((version) => h("option", { value: version, selected: version === chosen }, version === 0 ? t("empty") : t("version", { version })))));
    try {
      const found = await this.api.get("/api/notes/diff", { user: this.user, agent: this.agent, old: from, new: to }, { signal: this.signal });
      if (this.#compared[0] !== from || this.#compared[1] !== to) return;
      diff.replaceChildren(
        h("h2", { id: "compare" }, t("changes")),
        h("div", { class: "two" }, select("older", from, (version) => this.#compare(version, to)), select("newer", to, (version) => this.#compare(from, version))),
        found.diff ? h("div", { class: "diff", tabindex: "0", role: "region", "aria-label": t("changes") }, ...lines(found.diff)) : h("p", { class: "quiet" }, t("same")));
    } catch (error) {
      this.mention(error);
    }
  }

  async #goBack(version) {
    const { confirmed, toast } = await import("../dialogs.js");
    if (version !== null && !(await confirmed(t("backTitle", { version }), t("backText"), { action: t("back") }))) return;
    if (this.dirty && !(await confirmed(t("undo"), t("leave"), { action: t("undo"), danger: true }))) return;
    try {
      this.#set(await this.api.post("/api/notes/undo", { agent: this.agent, user: this.user, version }));
      this.emit("recollect-notes", { version: this.#notes.version });
      await this.#readVersions();
      toast(t("undone"), { lasts: 2_500 });
    } catch (error) {
      this.mention(error);
    }
  }
}

/** The lines of a unified diff: coloured, marked, and named for whoever hears them. */
function lines(diff) {
  const marks = { "+": ["ins", "+ ", "added"], "-": ["del", "− ", "removed"] };
  // The first two only name the versions.
  return diff.split("\n").slice(2).map((line) => {
    if (line.startsWith("@@")) return h("span", { class: "where" }, line);
    const [tag, mark, name] = marks[line[0]] ?? ["span", "  ", null];
    return h(tag, {}, name ? h("span", { class: "unseen" }, `${t(name)}: `) : null, mark + line.slice(1));
  });
}

define("recollect-notes", RecollectNotes);
