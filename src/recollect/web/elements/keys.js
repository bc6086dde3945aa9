// Keys: the list of them, making one, and showing the one that is never shown again.

import { h, icon, iconButton } from "../element.js";
import { dated, dawn, LAST_DAY, lately, moment, words } from "../words.js";

const t = words({
  en: {
    noKeys: "There are no keys. On this machine nobody has to sign in until the first one is made.", name: "Name", scopes: "It may", read: "read", write: "write",
    adminScope: "administer", operatorScope: "run the installation", userOf: "Only for the user", everybody: "everybody", expires: "Expires on",
    firstKey: "After the first key, everybody has to sign in with one. Make one that may administer first.", make: "Make the key", madeTitle: "The new key",
    madeText: "It is shown now and never again. Copy it and keep it safe.", copy: "Copy", copied: "Copied", used: "Last used", neverUsed: "never", ends: "Ends",
    rotate: "Renew", rotateTitle: "Renew “{name}”?", rotateText: "It gets a new secret; the old one ends at once.", revoke: "Revoke", revokeTitle: "Revoke “{name}”?",
    revokeText: "Whoever uses it is shut out at once, for good.", revoked: "revoked", showRevoked: { one: "Show {count} revoked key", other: "Show {count} revoked keys" },
    unnamed: "without a name", user: "User",
  },
  es: {
    noKeys: "No hay claves. En esta máquina nadie tiene que iniciar sesión hasta que se cree la primera.", name: "Nombre", scopes: "Puede", read: "leer", write: "escribir",
    adminScope: "administrar", operatorScope: "gestionar la instalación", userOf: "Solo para el usuario", everybody: "todos", expires: "Caduca el",
    firstKey: "Tras la primera clave, todos tienen que iniciar sesión con una. Crea antes una que pueda administrar.", make: "Crear la clave", madeTitle: "La nueva clave",
    madeText: "Se muestra ahora y nunca más. Cópiala y guárdala bien.", copy: "Copiar", copied: "Copiado", used: "Último uso", neverUsed: "nunca", ends: "Caduca",
    rotate: "Renovar", rotateTitle: "¿Renovar «{name}»?", rotateText: "Recibe un secreto nuevo; el anterior deja de valer enseguida.", revoke: "Revocar",
    revokeTitle: "¿Revocar «{name}»?", revokeText: "Quien la use queda fuera enseguida, para siempre.", revoked: "revocada",
    showRevoked: { one: "Mostrar {count} clave revocada", other: "Mostrar {count} claves revocadas" }, unnamed: "sin nombre", user: "Usuario",
  },
});

const SCOPES = { read: "read", write: "write", admin: "adminScope", operator: "operatorScope" };

/** The keys there are; `renew(key, name)` and `revoke(key, name)` do what is clicked. Revoked ones are put aside. */
export function keysTable(keys, { renew, revoke }) {
  const place = h("div", {});
  const draw = (all) => {
    const gone = keys.filter((one) => one.revokedAt).length;
    const shown = keys.filter((one) => all || !one.revokedAt);
    place.replaceChildren(
      shown.length === 0 ? h("p", { class: "quiet" }, t("noKeys")) : h("div", { class: "scroll", tabindex: "0", role: "region", "aria-labelledby": "keys" }, h("table", {},
        h("thead", {}, h("tr", {}, ...["name", "scopes", "user", "used", "ends"].map((name) => h("th", { scope: "col" }, t(name))), h("td", {}))),
        h("tbody", {}, ...shown.map((one) => row(one, renew, revoke))))),
      gone && !all ? h("button", { type: "button", class: "plain", onclick: () => draw(true) }, t("showRevoked", { count: gone })) : "");
  };
  draw(false);
  return place;
}

function row(one, renew, revoke) {
  const name = one.name || t("unnamed");
  const cell = (at, never) => (at ? h("time", { datetime: at, title: moment(at) }, lately(at)) : never);
  return h("tr", { class: one.revokedAt ? "revoked" : null, "data-key": one.id },
    h("td", {}, name, h("div", { class: "small quiet mono" }, one.id)),
    h("td", {}, ...one.scopes.map((scope) => h("span", { class: "chip" }, t(SCOPES[scope] ?? scope)))),
    h("td", {}, one.user ?? h("span", { class: "quiet" }, t("everybody"))),
    h("td", {}, cell(one.lastUsedAt, t("neverUsed"))),
    h("td", {}, one.revokedAt ? h("span", { class: "chip bad" }, t("revoked")) : cell(one.expiresAt, "–")),
    h("td", { class: "actions" }, one.revokedAt ? null : [
      iconButton("retry", `${t("rotate")}: ${name}`, () => renew(one, name)),
      iconButton("trash", `${t("revoke")}: ${name}`, () => revoke(one, name), { class: "plain icon-only danger" }),
    ]));
}

/**
 * Ask for a new key, `make` it and show it; whether one was made. `first`: it is the first one, and should
 * administer. `operator`: whoever makes it runs the installation, and may let others do so.
 */
export async function newKey(title, make, { first = false, warn = first, operator = false } = {}) {
  const { ask } = await import("../dialogs.js");
  const scope = (name, on) => h("label", { class: "row" }, h("input", { type: "checkbox", name: `scope.${name}`, checked: on }), t(SCOPES[name]));
  let made = null;
  await ask({
    title,
    action: t("make"),
    content: [
      ...(warn ? [h("p", { class: "notice warn" }, t("firstKey"))] : []),
      h("label", { class: "field" }, t("name"), h("input", { name: "name", maxlength: "200", autocomplete: "off" })),
      h("div", { class: "row wrap", role: "group", "aria-label": t("scopes") }, h("span", { class: "small" }, t("scopes")), scope("read", true), scope("write", true), scope("admin", first), operator ? scope("operator", false) : null),
      h("label", { class: "field" }, t("userOf"), h("input", { name: "user", maxlength: "200", autocomplete: "off", placeholder: t("everybody") })),
      h("label", { class: "field" }, t("expires"), h("input", { type: "date", name: "expires", min: dated(Date.now() + 86_400_000), max: LAST_DAY })),
    ],
    check: async (values) => {
      const scopes = Object.keys(SCOPES).filter((name) => `scope.${name}` in values);
      made = await make({ name: values.name.trim(), scopes, user: values.user.trim() || null, expiresAt: values.expires ? dawn(values.expires) : null });
    },
  });
  if (made !== null) await showKey(made);
  return made !== null;
}

/** Give a key another secret, once a person agrees, and show it; whether it has one. */
export async function renewed(name, renew) {
  const { confirmed } = await import("../dialogs.js");
  if (!(await confirmed(t("rotateTitle", { name }), t("rotateText"), { action: t("rotate"), danger: true }))) return false;
  await showKey(await renew());
  return true;
}

/** End a key, once a person agrees; whether it has ended. */
export async function revoked(name, revoke) {
  const { confirmed } = await import("../dialogs.js");
  if (!(await confirmed(t("revokeTitle", { name }), t("revokeText"), { action: t("revoke"), danger: true }))) return false;
  await revoke();
  return true;
}

/** Show a key, which is never shown again. */
async function showKey(made) {
  const { tell } = await import("../dialogs.js");
  const input = h("input", { readonly: true, class: "mono", value: made.text, "aria-label": t("madeTitle"), onfocus: () => input.select() });
  const copy = h("button", {
    type: "button",
    class: "first",
    onclick: async () => {
      try {
        await navigator.clipboard.writeText(made.text);
        copy.lastChild.textContent = t("copied");
      } catch {
        // A page without TLS has no clipboard; then it is selected, ready to be copied by hand.
        input.focus();
      }
    },
  }, icon("key", 16), h("span", {}, t("copy")));
  await tell({ title: t("madeTitle"), content: [h("p", { class: "notice warn" }, t("madeText")), h("div", { class: "row" }, h("div", { class: "grow" }, input), copy)] });
}
