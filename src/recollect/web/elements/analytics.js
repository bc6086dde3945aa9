// <recollect-analytics>: how much there is, what it costs, and what is recalled. Drawn, and as tables.

import { bones, css, debounced, define, empty, h, icon, RecollectElement } from "../element.js";
import { lately, learned, locale, moment, number, said, words } from "../words.js";
import { bars, columns, dots } from "./plots.js";

const DAYS = [7, 30, 90, 366];
/** Memories stay under this in every prompt. */
const BUDGET = 200;
/** The classes c0 to c5. */
const COLOURS = 6;

const t = words({
  en: {
    analytics: "Analytics", days: "Period", lastDays: "Last {count} days", year: "Last year", whose: "Of", ofUser: "{user} with {agent}", ofAgents: "{user} with all agents", ofAll: "Everybody",
    conversations: "Conversations", messages: "Messages", memories: "Memories in use", perTurn: "Memory tokens per reply", none: "Nothing to count yet", noneText: "Talk to an agent, and figures appear here.",
    messagesByDay: "Messages by day", memoriesByDay: "Memories by day", byRole: "Messages by role", byCategory: "Memories by category", user: "User", assistant: "Assistant", tool: "Tool", system: "System",
    uncategorised: "without a category", others: "others", tokens: "Memory tokens in each reply’s prompt", budget: "under {count}", tokensHint: "Replies with memories: {count} of {of}. The highest was {most} tokens.", seconds: "Seconds per reply",
    secondsHint: "Half of them within {half} s, nineteen of twenty within {most} s.", spent: "Tokens of language models", sent: "sent", received: "received", recalled: "Most recalled", times: { one: "in {count} reply", other: "in {count} replies" },
    never: "Never recalled", neverHint: { one: "{count} memory was in no prompt.", other: "{count} memories were in no prompt." }, noRecalled: "No reply has used a memory in this period.", noNever: "Every memory was used in this period.", server: "This server",
    recallTime: "Recall", contextTime: "Context", turnTime: "Reply", within: "half within {half}, nineteen of twenty within {most}", ms: "{count} ms", cacheHits: "Cache hits", ratio: "{percent} of {count} reads", sinceStart: "Since it was started.", work: "Work",
    due: "Due", failed: "Failed", nothingDue: "Nothing is due.", kind: "Kind", attempts: "Attempts", when: "When", retry: "Try failed work again", retried: "{count} will be tried again", table: "As a table", day: "Day", count: "Number", at: "At", total: "Total", showMemories: "Show memories",
  },
  es: {
    analytics: "Análisis", days: "Periodo", lastDays: "Últimos {count} días", year: "Último año", whose: "De", ofUser: "{user} con {agent}", ofAgents: "{user} con todos los agentes", ofAll: "Todos",
    conversations: "Conversaciones", messages: "Mensajes", memories: "Recuerdos en uso", perTurn: "Tokens de memoria por respuesta", none: "Todavía no hay nada que contar", noneText: "Habla con un agente y aparecerán cifras.",
    messagesByDay: "Mensajes por día", memoriesByDay: "Recuerdos por día", byRole: "Mensajes por rol", byCategory: "Recuerdos por categoría", user: "Usuario", assistant: "Asistente", tool: "Herramienta", system: "Sistema",
    uncategorised: "sin categoría", others: "otros", tokens: "Tokens de memoria en cada respuesta", budget: "menos de {count}", tokensHint: "Respuestas con recuerdos: {count} de {of}. El máximo fue de {most} tokens.", seconds: "Segundos por respuesta",
    secondsHint: "La mitad en {half} s, diecinueve de veinte en {most} s.", spent: "Tokens de los modelos", sent: "enviados", received: "recibidos", recalled: "Los más recordados", times: { one: "en {count} respuesta", other: "en {count} respuestas" },
    never: "Nunca recordados", neverHint: { one: "{count} recuerdo no se ha usado.", other: "{count} recuerdos no se han usado." }, noRecalled: "Ninguna respuesta ha usado un recuerdo en este periodo.", noNever: "Todos los recuerdos se han usado en este periodo.", server: "Este servidor",
    recallTime: "Recordar", contextTime: "Contexto", turnTime: "Respuesta", within: "la mitad en {half}, diecinueve de veinte en {most}", ms: "{count} ms", cacheHits: "Aciertos de la caché", ratio: "{percent} de {count} lecturas", sinceStart: "Desde que se inició.", work: "Trabajo",
    due: "Pendiente", failed: "Fallido", nothingDue: "No hay nada pendiente.", kind: "Tipo", attempts: "Intentos", when: "Cuándo", retry: "Reintentar lo fallido", retried: "Se reintentarán {count}", table: "Como tabla", day: "Día", count: "Número", at: "Cuándo", total: "Total", showMemories: "Ver recuerdos",
  },
});

const style = css`
  header { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; margin-bottom: 1rem; }
  header h1 { flex: 1 1 auto; align-self: center; }
  header .field { min-width: 11rem; }
  .figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .75rem; margin-bottom: 1rem; }
  .figures .card { display: grid; align-content: start; gap: .1rem; padding: .8rem 1rem; }
  .figures b { font-size: 1.6rem; line-height: 1.2; letter-spacing: -.02em; font-variant-numeric: tabular-nums; }
  .plots { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1rem; }
  .plots + .plots { margin-top: 1rem; }
  figure.card { display: grid; grid-template-columns: minmax(0, 1fr); gap: .6rem; align-content: start; }
  figure svg { width: 100%; height: auto; display: block; overflow: visible; }
  figure svg text { font: 13px var(--font); fill: var(--quiet); }
  figure svg .grid { stroke: var(--line); stroke-width: 1; }
  figure svg .limit { stroke: var(--bad); stroke-width: 1.5; stroke-dasharray: 5 4; }
  figure svg .limit-name { fill: var(--bad); }
  figure svg .dot { fill: var(--accent); stroke: var(--paper); stroke-width: 1; }
  .key { display: flex; flex-wrap: wrap; gap: .3rem 1rem; font-size: .82rem; color: var(--quiet); }
  .key span { display: inline-flex; align-items: center; gap: .4rem; overflow-wrap: anywhere; }
  .key i { flex: none; width: .75rem; height: .75rem; border-radius: 3px; }
  .c0 { fill: var(--accent); background: var(--accent); }
  .c1 { fill: light-dark(#c07b1c, #e8b563); background: light-dark(#c07b1c, #e8b563); }
  .c2 { fill: light-dark(#3a64ad, #8fb2f2); background: light-dark(#3a64ad, #8fb2f2); }
  .c3 { fill: light-dark(#8a4a93, #d29be0); background: light-dark(#8a4a93, #d29be0); }
  .c4 { fill: light-dark(#9c3b33, #f0a29a); background: light-dark(#9c3b33, #f0a29a); }
  .c5 { fill: light-dark(#66706b, #9aa6a0); background: light-dark(#66706b, #9aa6a0); }
  details { font-size: .85rem; }
  summary { cursor: pointer; color: var(--quiet); }
  details .scroll { max-height: 16rem; overflow: auto; margin-top: .4rem; }
  .bars { display: grid; grid-template-columns: minmax(4rem, auto) minmax(0, 1fr) auto; gap: .45rem .75rem; align-items: center; font-size: .9rem; }
  .bars dt { overflow-wrap: anywhere; max-width: 14rem; }
  .bars dd.number { text-align: end; }
  .bars svg { display: block; width: 100%; height: .8rem; }
  .bars dl { display: contents; }
  ol.ranked li { display: flex; gap: .75rem; padding: .4rem 0; border-bottom: 1px solid var(--line); }
  ol.ranked li:last-child { border: 0; }
  ol.ranked .grow { overflow-wrap: anywhere; }
  dl.facts { display: grid; grid-template-columns: auto 1fr; gap: .35rem 1rem; }
  dl.facts dt { color: var(--quiet); }
  @media (max-width: 900px) { .plots { grid-template-columns: minmax(0, 1fr); } }
  @media (max-width: 600px) { header h1 { flex-basis: 100%; } header .field { flex: 1 1 9rem; min-width: 0; } figure svg text { font-size: 18px; } }
`;

class RecollectAnalytics extends RecollectElement {
  static observedAttributes = ["base", "user", "agent", "days"];
  static styles = [style];
  #whose = "user";
  #body = null;
  #admin = false;
  #again = debounced(() => this.#still() && this.#read().catch(() => {}), 2_000);

  get days() {
    const given = Number(this.getAttribute("days"));
    return given >= 1 && given <= 366 ? Math.round(given) : 30;
  }

  async start(signal) {
    this.#body = h("div", {}, bones(10));
    this.show(h("section", { "aria-label": t("analytics") }, this.#head(), this.#body));
    await learned();
    const who = await this.api.get("/api/whoami", {}, { signal }).catch(() => null);
    this.#admin = who?.scopes.includes("admin") ?? false;
    if (this.#admin) this.shadowRoot.querySelector("header").replaceWith(this.#head());
    else if (this.#whose === "all") this.#whose = "user";
    await this.#read();
    this.listen(() => this.#again());
  }

  #still() {
    return this.signal && !this.signal.aborted && document.visibilityState === "visible";
  }

  #head() {
    const names = { user: this.user ?? "local", agent: this.agent };
    const periods = DAYS.includes(this.days) ? DAYS : [...DAYS, this.days].sort((one, other) => one - other);
    const select = (name, options, chosen, act) => h("label", { class: "field" }, t(name), h("select", { onchange: (event) => act(event.target.value) }, ...options.map(([value, label]) => h("option", { value, selected: value === chosen }, label))));
    return h("header", {}, h("h1", {}, t("analytics")),
      select("whose", [["user", t("ofUser", names)], ["agents", t("ofAgents", names)], ...(this.#admin ? [["all", t("ofAll")]] : [])], this.#whose, (value) => ((this.#whose = value), this.#read().catch((error) => this.mention(error)))),
      select("days", periods.map((count) => [String(count), count === 366 ? t("year") : t("lastDays", { count })]), String(this.days), (value) => this.setAttribute("days", value)));
  }

  async #read() {
    const { signal } = this;
    const whose = this.#whose;
    const query = { days: this.days, user: whose === "all" ? null : this.user, agent: whose === "user" ? this.agent : null };
    const [found, due, failed, measures] = await Promise.all([
      this.api.get("/api/analytics", query, { signal }),
      ...(this.#admin ? [this.api.get("/api/work", { limit: 200 }, { signal }), this.api.get("/api/work", { failed: true, limit: 200 }, { signal }), this.#measures(signal)] : []),
    ]);
    if (signal.aborted || whose !== this.#whose) return;
    this.#draw(found, { due, failed, measures });
  }

  /** What the server counts about itself; null for whoever may not see it. */
  async #measures(signal) {
    try {
      return measured(await (await this.api.send("GET", "/metrics", { accept: "text/plain", signal })).text());
    } catch (error) {
      if (error.name === "AbortError") throw error;
      return null;
    }
  }

  #draw(found, { due, failed, measures }) {
    const turns = [...found.turns].reverse();
    const costs = turns.map((one) => one.memories);
    const nothing = found.conversations + found.messages + found.memories === 0;
    const open = new Set([...this.#body.querySelectorAll("details[open]")].map((one) => one.dataset.name));
    this.#body.replaceChildren(
      h("div", { class: "figures" },
        this.#figure("conversations", number(found.conversations)), this.#figure("messages", number(found.messages)), this.#figure("memories", number(found.memories)),
        turns.length ? this.#figure("perTurn", number(middle(costs)), t("budget", { count: BUDGET })) : null),
      nothing ? empty("analytics", t("none"), t("noneText")) : h("div", { class: "plots" },
        this.#byDay("messagesByDay", found.messagesByDay, found.days, (one) => t(one.role)),
        this.#byDay("memoriesByDay", found.memoriesByDay, found.days, (one) => said(one.category) ?? t("uncategorised")),
        this.#shares("byRole", found.messagesByDay, (one) => t(one.role)),
        this.#shares("byCategory", found.memoriesByDay, (one) => said(one.category) ?? t("uncategorised")),
        turns.length ? this.#turns("tokens", turns, (one) => one.memories, t("tokensHint", { count: costs.filter(Boolean).length, of: costs.length, most: Math.max(...costs) }), BUDGET) : null,
        turns.some((one) => one.seconds !== null) ? this.#turns("seconds", turns.filter((one) => one.seconds !== null), (one) => one.seconds, this.#hint(turns)) : null,
        found.tokensByDay.length ? this.#byDay("spent", found.tokensByDay.flatMap((one) => [{ day: one.day, name: "sent", count: one.tokensSent }, { day: one.day, name: "received", count: one.tokensReceived }]), found.days, (one) => t(one.name)) : null,
        this.#whose === "all" ? null : this.#ranked("recalled", found.recalled, null, t("noRecalled")),
        this.#whose === "all" ? null : this.#ranked("never", found.neverRecalled, found.neverRecalledCount ? t("neverHint", { count: found.neverRecalledCount }) : null, t(found.memories ? "noNever" : "none"))),
      this.#admin ? h("div", { class: "plots" }, this.#server(measures), this.#work(due, failed)) : "");
    for (const one of this.#body.querySelectorAll("details")) one.open = open.has(one.dataset.name);
  }

  #hint(turns) {
    const seconds = turns.map((one) => one.seconds).filter((one) => one !== null);
    return t("secondsHint", { half: quantile(seconds, 0.5), most: quantile(seconds, 0.95) });
  }

  #figure(name, value, hint = null) {
    return h("div", { class: "card" }, h("span", { class: "small quiet" }, t(name)), h("b", {}, value), hint ? h("span", { class: "hint" }, hint) : null);
  }

  #frame(name, picture, heads, rows, ...more) {
    return h("figure", { class: "card", "aria-labelledby": name }, h("h2", { id: name }, t(name)), picture, ...more,
      h("details", { "data-name": name }, h("summary", {}, t("table")), h("div", { class: "scroll", tabindex: "0" }, h("table", {},
        h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { scope: "col" }, head)))),
        h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map((cell, n) => h("td", { class: n ? "number" : null }, cell)))))))));
  }

  /** Columns over the days, one colour for each kind; what is left when the colours run out is one kind. */
  #byDay(name, counts, days, named) {
    const all = ranked(counts, named).map(([kind]) => kind);
    const most = all.length > COLOURS ? all.slice(0, COLOURS - 1) : all;
    const kinds = most.length < all.length ? [...most, t("others")] : all;
    const kindOf = (one) => (most.includes(named(one)) ? named(one) : t("others"));
    const perDay = new Map(lastDays(days).map((day) => [day, new Map()]));
    for (const one of counts) {
      const kindsOfDay = perDay.get(one.day);
      if (kindsOfDay) kindsOfDay.set(kindOf(one), (kindsOfDay.get(kindOf(one)) ?? 0) + one.count);
    }
    const points = [...perDay].map(([day, of]) => ({ name: dayName(day), parts: kinds.map((kind, n) => ({ kind, count: of.get(kind) ?? 0, look: `c${n}` })) }));
    const rows = points.filter((point) => point.parts.some((part) => part.count)).reverse().map((point) => [point.name, ...point.parts.map((part) => number(part.count))]);
    return this.#frame(name, columns(points, { title: t(name) }), [t("day"), ...kinds], rows,
      h("div", { class: "key" }, ...kinds.map((kind, n) => h("span", {}, h("i", { class: `c${n}` }), kind))));
  }

  #shares(name, counts, named) {
    const parts = ranked(counts, named);
    const total = parts.reduce((sum, [, count]) => sum + count, 0);
    return h("figure", { class: "card", "aria-labelledby": name }, h("h2", { id: name }, t(name)),
      total === 0 ? h("p", { class: "quiet" }, "–") : bars(parts.slice(0, 10).map(([kind, count], n) => ({ kind, count, look: `c${Math.min(n, COLOURS - 1)}`, share: count / parts[0][1], text: `${number(count)} · ${number(count / total, { style: "percent", maximumFractionDigits: 0 })}` }))));
  }

  #turns(name, turns, value, hint, limit = null) {
    const points = turns.map((one) => ({ name: moment(one.at), value: value(one) }));
    return this.#frame(name, dots(points, { title: t(name), limit, limitName: limit ? t("budget", { count: limit }) : "" }), [t("at"), t("count")], points.toReversed().map((point) => [point.name, number(point.value)]), h("p", { class: "hint" }, hint));
  }

  #ranked(name, items, hint, nothing) {
    return h("section", { class: "card stack", "aria-labelledby": name }, h("h2", { id: name }, t(name)), hint ? h("p", { class: "hint" }, hint) : null,
      items.length === 0 ? h("p", { class: "quiet" }, nothing) : h("ol", { class: "plain ranked" }, ...items.map((one) => h("li", {}, h("span", { class: "grow" }, one.text), one.count ? h("span", { class: "small quiet number" }, t("times", { count: one.count })) : null))),
      items.length ? h("div", {}, h("button", { type: "button", onclick: () => this.emit("recollect-open", { screen: "memories", with: {} }) }, icon("memories", 16), t("showMemories"))) : null);
  }

  #server(measures) {
    if (measures === null || measures === undefined) return null;
    const took = (seconds) => t("ms", { count: seconds * 1000 });
    const facts = [["recallTime", /\/recall$/], ["contextTime", /\/context$/], ["turnTime", /\/(chat|message|stream)$/]].map(([name, route]) => {
      const found = measures.times(route);
      return found ? [h("dt", {}, t(name)), h("dd", { class: "number" }, t("within", { half: took(found.half), most: took(found.most) }))] : [];
    });
    const { hits, reads } = measures.cache;
    if (reads) facts.push([h("dt", {}, t("cacheHits")), h("dd", { class: "number" }, t("ratio", { percent: number(hits / reads, { style: "percent", maximumFractionDigits: 1 }), count: reads }))]);
    if (facts.flat().length === 0) return null;
    return h("section", { class: "card stack", "aria-labelledby": "server" }, h("h2", { id: "server" }, t("server")), h("dl", { class: "facts" }, ...facts.flat()), h("p", { class: "hint" }, t("sinceStart")));
  }

  #work(due, failed) {
    const rows = [...failed, ...due];
    const now = due.filter((one) => new Date(one.dueAt) <= new Date());
    return h("section", { class: "card stack", "aria-labelledby": "work" },
      h("div", { class: "row wrap" }, h("h2", { id: "work", class: "grow" }, t("work")), h("span", { class: "chip" }, `${t("due")}: ${number(now.length)}`), h("span", { class: failed.length ? "chip bad" : "chip" }, `${t("failed")}: ${number(failed.length)}`)),
      rows.length === 0 ? h("p", { class: "quiet" }, t("nothingDue")) : h("div", { class: "scroll" }, h("table", {},
        h("thead", {}, h("tr", {}, ...["kind", "user", "attempts", "when"].map((name) => h("th", { scope: "col" }, t(name))))),
        h("tbody", {}, ...rows.slice(0, 12).map((one) => h("tr", {}, h("td", {}, one.failedAt ? h("span", { class: "chip bad" }, said(one.kind)) : said(one.kind)), h("td", {}, one.user ?? "–"), h("td", { class: "number" }, number(one.attempts)), h("td", {}, lately(one.failedAt ?? one.dueAt))))))),
      failed.length ? h("div", {}, h("button", { type: "button", onclick: () => this.#retry() }, icon("retry", 16), t("retry"))) : null);
  }

  async #retry() {
    try {
      const { retried } = await this.api.post("/api/admin/retry-work", {});
      const { toast } = await import("../dialogs.js");
      toast(t("retried", { count: retried }));
      await this.#read();
    } catch (error) {
      this.mention(error);
    }
  }
}

/** What each kind comes to, most first. */
function ranked(counts, named) {
  const sums = new Map();
  for (const one of counts) sums.set(named(one), (sums.get(named(one)) ?? 0) + one.count);
  return [...sums].sort(([, one], [, other]) => other - one);
}

/** The days (UTC) up to today, as the server writes them. */
function lastDays(count) {
  return Array.from({ length: count }, (_, n) => new Date(Date.now() - (count - 1 - n) * 86_400_000).toISOString().slice(0, 10));
}

function dayName(day) {
  return new Date(`${day}T12:00:00`).toLocaleDateString(locale(), { day: "numeric", month: "short" });
}

function quantile(values, share) {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

function middle(values) {
  return quantile(values, 0.5);
}

/** The figures in a Prometheus text that are shown here. */
export function measured(text) {
  const samples = [...text.matchAll(/^(\w+)\{(.*)\} ([\d.e+-]+)$/gm)].map(([, name, labels, value]) => ({ name, value: Number(value), labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, given]) => [label, given])) }));
  return {
    /** Within how many seconds half and nineteen of twenty requests of some routes were answered: the bucket's bound. */
    times(route) {
      const bounds = new Map();
      for (const one of samples) {
        if (one.name !== "recollect_http_seconds_bucket" || !route.test(one.labels.route)) continue;
        bounds.set(one.labels.le, (bounds.get(one.labels.le) ?? 0) + one.value);
      }
      const total = bounds.get("+Inf") ?? 0;
      if (total === 0) return null;
      const finite = [...bounds].filter(([bound]) => bound !== "+Inf").map(([bound, count]) => [Number(bound), count]).sort(([one], [other]) => one - other);
      const within = (share) => (finite.find(([, count]) => count >= total * share) ?? finite.at(-1))[0];
      return { half: within(0.5), most: within(0.95) };
    },
    cache: {
      hits: sum(samples.filter((one) => one.name === "recollect_cache_reads_total" && one.labels.result === "hit")),
      reads: sum(samples.filter((one) => one.name === "recollect_cache_reads_total" && ["hit", "miss"].includes(one.labels.result))),
    },
  };
}

function sum(samples) {
  return samples.reduce((total, one) => total + one.value, 0);
}

define("recollect-analytics", RecollectAnalytics);
