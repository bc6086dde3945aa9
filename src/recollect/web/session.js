// Which session a user and an agent go on with: what this browser remembers, if the server agrees; else the server's
// active one; else a new one, which becomes the active one.

import { Problem, uuid } from "./api.js";

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

async function activeSession(api, user, agent, signal) {
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
