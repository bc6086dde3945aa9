// Memories that are about to be forgotten. That is for good, so it waits as long as the message with “Undo” is there.

import { path } from "../api.js";

/** A page that is being left can still send this many. */
const AT_ONCE = 500;

export class Forgetting {
  #leaving = new Map();

  /** `done(ids)` hears what the server has forgotten, `failed(error)` why it has not, `changed()` of either and of what is kept. */
  constructor({ done, failed, changed }) {
    Object.assign(this, { done, failed, changed });
  }

  has(id) {
    return this.#leaving.has(id);
  }

  /** Put some aside. Whose they are is kept with them: by then, the page may show somebody else's. */
  add(ids, { agent, user, api }) {
    for (const id of ids) this.#leaving.set(id, { agent, user, api });
  }

  /** Somebody has taken it back. */
  keep(ids) {
    for (const id of ids) this.#leaving.delete(id);
    this.changed();
  }

  /** Forget them now; all that were put aside, if nobody says which. */
  async now(ids = [...this.#leaving.keys()]) {
    const due = ids.filter((id) => this.#leaving.has(id)).slice(0, AT_ONCE);
    if (due.length === 0) return;
    const { agent, user, api } = this.#leaving.get(due[0]);
    try {
      await api.post(path`/api/agents/${agent}/memories/forget`, { ids: due }, { query: { user }, keepalive: true });
      this.done(due);
    } catch (error) {
      this.failed(error);
    } finally {
      for (const id of due) this.#leaving.delete(id);
      this.changed();
    }
    await this.now(ids);
  }
}
