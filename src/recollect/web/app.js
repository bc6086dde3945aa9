// The page: the elements, arranged. Screens are loaded when first opened.

import { Api, forgetDrafts } from "./api.js";
import { bones, css, define, h, icon, iconButton, problem, RecollectElement } from "./element.js";
import { explained, LANGUAGES, language, learned, speak, words } from "./words.js";

const SCREENS = {
  chat: { load: () => Promise.all([import("./elements/conversations.js"), import("./elements/chat.js")]) },
  memories: { load: () => import("./elements/memories.js") },
  notes: { load: () => import("./elements/notes.js") },
  state: { load: () => import("./elements/state.js") },
  analytics: { load: () => import("./elements/analytics.js") },
  admin: { load: () => import("./elements/admin.js") },
};

const t = words({
  en: {
    chat: "Chat", memories: "Memories", notes: "Notes", state: "State", analytics: "Analytics", admin: "Admin",
    skip: "Skip to the content", screens: "Screens", theme: "Light or dark", language: "Language", signOut: "Sign out",
    signIn: "Sign in", key: "Key", keyHint: "It starts with rk_. It stays in a cookie that scripts cannot read, until the browser closes.",
    badKey: "This key is not valid (any more). Check it, or ask for a new one.", makeKey: "An administrator makes keys with", talkingAs: "User and agent",
    user: "User", agent: "Agent", change: "Change", userHint: "Whose conversations and memories are shown.",
    agentHint: "Choose one, or type the name of a new one.", talks: "{user} with {agent}", reference: "API reference", bound: "This key belongs to {user}.",
  },
  es: {
    chat: "Chat", memories: "Recuerdos", notes: "Notas", state: "Estado", analytics: "Análisis", admin: "Admin",
    skip: "Ir al contenido", screens: "Pantallas", theme: "Claro u oscuro", language: "Idioma", signOut: "Cerrar sesión",
    signIn: "Iniciar sesión", key: "Clave", keyHint: "Empieza por rk_. Se guarda en una cookie que los scripts no pueden leer, hasta cerrar el navegador.",
    badKey: "Esta clave no es válida (o ya no). Compruébala o pide una nueva.", makeKey: "Un administrador crea claves con", talkingAs: "Usuario y agente",
    user: "Usuario", agent: "Agente", change: "Cambiar", userHint: "De quién se muestran las conversaciones y los recuerdos.",
    agentHint: "Elige uno o escribe el nombre de uno nuevo.", talks: "{user} con {agent}", reference: "Referencia de la API", bound: "Esta clave pertenece a {user}.",
  },
});

const style = css`
  :host { height: 100%; background: var(--ground); }
  .app { display: grid; height: 100dvh; grid: "rail main" minmax(0, 1fr) / 13.5rem minmax(0, 1fr); }
  .rail { grid-area: rail; display: flex; flex-direction: column; gap: .75rem; padding: 1rem .75rem; border-inline-end: 1px solid var(--line); min-width: 0; overflow-y: auto; }
  .top { display: contents; }
  .brand { order: 0; display: flex; align-items: center; gap: .6rem; padding: .1rem .35rem .4rem; font-weight: 700; font-size: 1.1rem; letter-spacing: -.02em; color: var(--ink); text-decoration: none; }
  .mark { display: grid; place-items: center; width: 1.9rem; height: 1.9rem; border-radius: 9px; background: var(--accent); color: var(--on-accent); }
  .identity { order: 1; justify-content: flex-start; text-align: start; padding: .4rem .6rem; gap: .55rem; width: 100%; min-height: 3rem; }
  .identity b { display: block; font-weight: 600; line-height: 1.25; }
  .identity small { display: block; color: var(--quiet); font-weight: 400; line-height: 1.3; }
  nav { order: 2; }
  nav ul { display: grid; gap: .15rem; }
  nav a { display: flex; align-items: center; gap: .65rem; min-height: 2.4rem; padding: .3rem .7rem; border-radius: var(--radius); color: var(--quiet); text-decoration: none; font-weight: 550; }
  nav a:hover { background: var(--soft); color: var(--ink); }
  nav a[aria-current] { background: var(--accent-soft); color: var(--accent); }
  .tools { order: 3; margin-top: auto; display: flex; align-items: center; gap: .15rem; }
  .tools .code { font-size: .8rem; font-weight: 650; letter-spacing: .04em; }
  .tools a { margin-inline-start: auto; font-size: .8rem; color: var(--quiet); }
  main { grid-area: main; min-width: 0; min-height: 0; overflow-y: auto; outline: none; }
  .page { max-width: 72rem; margin: 0 auto; padding: 1.5rem clamp(1rem, 3vw, 2rem) 3rem; }
  .talk { display: grid; height: 100%; grid-template-columns: 18rem minmax(0, 1fr); }
  .talk > recollect-conversations { border-inline-end: 1px solid var(--line); min-height: 0; }
  .talk > recollect-chat { min-height: 0; min-width: 0; }
  .skip { position: absolute; inset-inline-start: 1rem; top: -4rem; padding: .5rem 1rem; background: var(--accent); color: var(--on-accent); border-radius: var(--radius); z-index: 50; }
  .skip:focus { top: 1rem; }
  .sign-in { display: grid; place-items: center; height: 100dvh; padding: 1rem; }
  .sign-in form { width: min(25rem, 100%); padding: 1.75rem; display: grid; gap: 1.25rem; }
  .sign-in .mark { width: 2.4rem; height: 2.4rem; font-weight: 700; font-size: 1.15rem; }
  .sign-in .tools { margin-top: 0; }
  .sign-in input { min-height: 2.6rem; } .sign-in .first { min-height: 2.6rem; }
  .sign-in code { font: .95em var(--mono); white-space: nowrap; }
  @media (max-width: 1000px) { .talk { grid-template-columns: 15rem minmax(0, 1fr); } .app { grid-template-columns: 12.75rem minmax(0, 1fr); } }
  @media (max-width: 760px) {
    .app { grid: "top" auto "main" minmax(0, 1fr) "nav" auto / minmax(0, 1fr); }
    .rail { display: contents; }
    .top { grid-area: top; display: flex; align-items: center; gap: .4rem; padding: .4rem .75rem; border-bottom: 1px solid var(--line); min-width: 0; }
    .brand { padding: 0; } .brand span:last-child, .tools a { display: none; }
    .identity { border-color: transparent; background: none; min-height: 2.5rem; flex: 1; min-width: 0; }
    .tools { margin: 0; }
    nav { grid-area: nav; border-top: 1px solid var(--line); padding-bottom: env(safe-area-inset-bottom); }
    nav ul { grid-auto-flow: column; grid-auto-columns: minmax(0, 1fr); gap: 0; padding: .25rem; }
    nav a { flex-direction: column; gap: .1rem; font-size: .66rem; letter-spacing: -.01em; padding: .3rem 0; text-align: center; min-height: 3rem; justify-content: center; }
    nav a span { max-width: 100%; overflow: hidden; text-overflow: ellipsis; }
    .page { padding-top: 1rem; }
    .talk { grid-template-columns: minmax(0, 1fr); }
    .talk > recollect-conversations { display: none; border: 0; }
    .talk.listing > recollect-conversations { display: block; }
    .talk.listing > recollect-chat { display: none; }
  }
`;

/** The document around: what stands before the elements are there is the browser's own light or dark. */
const around = css`
  :root { color-scheme: light dark; }
  :root[data-theme="light"] { color-scheme: light; }
  :root[data-theme="dark"] { color-scheme: dark; }
  html, body { margin: 0; height: 100%; background: light-dark(#f6f7f5, #131816); }
  recollect-app { display: block; height: 100%; }
`;
document.adoptedStyleSheets.push(around);

class RecollectApp extends RecollectElement {
  static observedAttributes = [];
  static styles = [style];
  #who = null;
  #main = null;
  #places = {};

  async start(signal) {
    setTheme(kept("theme"));
    document.documentElement.lang = language();
    window.addEventListener("hashchange", () => this.#route(), { signal });
    this.shadowRoot.addEventListener("recollect-error", (event) => event.detail.error.status === 401 && this.#signIn(), { signal });
    this.shadowRoot.addEventListener("recollect-open", (event) => open(event.detail.screen, event.detail.with), { signal });
    try {
      this.#who = await new Api().get("/api/whoami", {}, { signal });
    } catch (error) {
      if (error.status === 401) return this.#signIn();
      return this.show(problem(error, () => this.restart()));
    }
    this.#frame();
    this.#route();
  }

  spoken() {
    document.documentElement.lang = language();
    if (this.#main?.isConnected) {
      this.#frame();
      this.#route();
    } else this.restart();
  }

  get #user() {
    return this.#who.user ?? query().get("user") ?? kept("user") ?? "local";
  }

  get #agent() {
    return query().get("agent") ?? kept("agent") ?? "assistant";
  }

  /** Whether a screen has something for whoever is signed in. */
  #may(screen) {
    const { scopes, operator } = this.#who;
    return screen === "admin" ? operator || scopes.includes("admin") : scopes.includes("read");
  }

  #frame() {
    const links = Object.keys(SCREENS)
      .filter((name) => this.#may(name))
      .map((name) => h("li", {}, h("a", { href: `#/${name}`, "data-screen": name }, icon(name, 20), h("span", {}, t(name)))));
    this.#places = { user: h("b", { class: "cut" }), agent: h("small", { class: "cut" }) };
    const identity = h("button", { type: "button", class: "identity", "aria-label": t("talkingAs"), title: t("talkingAs"), onclick: () => this.#choose() },
      icon("user", 20), h("span", { class: "grow" }, this.#places.user, this.#places.agent));
    const tools = h("div", { class: "tools" },
      ...this.#choices(),
      this.#who.actor === "local" ? null : iconButton("out", t("signOut"), () => this.#signOut()),
      h("a", { href: "/schema" }, t("reference")));
    this.#main = h("main", { id: "main", tabindex: "-1" });
    this.show(h("div", { class: "app" },
      h("a", { class: "skip", href: "#main", onclick: (event) => (event.preventDefault(), this.#main.focus()) }, t("skip")),
      h("div", { class: "rail" },
        h("div", { class: "top" }, h("a", { class: "brand", href: "#/chat", "aria-label": "Recollect" }, h("span", { class: "mark", "aria-hidden": "true" }, "R"), h("span", {}, "Recollect")), identity, tools),
        h("nav", { "aria-label": t("screens") }, h("ul", { class: "plain" }, ...links))),
      this.#main));
    this.#main.append(bones());
  }

  /** Light or dark, and the language: for everybody, signed in or not. */
  #choices() {
    const other = Object.keys(LANGUAGES).find((name) => name !== language());
    return [
      iconButton(isDark() ? "sun" : "moon", t("theme"), () => (setTheme(isDark() ? "light" : "dark", true), this.spoken())),
      h("button", { type: "button", class: "plain icon-only code", lang: other, "aria-label": `${t("language")}: ${LANGUAGES[other]}`, title: LANGUAGES[other], onclick: () => speak(other) }, other.toUpperCase()),
    ];
  }

  async #route() {
    if (!this.#main?.isConnected) return;
    for (const name of ["user", "agent"]) if (query().get(name)) keep(name, query().get(name));
    const [, named = ""] = location.hash.match(/^#\/(\w+)/) ?? [];
    const name = named in SCREENS ? named : this.#may("chat") ? "chat" : "admin";
    this.#places.user.textContent = this.#user;
    this.#places.agent.textContent = this.#agent;
    for (const link of this.shadowRoot.querySelectorAll("nav a")) {
      link.toggleAttribute("aria-current", link.dataset.screen === name);
      if (link.dataset.screen === name) link.setAttribute("aria-current", "page");
    }
    document.title = `${t(name)} · Recollect`;
    const given = { user: this.#user, agent: this.#agent, ...Object.fromEntries(query()) };
    if (this.#main.dataset.screen === name && this.#main.dataset.loaded) return this.#arrange(name, given);
    this.#main.dataset.screen = name;
    delete this.#main.dataset.loaded;
    try {
      await SCREENS[name].load();
    } catch {
      if (this.#main.dataset.screen === name) this.#main.replaceChildren(problem({ kind: "unreachable" }, () => location.reload()));
      return;
    }
    if (this.#main.dataset.screen !== name) return;
    this.#main.dataset.loaded = "yes";
    this.#main.replaceChildren();
    this.#arrange(name, given);
  }

  /** Put the elements of a screen in, or tell those that are there of what has changed. */
  #arrange(name, given) {
    if (!this.#main.firstChild) this.#main.append(name === "chat" ? this.#talk() : h("div", { class: "page" }, h(`recollect-${name}`)));
    for (const element of this.#main.querySelectorAll(":scope > * > *")) {
      for (const attribute of element.constructor.observedAttributes ?? []) {
        if (given[attribute]) element.setAttribute(attribute, given[attribute]);
        else element.removeAttribute(attribute);
      }
    }
  }

  #talk() {
    const list = h("recollect-conversations");
    const chat = h("recollect-chat", { "list-button": true });
    const box = h("div", { class: "talk" }, list, chat);
    box.addEventListener("recollect-list", () => box.classList.add("listing"));
    box.addEventListener("recollect-select", (event) => {
      box.classList.remove("listing");
      open("chat", { conversation: event.detail.id, message: event.detail.message });
      // The same one again, after the chat has gone on by itself.
      if (chat.current !== event.detail.id) chat.setAttribute("conversation", event.detail.id);
    });
    box.addEventListener("recollect-new", () => {
      box.classList.remove("listing");
      chat.begin();
    });
    box.addEventListener("recollect-removed", (event) => event.detail.id === chat.current && (open("chat"), chat.removeAttribute("conversation"), chat.restart()));
    box.addEventListener("recollect-conversation", (event) => {
      list.open(event.detail.conversation);
      const named = query().get("conversation");
      if (named && named !== event.detail.id) open("chat");
    });
    box.addEventListener("recollect-changed", () => list.refresh());
    return box;
  }

  async #choose() {
    const { ask } = await import("./dialogs.js");
    const names = await new Api().get("/api/agents", { user: this.#user }).catch(() => []);
    const field = (name, value, hint, list = null) => h("label", { class: "field" }, t(name), h("input", { name, value, required: true, maxlength: "200", autocomplete: "off", list }), h("span", { class: "hint" }, hint));
    const given = await ask({
      title: t("talkingAs"),
      action: t("change"),
      content: [
        field("agent", this.#agent, t("agentHint"), "agents"),
        h("datalist", { id: "agents" }, ...names.map((name) => h("option", { value: name }))),
        this.#who.user ? h("p", { class: "hint" }, t("bound", { user: this.#who.user })) : field("user", this.#user, t("userHint")),
      ],
    });
    if (given === null) return;
    keep("agent", given.agent);
    if (given.user) keep("user", given.user);
    const screen = this.#main.dataset.screen;
    if (location.hash === `#/${screen}`) this.#route();
    else open(screen);
  }

  #signIn() {
    const input = h("input", { type: "password", name: "key", required: true, autocomplete: "off", spellcheck: "false" });
    const trouble = h("p", { class: "notice bad", role: "alert", hidden: true });
    const form = h("form", {
      class: "card",
      onsubmit: async (event) => {
        event.preventDefault();
        try {
          await new Api().post("/api/sign-in", { key: input.value });
          this.restart();
        } catch (error) {
          await learned();
          trouble.textContent = error.kind === "unauthorized" ? t("badKey") : explained(error);
          trouble.hidden = false;
          input.select();
        }
      },
    },
    h("div", { class: "row" }, h("span", { class: "mark", "aria-hidden": "true" }, "R"), h("h1", { class: "grow" }, "Recollect"), h("div", { class: "tools" }, ...this.#choices())),
    h("label", { class: "field" }, t("key"), input, h("span", { class: "hint" }, t("keyHint"))),
    trouble,
    h("button", { class: "first", type: "submit" }, icon("key"), t("signIn")),
    h("p", { class: "hint" }, t("makeKey"), " ", h("code", {}, "recollect keys create")));
    this.#main = null;
    this.show(h("main", { class: "sign-in" }, form));
    input.focus();
  }

  async #signOut() {
    try {
      await new Api().post("/api/sign-out");
      forgetDrafts();
      this.restart();
    } catch (error) {
      this.mention(error);
    }
  }
}

/** Go to a screen: the address says which, and with what. */
export function open(screen, given = {}) {
  const text = new URLSearchParams(Object.entries(given).filter(([, value]) => value !== null && value !== undefined)).toString();
  location.hash = `#/${screen}${text ? `?${text}` : ""}`;
}

function query() {
  return new URLSearchParams(location.hash.split("?")[1] ?? "");
}

function kept(name) {
  try {
    return localStorage.getItem(`recollect_${name}`);
  } catch {
    return null;
  }
}

function keep(name, value) {
  try {
    localStorage.setItem(`recollect_${name}`, value);
  } catch {
    // It holds for now.
  }
}

function isDark() {
  return (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
}

function setTheme(name, chosen = false) {
  if (name === "light" || name === "dark") document.documentElement.dataset.theme = name;
  if (chosen) keep("theme", name);
}

define("recollect-app", RecollectApp);
