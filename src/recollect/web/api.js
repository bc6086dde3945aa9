// The public HTTP API: problems as errors, keys, versions, pages, streams, live changes and sessions.

/** What the server, or the way to it, said no with. */
export class Problem extends Error {
  constructor({ type = "", title = "", detail = "", ...told }, status, retryAfter = null) {
    super(detail || title || `HTTP ${status}`);
    const { field = null, request = null, what = null, key = null, part = null, retry_after = null } = told;
    this.name = "Problem";
    this.kind = type.split(":").pop() || "unreachable";
    this.status = status;
    Object.assign(this, { detail, field, request, what, key, part, retryAfter: retryAfter ?? retry_after });
  }
}

/** A new UUID v4, also on a page without TLS, where browsers have no randomUUID. */
export function uuid() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** A path with everything in it encoded: path`/api/agents/${agent}`. */
export function path(strings, ...values) {
  return strings.reduce((all, part, n) => all + encodeURIComponent(values[n - 1]) + part);
}

const MOST_KEPT = 50;

export class Api {
  #kept = new Map();

  /** `base` is where the server is, "" for the page's own; a token only where no cookie serves. */
  constructor({ base = "", token = null } = {}) {
    this.base = base.replace(/\/+$/, "");
    this.token = token;
  }

  get(path, query, options) {
    return this.ask("GET", path, { query, ...options });
  }

  post(path, body = {}, options) {
    return this.ask("POST", path, { body, ...options });
  }

  put(path, body, options) {
    return this.ask("PUT", path, { body, ...options });
  }

  patch(path, body, options) {
    return this.ask("PATCH", path, { body, ...options });
  }

  delete(path, query, options) {
    return this.ask("DELETE", path, { query, ...options });
  }

  /** The answer's JSON; null where there is none. `key` makes it exactly-once, `version` goes into If-Match. */
  async ask(method, path, options = {}) {
    const address = this.address(path, options.query);
    const known = method === "GET" ? this.#kept.get(address) : undefined;
    const headers = known ? { "if-none-match": known.tag } : {};
    const answer = await this.send(method, path, { ...options, headers });
    if (answer.status === 304 && known) return structuredClone(known.content);
    const text = await answer.text();
    const content = text === "" ? null : JSON.parse(text);
    const tag = answer.headers.get("etag");
    if (method === "GET" && tag) {
      this.#kept.delete(address);
      this.#kept.set(address, { tag, content: structuredClone(content) });
      if (this.#kept.size > MOST_KEPT) this.#kept.delete(this.#kept.keys().next().value);
    }
    return content;
  }

  /** The answer itself; a Problem if it is none of success. */
  async send(method, path, { query, body, key, version, signal, headers = {}, accept, keepalive = false } = {}) {
    const all = { accept: accept ?? "application/json", ...headers };
    if (this.token) all.authorization = `Bearer ${this.token}`;
    if (body !== undefined) all["content-type"] = "application/json";
    if (key) all["idempotency-key"] = key;
    if (version !== undefined && version !== null) all["if-match"] = `"${version}"`;
    let answer;
    try {
      answer = await fetch(this.address(path, query), {
        method,
        headers: all,
        body: body === undefined ? undefined : JSON.stringify(body),
        signal,
        credentials: this.base === "" ? "same-origin" : "omit",
        cache: "no-store",
        keepalive,
      });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Problem({ title: "unreachable" }, 0);
    }
    if (answer.ok || answer.status === 304) return answer;
    throw await problemOf(answer);
  }

  address(path, query = {}) {
    const asked = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined && value !== null && value !== "") asked.set(name, value);
    }
    const text = asked.toString();
    return `${this.base}${path}${text ? `?${text}` : ""}`;
  }

  /** Every page of a list, one after the other. */
  async *pages(path, query = {}, options = {}) {
    let cursor;
    do {
      const page = await this.get(path, { ...query, cursor }, options);
      yield page.items;
      cursor = page.cursor;
    } while (cursor);
  }

  /** The events of a streamed answer: {event, data, id}. */
  async *stream(method, path, options = {}) {
    const answer = await this.send(method, path, { accept: "text/event-stream", ...options });
    yield* events(answer.body);
  }

  /** Save an answer as a file. */
  async download(path, query, name) {
    const answer = await this.send("GET", path, { query, accept: "*/*" });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await answer.blob());
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }
}

async function problemOf(answer) {
  const after = Number(answer.headers.get("retry-after")) || null;
  try {
    return new Problem(await answer.json(), answer.status, after);
  } catch {
    return new Problem({ title: answer.statusText }, answer.status, after);
  }
}

/** Server-sent events out of a body. */
export async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let event = { event: "message", data: [], id: null };
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const lines = (rest + value).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop();
      for (const line of lines) {
        if (line === "") {
          // One without data only says how far the stream has come.
          if (event.data.length || event.id) yield { ...event, data: event.data.length ? parsed(event.data.join("\n")) : null };
          event = { event: "message", data: [], id: null };
          continue;
        }
        const [, field, text] = line.match(/^([^:]*):? ?(.*)$/s);
        if (field === "data") event.data.push(text);
        else if (field === "event") event.event = text;
        else if (field === "id") event.id = text;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const hubs = new Map();
const FALLBACK = 5_000;
const SHORTEST_PAUSE = 1_000;
const LONGEST_PAUSE = 30_000;
/** A page loads while the channel opens; what changed in between is looked for when it has settled. */
const SETTLED = 2_000;

/**
 * Hear of changes of a user's things, from whatever device: `hear({event, data})`. All elements of a page share one
 * connection. A server without a live channel is asked now and then instead: event "poll". Returns how to stop.
 */
export function listen(api, user, hear) {
  const name = `${api.base} ${user} ${api.token ?? ""}`;
  if (!hubs.has(name)) hubs.set(name, new Hub(api, user, () => hubs.delete(name)));
  return hubs.get(name).add(hear);
}

class Hub {
  #ears = new Set();
  #stop = new AbortController();

  constructor(api, user, onEnd) {
    this.api = api;
    this.user = user;
    this.onEnd = onEnd;
    this.#run();
  }

  add(hear) {
    this.#ears.add(hear);
    return () => {
      this.#ears.delete(hear);
      if (this.#ears.size === 0) {
        this.#stop.abort();
        this.onEnd();
      }
    };
  }

  #tell(event) {
    for (const hear of [...this.#ears]) hear(event);
  }

  async #run() {
    const { signal } = this.#stop;
    let last = null;
    let pause = SHORTEST_PAUSE;
    while (!signal.aborted) {
      try {
        const headers = last ? { "last-event-id": last } : {};
        for await (const event of this.api.stream("GET", "/api/live", { query: { user: this.user }, headers, signal })) {
          pause = SHORTEST_PAUSE;
          if (event.id) last = event.id;
          if (event.event === "ready") setTimeout(() => this.#again(signal), SETTLED);
          else if (event.event === "reset") this.#again(signal);
          else if (event.event === "error") throw new Problem(event.data, event.data.status);
          else if (event.data) this.#tell(event);
        }
        await wait(SHORTEST_PAUSE, signal);
      } catch (error) {
        if (signal.aborted || error.status === 401 || error.status === 403) return;
        if (error.status === 404 || error.status === 405) return this.#poll(signal);
        await wait(pause, signal);
        pause = Math.min(pause * 2, LONGEST_PAUSE);
        this.#again(signal);
      }
    }
  }

  /** Something may have been missed: everybody looks for themselves. */
  #again(signal) {
    if (!signal.aborted) this.#tell({ event: "poll", data: {} });
  }

  async #poll(signal) {
    while (!signal.aborted) {
      await wait(FALLBACK, signal);
      if (document.visibilityState === "visible") this.#again(signal);
    }
  }
}

/** Wait so many milliseconds, or until called off. */
export function wait(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}

// Sessions ------------------------------------------------------------------------------------------------------

// Which session a user and an agent go on with: what this browser remembers, if the server agrees; else the server's
// active one; else a new one, which becomes the active one.

/** Where this browser remembers it. */
export function storageKey(user, agent) {
  return `chatSession_${user}_${agent}`;
}

/** The session to go on with. */
export async function resume(api, user, agent, signal) {
  const key = storageKey(user, agent);
  const persisted = read(key);
  const active = await activeSession(api, user, agent, signal);
  if (persisted !== null && persisted === active) return persisted;
  if (persisted !== null) forget(key);
  if (active !== null) {
    write(key, active);
    return active;
  }
  return begin(api, user, agent, signal);
}

/** A new session, at once the active one. */
export async function begin(api, user, agent, signal) {
  const id = uuid();
  write(storageKey(user, agent), id);
  await activate(api, user, agent, id, signal);
  return id;
}

/** Go on with this session from now on, here and on other devices. */
export async function activate(api, user, agent, id, signal) {
  await api.put("/api/sessions/active", { session_id: id, agent_id: agent, user_id: user }, { signal });
  write(storageKey(user, agent), id);
}

/** The id of the server's active session, or null. */
export async function activeSession(api, user, agent, signal) {
  try {
    const found = await api.get("/api/sessions/active", { user_id: user, agent_id: agent }, { signal });
    return found.active_session_id;
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return null;
    throw error;
  }
}

function read(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key, id) {
  try {
    localStorage.setItem(key, id);
  } catch {
    // The server knows it too.
  }
}

function forget(key) {
  try {
    localStorage.removeItem(key);
  } catch {
    // Nothing was kept.
  }
}

// Drafts --------------------------------------------------------------------------------------------------------

// What was written and not sent outlives a reload, but not the tab: on a machine that people share, nobody who
// comes later finds half a message.

const DRAFT = "chatDraft_";

function draftKey({ user, agent, id }) {
  return `${DRAFT}${user}_${agent}_${id}`;
}

/** What was written in a conversation and not sent: {text, unsent}; unsent is {text, key} of one that was tried. */
export function draftOf(talk) {
  try {
    return { text: "", unsent: null, ...JSON.parse(sessionStorage.getItem(draftKey(talk))) };
  } catch {
    return { text: "", unsent: null };
  }
}

/** Keep a draft; nothing of it is left where there is nothing in it. */
export function keepDraft(talk, { text = "", unsent = null }) {
  try {
    if (text || unsent) sessionStorage.setItem(draftKey(talk), JSON.stringify({ text, unsent }));
    else sessionStorage.removeItem(draftKey(talk));
  } catch {
    // A browser that keeps nothing still has it on the screen.
  }
}

/** Forget all drafts, when somebody signs out. */
export function forgetDrafts() {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(DRAFT)) sessionStorage.removeItem(key);
  } catch {
    // Nothing was kept.
  }
}
