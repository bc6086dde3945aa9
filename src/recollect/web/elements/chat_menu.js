// What the menu of a conversation does. Loaded when somebody chooses it.

import { path } from "../api.js";
import { asked } from "../dialogs.js";
import { words } from "../words.js";

const t = words({ en: { rename: "Rename", title: "Title" }, es: { rename: "Cambiar el nombre", title: "Título" } });

const ENDINGS = { json: "json", markdown: "md", pdf: "pdf" };

/** Ask for another title; the conversation as it then is, or null if nobody wanted one. */
export async function rename(api, talk) {
  const title = await asked(t("rename"), { label: t("title"), value: talk.title ?? "", action: t("rename"), maxlength: "200" });
  return title === null ? null : api.patch(path`/api/conversations/${talk.id}`, { title: title.trim() || null });
}

/** Save the conversation as a file that is called like it. */
export async function save(api, talk, format) {
  const name = (talk.title ?? "").replace(/[^\p{L}\p{N} _-]/gu, "").trim().slice(0, 60) || "conversation";
  await api.download(path`/api/conversations/${talk.id}/export`, { format }, `${name}.${ENDINGS[format]}`);
}
