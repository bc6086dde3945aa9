// What the page says, in the reader's language; dates and numbers by locale.

export const LANGUAGES = { en: "English", es: "Español" };
const KEPT = "recollect_language";

let current = null;

/** The language in use: the one chosen here, else the page's own, else the browser's, else English. */
export function language() {
  if (current === null) {
    const wishes = [kept(), ...navigator.languages, document.documentElement.lang];
    current = wishes.map((wish) => (wish ?? "").slice(0, 2)).find((wish) => wish in LANGUAGES) ?? "en";
  }
  return current;
}

/** Speak another language from now on; every element hears of it. */
export function speak(name) {
  current = name in LANGUAGES ? name : "en";
  try {
    localStorage.setItem(KEPT, current);
  } catch {
    // A browser that keeps nothing still speaks it now.
  }
  document.dispatchEvent(new CustomEvent("recollect-language", { detail: current }));
}

function kept() {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

/** The locale of dates and numbers: the browser's own variant of the language, such as es-MX. */
export function locale() {
  return navigator.languages.find((one) => one.startsWith(language())) ?? language();
}

/**
 * A function from a key to a text, out of {en: {key: text}, es: {…}}. In a text, {name} is filled in; a text that
 * depends on a number is {one: …, other: …}, and chosen by `count`.
 */
export function words(texts) {
  return (key, values = {}) => {
    const found = texts[language()]?.[key] ?? texts.en[key] ?? key;
    const text = typeof found === "string" ? found : found[plural(values.count)] ?? found.other;
    return text.replace(/\{(\w+)\}/g, (whole, name) =>
      name in values ? (typeof values[name] === "number" ? number(values[name]) : String(values[name])) : whole,
    );
  };
}

// What the server says in English ---------------------------------------------------------------------------------

let spanish = null;

/** Have the words at hand for what the server says; without them, it is shown in English. */
export async function learned() {
  if (language() === "es") spanish ??= await import("./spanish.js").catch(() => null);
}

/** A name or a sentence of the server, in the reader's words; as it is where they are not known. */
export function said(text) {
  return language() === "es" && spanish && typeof text === "string" ? spanish.said(text) : text;
}

/** A name such as "paymentTerms" or "drafting_rfp", as people write it. */
export function readable(name) {
  const text = name.replace(/[_-]+/g, " ").replace(/([a-z\d])([A-Z])/g, "$1 $2").toLowerCase();
  return said((text.charAt(0).toUpperCase() + text.slice(1)).replace(SHORT, (word) => word.toUpperCase()));
}

const SHORT = /\b(rfp|id|url|api|sla)\b/gi;

/** The server's own name for what somebody calls so. */
export function meant(text) {
  return language() === "es" && spanish ? spanish.meant(text) : text;
}

/** Known without the server, which may be what cannot be reached. */
const OWN = ["unreachable", "unauthorized", "forbidden", "conflict"];
const problems = words({
  en: {
    unreachable: "The server cannot be reached. Check the connection, then try again.",
    unauthorized: "Please sign in first.",
    forbidden: "This key is not allowed to do that.",
    conflict: "Somebody changed this in the meantime.",
  },
  es: {
    unreachable: "No se puede contactar con el servidor. Revisa la conexión y vuelve a intentarlo.",
    unauthorized: "Primero inicia sesión.",
    forbidden: "Esta clave no tiene permiso para eso.",
    conflict: "Alguien lo ha cambiado mientras tanto.",
  },
});

/** What to tell a person about an error. */
export function explained(error) {
  if (OWN.includes(error.kind)) return problems(error.kind);
  return (language() === "es" && spanish?.PROBLEMS[error.kind]?.(error)) || error.message;
}

// Dates and numbers -------------------------------------------------------------------------------------------------

const made = new Map();

function format(kind, options) {
  const key = `${kind} ${locale()} ${JSON.stringify(options)}`;
  if (!made.has(key)) made.set(key, new Intl[kind](locale(), options));
  return made.get(key);
}

function plural(count) {
  return format("PluralRules", {}).select(count ?? 0);
}

/** A number as people write it. */
export function number(value, options = {}) {
  return format("NumberFormat", { maximumFractionDigits: 2, ...options }).format(value);
}

/** How many days before `now` a moment was, by the reader's calendar. */
export function daysAgo(moment, now = new Date()) {
  const midnight = (date) => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
  return Math.round((midnight(now) - midnight(moment)) / 86_400_000);
}

/** "Today", "Yesterday", "2 days ago" up to a week, then "Jan 15, 2024". */
export function day(value, now = new Date()) {
  const moment = new Date(value);
  const ago = daysAgo(moment, now);
  if (ago >= 0 && ago < 7) {
    return capital(format("RelativeTimeFormat", { numeric: ago < 2 ? "auto" : "always" }).format(-ago, "day"));
  }
  return format("DateTimeFormat", { year: "numeric", month: "short", day: "numeric" }).format(moment);
}

/** The time of a day. */
export function time(value) {
  return format("DateTimeFormat", { hour: "numeric", minute: "2-digit" }).format(new Date(value));
}

/** Day and time, for where it must be exact. */
export function moment(value) {
  return format("DateTimeFormat", { dateStyle: "medium", timeStyle: "short" }).format(new Date(value));
}

/** What a date field takes at most: years of four digits, in every zone. */
export const LAST_DAY = "9999-12-30";

/** The date of a moment by the reader's calendar, as a date field has it. */
export function dated(value) {
  const date = new Date(value);
  return new Date(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate())).toISOString().slice(0, 10);
}

/** When the day of a date field begins, where the reader is. */
export function dawn(date) {
  return new Date(`${date}T00:00`).toISOString();
}

/** Short, for a list: the time if today, else the day. */
export function lately(value) {
  return daysAgo(new Date(value)) === 0 ? time(value) : day(value);
}

function capital(text) {
  return text.charAt(0).toLocaleUpperCase(locale()) + text.slice(1);
}
