// <recollect-chat>: one conversation. Goes on where the user and the agent were, on whatever device.

import { activate, begin, draftOf, keepDraft, path, Problem, resume, uuid } from "../api.js";
import { bones, css, debounced, define, empty, h, icon, iconButton, menu, RecollectElement, settle } from "../element.js";
import { markdown } from "../markdown.js";
import { day, explained, learned, moment, readable, time, words } from "../words.js";

const t = words({
  en: {
    untitled: "Untitled conversation", list: "Conversations", options: "Options of this conversation", write: "Write a message", send: "Send",
    hint: "Enter sends, Shift+Enter makes a new line", empty: "What is on your mind?", emptyText: "{agent} remembers what you say, in this conversation and the next ones.",
    you: "You", system: "Note", tool: "Tool", answering: "{agent} is answering", sending: "Sending…", notSent: "Not sent.", interrupted: "The reply was interrupted.",
    retry: "Try again", discard: "Discard", knew: "What I knew", older: "Show earlier messages", olderShown: { one: "{count} earlier message is shown", other: "{count} earlier messages are shown" }, export: "Save as {format}", rename: "Rename", left: "The page was left before it arrived.",
    newOnes: "New messages", usedTool: "Used {name}", gone: "This conversation is not there (any more).", messages: "Messages", startNew: "New conversation", state: "Step: {step}",
  },
  es: {
    untitled: "Conversación sin título", list: "Conversaciones", options: "Opciones de esta conversación", write: "Escribe un mensaje", send: "Enviar",
    hint: "Intro envía, Mayús+Intro hace una línea nueva", empty: "¿Qué tienes en mente?", emptyText: "{agent} recuerda lo que dices, en esta conversación y en las siguientes.",
    you: "Tú", system: "Nota", tool: "Herramienta", answering: "{agent} está respondiendo", sending: "Enviando…", notSent: "No enviado.", interrupted: "La respuesta se interrumpió.",
    retry: "Reintentar", discard: "Descartar", knew: "Lo que sabía", older: "Mostrar mensajes anteriores", olderShown: { one: "Se muestra {count} mensaje anterior", other: "Se muestran {count} mensajes anteriores" }, export: "Guardar como {format}", rename: "Cambiar el nombre", left: "Se dejó la página antes de que llegara.",
    newOnes: "Mensajes nuevos", usedTool: "Usó {name}", gone: "Esta conversación no está (o ya no).", messages: "Mensajes", startNew: "Nueva conversación", state: "Paso: {step}",
  },
});

const style = css`
  :host { height: 100%; container-type: inline-size; }
  .box { display: grid; grid-template: auto minmax(0, 1fr) auto / minmax(0, 1fr); height: 100%; background: var(--paper); }
  header { display: flex; align-items: center; gap: .5rem; padding: .6rem 1rem; border-bottom: 1px solid var(--line); min-height: 3.6rem; }
  .log { overflow-y: auto; padding: 1.25rem 1rem 1rem; overflow-anchor: auto; outline-offset: -3px; }
  .log > ol { grid-template-columns: minmax(0, 1fr); max-width: 46rem; margin: 0 auto; display: grid; gap: 1.1rem; }
  .blank:has(.middle) { display: grid; min-height: 100%; align-content: center; }
  .older { display: flex; justify-content: center; } .older button { margin-bottom: 1rem; }
  .day { display: flex; justify-content: center; }
  .message { display: grid; gap: .2rem; min-width: 0; }
  /* Thousands of messages: of what came later to the top, only what is in sight is laid out. */
  .early { content-visibility: auto; contain-intrinsic-size: auto 6rem; }
  .who { font-size: .82rem; color: var(--quiet); display: flex; gap: .5rem; align-items: baseline; }
  .who b { color: var(--ink); font-weight: 600; }
  .user { justify-items: end; }
  .user .prose { background: var(--accent-soft); padding: .55rem .85rem; border-radius: 16px 16px 4px 16px; max-width: min(85%, 38rem); min-width: 0; }
  .assistant .prose { max-width: 100%; min-width: 0; }
  .system .prose { font-size: .92rem; padding: .5rem .8rem; border-radius: var(--radius); background: var(--soft); color: var(--quiet); justify-self: center; text-align: center; }
  .tool details { font-size: .88rem; color: var(--quiet); }
  .tool pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .4rem 0 0; padding: .6rem; background: var(--soft); border-radius: var(--radius); font: .85em/1.5 var(--mono); max-height: 16rem; overflow: auto; }
  .failed .prose { background: var(--bad-soft); }
  .trouble { display: flex; gap: .5rem; align-items: center; flex-wrap: wrap; justify-content: flex-end; color: var(--bad); font-size: .88rem; }
  .assistant .trouble { justify-content: flex-start; }
  .trouble button { min-height: 2rem; }
  .knew { font-size: .85rem; color: var(--quiet); }
  .knew summary { display: inline-flex; gap: .35rem; align-items: center; cursor: pointer; padding: .1rem .3rem; margin-inline-start: -.3rem; border-radius: 6px; list-style: none; }
  .knew summary::-webkit-details-marker { display: none; }
  .knew summary:hover { background: var(--soft); color: var(--ink); }
  .knew recollect-context { margin-top: .5rem; }
  .target > .prose { outline: 2px solid var(--accent); outline-offset: 6px; border-radius: var(--radius); }
  .dots { display: inline-flex; gap: .3rem; padding: .4rem 0; }
  .dots i { width: .5rem; height: .5rem; border-radius: 50%; background: var(--quiet); animation: breathe 1.2s ease-in-out infinite; }
  .dots i:nth-child(2) { animation-delay: .2s; } .dots i:nth-child(3) { animation-delay: .4s; }
  form { padding: .5rem 1rem 1rem; }
  .composer { max-width: 46rem; margin: 0 auto; display: flex; align-items: end; gap: .5rem; padding: .35rem; border: 1px solid var(--strong-line); border-radius: 16px; background: var(--raised); }
  .composer:focus-within { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent); }
  .composer textarea { border: 0; background: none; outline: none; resize: none; field-sizing: content; min-height: 2.4rem; max-height: 12rem; padding: .45rem .6rem; }
  .composer button { min-height: 2.4rem; width: 2.4rem; border-radius: 12px; }
  .form-hint { max-width: 46rem; margin: .3rem auto 0; text-align: center; }
  .jump { position: sticky; bottom: 0; display: flex; justify-content: center; height: 0; }
  .jump button { transform: translateY(-2.5rem); box-shadow: var(--shadow); border-radius: 99px; }
  .list-button { display: none; }
  @container (max-width: 46rem) { .form-hint { display: none; } form { padding: .5rem .75rem .75rem; } }
  @media (max-width: 760px) { :host([list-button]) .list-button { display: inline-flex; } }
`;

/** Messages that are read at first, at one wish for earlier ones, and at most at once. */
const PART = 50;
const EARLIER = 200;
const MOST = 1000;
/** Messages that are shown before one that somebody points at. */
const BEFORE = 10;
const FORMATS = { json: "JSON", markdown: "Markdown", pdf: "PDF" };

/** How a message is sent. It is fetched as soon as somebody could send one. */
const speaking = () => import("./turn.js");

class RecollectChat extends RecollectElement {
  static observedAttributes = ["base", "user", "agent", "conversation", "message"];
  static styles = [style];
  #talk = null;
  #messages = new Map();
  #nodes = new Map();
  #pending = null;
  #missed = false;
  #focus = false;
  /** Whether the first message of all is here, and the first one that was here from the beginning. */
  #begun = false;
  #from = 0;
  #places = {};
  #refreshSoon = debounced(() => this.#refresh(), 150);

  /** The id of the conversation that is open. */
  get current() {
    return this.#talk?.id ?? null;
  }

  /** What the conversation is called, here as in the list. */
  get #name() {
    return this.#talk.title ?? t(this.#talk.messageCount || this.#messages.size ? "untitled" : "startNew");
  }

  /** Begin a new conversation, which becomes the active one. */
  async begin() {
    try {
      const id = await begin(this.api, this.user, this.agent, this.signal);
      this.#focus = true;
      if (this.hasAttribute("conversation")) this.setAttribute("conversation", id);
      else this.restart();
    } catch (error) {
      this.mention(error);
    }
  }

  async start(signal) {
    this.#frame();
    this.#messages.clear();
    this.#pending = null;
    this.#begun = false;
    const named = this.getAttribute("conversation");
    const id = named ?? (await resume(this.api, this.user, this.agent, signal));
    let talk;
    try {
      talk = await this.#read(id, signal);
    } catch (error) {
      if (error.status === 404 && named) return this.#gone();
      throw error;
    }
    if (named && talk.agent === this.agent && (this.user === null || talk.user === this.user)) {
      // Who may only read looks at it all the same.
      await activate(this.api, talk.user, talk.agent, id, signal).catch((error) => {
        if (error.kind !== "forbidden") throw error;
      });
    }
    if (talk.agentState?.workflowStep) await learned();
    this.#talk = talk;
    this.#from = talk.messages[0]?.seq ?? 0;
    for (const one of talk.messages) this.#messages.set(one.seq, one);
    const { messages, memories, agentState, ...conversation } = talk;
    this.emit("recollect-conversation", { id, conversation });
    this.#restore(draftOf(talk));
    this.#draw();
    this.#toEnd();
    this.#places.input.disabled = false;
    if (this.#focus) this.#places.input.focus();
    this.#focus = false;
    this.listen((event) => this.#hear(event));
    speaking().catch(() => {});
    await this.#goTo(Number(this.getAttribute("message")));
  }

  async spoken() {
    if (this.#talk?.agentState?.workflowStep) await learned();
    const draft = this.#places.input?.value ?? "";
    if (!this.#talk) return this.restart();
    this.#frame();
    this.#places.input.value = draft;
    this.#places.input.disabled = false;
    this.#draw();
    this.#toEnd();
  }

  #read(id, signal) {
    return this.api.get(path`/api/conversations/${id}`, { messages: PART }, { signal });
  }

  #frame() {
    const input = h("textarea", {
      rows: "1", placeholder: t("write"), "aria-label": t("write"), "aria-describedby": "hint", disabled: true,
      oninput: () => this.#keep(),
      onkeydown: (event) => {
        if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
        event.preventDefault();
        form.requestSubmit();
      },
    });
    const send = h("button", { class: "first icon-only", type: "submit", "aria-label": t("send"), title: t("send") }, icon("send"));
    const form = h("form", { onsubmit: (event) => (event.preventDefault(), this.#submit()) },
      h("div", { class: "composer" }, input, send),
      h("p", { class: "hint form-hint", id: "hint" }, t("hint")));
    const title = h("h2", { class: "cut" }, t("startNew"));
    const about = h("div", { class: "row" });
    const log = h("div", { class: "log", tabindex: "0", role: "log", "aria-label": t("messages"), "aria-live": "polite" });
    const jump = h("div", { class: "jump", hidden: true }, h("button", { type: "button", onclick: () => this.#toEnd(true) }, icon("down", 16), t("newOnes")));
    const blank = h("div", { class: "blank" }, bones(8));
    const older = h("div", { class: "older" }, h("button", { type: "button", hidden: true, onclick: () => this.#older() }, t("older")), h("span", { class: "unseen", role: "status" }));
    const list = h("ol", { class: "plain" });
    log.append(blank, older, list, jump);
    this.#nodes.clear();
    log.addEventListener("scroll", () => this.#atEnd() && (jump.hidden = true), { passive: true });
    this.#places = { input, send, title, log, jump, about, blank, older, list };
    this.show(h("section", { class: "box", "aria-label": this.agent },
      h("header", {},
        iconButton("menu", t("list"), () => this.emit("recollect-list"), { class: "plain icon-only list-button" }),
        h("div", { class: "grow" }, title, about),
        menu(t("options"), () => [
          ["edit", t("rename"), () => this.#menu("rename")],
          ...Object.entries(FORMATS).map(([name, format]) => ["download", t("export", { format }), () => this.#menu("save", name)]),
        ])),
      log, form));
  }

  #gone() {
    this.#places.blank.replaceChildren(empty("chat", t("gone"), null, h("button", { type: "button", onclick: () => this.begin() }, icon("plus"), t("startNew"))));
  }

  // What is shown -----------------------------------------------------------------------------------------------

  /** Bring the log up to date. What has not changed stays where it is: whoever listens to it hears only what is new. */
  #draw() {
    const { list, blank, older, title, about } = this.#places;
    title.textContent = this.#name;
    const step = this.#talk.agentState?.workflowStep;
    about.replaceChildren(h("span", { class: "small quiet cut" }, this.#talk.agent), step ? h("span", { class: "chip accent" }, t("state", { step: readable(step) })) : "");
    const messages = [...this.#messages.values()].sort((one, other) => one.seq - other.seq);
    blank.replaceChildren(messages.length || this.#pending ? "" : empty("chat", t("empty"), t("emptyText", { agent: this.#talk.agent })));
    older.firstElementChild.hidden = this.#begun || !(messages[0]?.seq > 1 && this.#talk.messageCount > messages.length);
    const nodes = [];
    let last = null;
    for (const one of messages) {
      const said = day(one.createdAt);
      if (said !== last) nodes.push(this.#same(`day ${one.seq}`, said, () => h("li", { class: "day" }, h("span", { class: "chip" }, said))));
      last = said;
      nodes.push(this.#same(one.seq, `${one.role} ${one.content}`, () => this.#entry(one)));
    }
    if (this.#pending) nodes.push(...this.#pendingEntries());
    settle(list, nodes);
  }

  /** The node of a message as it was made before, unless what it shows has changed. */
  #same(name, of, make) {
    const kept = this.#nodes.get(name);
    if (kept?.of === of) return kept.node;
    const node = make();
    this.#nodes.set(name, { of, node });
    return node;
  }

  #entry(one) {
    const kept = { class: `message ${one.role}${one.seq < this.#from ? " early" : ""}`, "data-seq": String(one.seq) };
    if (one.role === "tool") {
      return h("li", kept, h("details", {}, h("summary", {}, t("usedTool", { name: one.name ?? t("tool") })), h("pre", { tabindex: "0" }, one.content)));
    }
    if (one.role === "assistant" && !one.content && one.toolCalls?.length) return h("li", { hidden: true });
    const name = { user: t("you"), assistant: this.#talk.agent, system: t("system") }[one.role];
    return h("li", kept,
      h("div", { class: "who" }, one.role === "user" ? null : h("b", {}, one.name ?? name), h("time", { datetime: one.createdAt, title: moment(one.createdAt) }, time(one.createdAt)),
        one.role === "user" ? h("span", { class: "unseen" }, one.name ?? name) : null),
      h("div", { class: "prose" }, markdown(one.content)),
      one.role === "assistant" ? this.#knew(one) : null);
  }

  /** What was sent along when this reply was made; looked up when somebody wants to know. */
  #knew(one) {
    const details = h("details", { class: "knew" }, h("summary", {}, icon("info", 15), t("knew")));
    details.addEventListener("toggle", async () => {
      if (!details.open || details.querySelector("recollect-context")) return;
      await import("./context.js");
      const context = h("recollect-context", { base: this.base || null, user: this.#talk.user, agent: this.#talk.agent, conversation: this.#talk.id, reply: String(one.seq) });
      if (this.token) context.token = this.token;
      details.append(context);
    });
    return details;
  }

  #pendingEntries() {
    const turn = this.#pending;
    const mine = h("li", { class: `message user ${turn.error && !turn.asked ? "failed" : ""}` },
      h("div", { class: "who" }, turn.error || turn.asked ? null : t("sending"), h("span", { class: "unseen" }, t("you"))),
      h("div", { class: "prose" }, markdown(turn.text)));
    const asking = turn.asked && this.#messages.has(turn.asked) ? [] : [mine];
    if (turn.error) {
      const place = turn.asked ? h("li", { class: "message assistant" }) : mine;
      place.append(h("div", { class: "trouble", role: "alert" },
        h("span", {}, `${turn.asked ? t("interrupted") : t("notSent")} ${explained(turn.error)}`),
        h("button", { type: "button", onclick: () => this.#run() }, icon("retry", 16), t("retry")),
        h("button", { type: "button", class: "plain", onclick: () => this.#discard() }, t("discard"))));
      return turn.asked ? [...asking, place] : [place];
    }
    turn.prose = h("div", { class: "prose" });
    this.#drawReply();
    return [...asking, h("li", { class: "message assistant", "aria-busy": "true" }, h("div", { class: "who" }, h("b", {}, this.#talk.agent)), turn.prose)];
  }

  #drawReply() {
    const turn = this.#pending;
    if (!turn?.prose) return;
    const dots = h("span", { class: "dots", role: "status" }, h("span", { class: "unseen" }, t("answering", { agent: this.#talk.agent })), h("i"), h("i"), h("i"));
    turn.prose.replaceChildren(turn.reply ? markdown(turn.reply) : dots);
    if (turn.tool) turn.prose.append(h("p", { class: "small quiet" }, t("usedTool", { name: turn.tool })));
  }

  #atEnd() {
    const { log } = this.#places;
    return log.scrollHeight - log.scrollTop - log.clientHeight < 80;
  }

  #toEnd(gently = false) {
    const { log } = this.#places;
    log.scrollTo({ top: log.scrollHeight, behavior: gently ? "smooth" : "instant" });
  }

  /** Show a message that somebody points at, however long ago it was said. */
  async #goTo(seq) {
    if (!seq) return;
    while (!this.#begun && seq < this.#first && this.#first < Infinity) await this.#before(Math.min(MOST, this.#first - seq + BEFORE));
    this.#unheard(() => this.#draw());
    const found = this.shadowRoot.querySelector(`[data-seq="${seq}"]`);
    if (!found) return;
    found.classList.add("target");
    found.scrollIntoView({ block: "center" });
  }

  get #first() {
    let first = Infinity;
    for (const seq of this.#messages.keys()) first = Math.min(first, seq);
    return first;
  }

  /** Read what was said before the first message that is known; how many these were. */
  async #before(limit) {
    const talk = this.#talk;
    const page = await this.api.get(path`/api/conversations/${talk.id}/messages`, { before: this.#first, limit }, { signal: this.signal });
    for (const one of page.items) this.#messages.set(one.seq, one);
    this.#begun = page.cursor === null || page.cursor === undefined;
    return page.items.length;
  }

  /** Put earlier messages on top. What is being read stays where it is, and nobody has to listen to all of them. */
  async #older() {
    const { log, older } = this.#places;
    const [button, said] = older.children;
    button.disabled = true;
    try {
      const count = await this.#before(EARLIER);
      const top = this.shadowRoot.querySelector("[data-seq]");
      const height = () => top.getBoundingClientRect().top;
      const before = height();
      this.#unheard(() => this.#draw());
      log.scrollTop += height() - before;
      said.textContent = t("olderShown", { count });
    } catch (error) {
      this.mention(error);
    } finally {
      button.disabled = false;
      if (button.hidden) log.focus({ preventScroll: true });
      else button.focus({ preventScroll: true });
    }
  }

  /** Change the log without having it read aloud. */
  #unheard(act) {
    const { log } = this.#places;
    log.setAttribute("aria-live", "off");
    act();
    setTimeout(() => log.setAttribute("aria-live", "polite"), 1_000);
  }

  // What is said ------------------------------------------------------------------------------------------------

  #submit() {
    const { input } = this.#places;
    const text = input.value.trim();
    if (!text || !this.#talk || (this.#pending && !this.#pending.error)) return;
    if (this.#pending) this.#discard();
    input.value = "";
    this.#pending = { text, key: uuid(), reply: "", asked: null, error: null };
    this.#keep();
    this.#run();
  }

  /** What is written here and has not arrived is there again after a reload. */
  #keep() {
    const unsent = this.#pending?.asked === null ? { text: this.#pending.text, key: this.#pending.key } : null;
    keepDraft(this.#talk, { text: this.#places.input.value, unsent });
  }

  #restore({ text, unsent }) {
    this.#places.input.value = text;
    if (unsent) this.#pending = { ...unsent, reply: "", asked: null, error: Object.assign(new Error(t("left")), { kind: "left" }) };
  }

  /** Let the agent answer; the same key however often it is tried, so that nothing is said twice. */
  async #run() {
    const turn = this.#pending;
    const talk = this.#talk;
    const { signal } = this;
    Object.assign(turn, { error: null, reply: "", tool: null });
    this.#places.send.disabled = true;
    this.#draw();
    this.#toEnd();
    try {
      const { answered, titled } = await speaking();
      await answered(this.api, talk, turn, { signal, begun: () => this.#begins(turn), more: () => this.#later(turn) });
      this.#take(turn, turn.done);
      this.#pending = null;
      this.emit("recollect-reply", { conversation: talk.id, turn: turn.done.turn, text: turn.done.response, tokens: turn.done.tokens });
      if (!talk.title) Object.assign(talk, await this.api.patch(path`/api/conversations/${talk.id}`, { title: titled(turn.text) }).catch(() => ({})));
    } catch (error) {
      if (signal.aborted) return;
      await learned();
      turn.error = error instanceof Problem ? error : new Problem({}, 0);
      this.told(error);
    }
    if (this.#talk !== talk) return;
    this.#keep();
    this.#places.send.disabled = false;
    const stay = !this.#atEnd();
    this.#draw();
    if (!stay) this.#toEnd();
    this.emit("recollect-changed", { conversation: talk.id });
    if (this.#missed || !turn.error) this.#refreshSoon();
  }

  /** It has arrived. */
  #begins(turn) {
    this.#keep();
    if (!turn.reply) this.#draw();
  }

  /** Draw what has come of a reply, at most once for each picture on the screen. */
  #later(turn) {
    if (turn.drawing) return;
    turn.drawing = true;
    requestAnimationFrame(() => {
      turn.drawing = false;
      if (this.#pending !== turn) return;
      const end = this.#atEnd();
      this.#drawReply();
      if (end) this.#toEnd();
    });
  }

  #take(turn, done) {
    const at = done.messages[0]?.createdAt ?? new Date().toISOString();
    if (!this.#messages.has(turn.asked)) {
      this.#messages.set(turn.asked, { id: `asked-${turn.asked}`, conversationId: this.#talk.id, seq: turn.asked, role: "user", content: turn.text, createdAt: at, metadata: {} });
    }
    for (const one of done.messages) this.#messages.set(one.seq, one);
  }

  #discard() {
    const turn = this.#pending;
    this.#pending = null;
    if (turn.asked === null && !this.#places.input.value) this.#places.input.value = turn.text;
    this.#keep();
    this.#draw();
  }

  // What happens elsewhere --------------------------------------------------------------------------------------

  #hear({ event, data }) {
    const here = data?.conversationId === this.#talk?.id;
    if (event === "conversation.deleted" && here) return keepDraft(this.#talk, {}), this.restart();
    if (event === "poll" || here) this.#refreshSoon();
  }

  /** Read what is new. While a reply comes in here, that has to wait. */
  async #refresh() {
    const talk = this.#talk;
    if (!talk || this.signal.aborted) return;
    if (this.#pending && !this.#pending.error) {
      this.#missed = true;
      return;
    }
    this.#missed = false;
    try {
      const now = await this.#read(talk.id, this.signal);
      if (this.#talk !== talk || (this.#pending && !this.#pending.error)) return;
      const there = new Set(now.messages.map((one) => one.seq));
      const gone = [...this.#messages.keys()].filter((seq) => !there.has(seq) && (there.size < PART || seq >= now.messages[0].seq));
      const news = now.messages.filter((one) => this.#messages.get(one.seq)?.id !== one.id);
      const same = now.title === talk.title && now.agentState?.workflowStep === talk.agentState?.workflowStep;
      if (news.length === 0 && same && gone.length === 0) return;
      // More has been said than was read now: what lies between is read when somebody wants to see it.
      if (news.length === PART) {
        this.#messages.clear();
        this.#begun = false;
        this.#from = now.messages[0].seq;
      }
      const end = this.#atEnd();
      Object.assign(talk, now);
      for (const seq of gone) this.#messages.delete(seq);
      for (const one of now.messages) this.#messages.set(one.seq, one);
      this.#draw();
      if (end) this.#toEnd();
      else if (news.length) this.#places.jump.hidden = false;
    } catch (error) {
      if (error.status === 404) this.restart();
    }
  }

  /** What the menu offers is there when somebody chooses it. */
  async #menu(act, ...given) {
    try {
      const acts = await import("./chat_menu.js");
      const changed = await acts[act](this.api, this.#talk, ...given);
      if (!changed) return;
      Object.assign(this.#talk, changed);
      this.#places.title.textContent = this.#name;
      this.emit("recollect-changed", { conversation: this.#talk.id });
    } catch (error) {
      this.mention(error);
    }
  }
}

define("recollect-chat", RecollectChat);
