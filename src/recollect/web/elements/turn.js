// One message and what is answered to it. Loaded once there is a conversation to say something in.

import { path, Problem, wait } from "../api.js";

const TRIES_WHILE_BUSY = 20;
const TITLE_LENGTH = 60;

/**
 * Let the agent answer: `turn` is {text, key, asked, reply, tool, done}, filled in while the reply comes. The key is the
 * same however often it is tried, so that nothing is said twice. `begun()` is called when the message is stored, and
 * `more()` when there is more of the reply.
 */
export async function answered(api, talk, turn, { signal, begun, more }) {
  for (let tried = 1; ; tried += 1) {
    try {
      return await streamed(api, talk, turn, { signal, begun, more });
    } catch (error) {
      // The same message is being answered: whoever lost the connection waits for what comes of it.
      if (error.kind !== "busy" || tried > TRIES_WHILE_BUSY || signal.aborted) throw error;
      await wait(Math.min(1_500, (error.retryAfter ?? 1) * 1_000), signal);
    }
  }
}

async function streamed(api, talk, turn, { signal, begun, more }) {
  const events = api.stream("POST", path`/api/conversations/${talk.id}/stream`, { body: { message: turn.text }, key: turn.key, signal });
  for await (const { event, data } of events) {
    if (event === "started") {
      turn.asked = data.asked;
      begun();
    } else if (event === "piece") {
      turn.reply += data.text;
      more();
    } else if (event === "tool_called") {
      turn.tool = data.name;
      more();
    } else if (event === "error") {
      throw new Problem(data, data.status);
    } else if (event === "done") {
      turn.done = data;
      return;
    }
  }
  throw new Problem({}, 0);
}

/** A conversation without a title is called what was said first. */
export function titled(text) {
  // By whole characters: half of one is no text, and the server refuses it.
  const line = [...text.split("\n")[0]];
  return line.length > TITLE_LENGTH ? `${line.slice(0, TITLE_LENGTH - 1).join("").trimEnd()}…` : line.join("");
}
