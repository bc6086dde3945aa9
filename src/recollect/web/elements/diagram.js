// A workflow as a picture: where the current step is, and where it can lead.

import { s } from "../element.js";

const HEIGHT = 46;
const TURN = 8;
const LETTER = 8.4;

/** An SVG of a layout of the server; `choose(step)` is called for a step that can be moved to now. */
export function diagram(layout, { title, start, step, moves, ends, choose, label }) {
  const here = (arrow) => arrow.edge.start === step;
  const first = layout.boxes.find((box) => box.name === start);
  const arrows = [...layout.arrows].sort((one, other) => here(one) - here(other));
  return s("svg", { viewBox: `0 0 ${Math.ceil(layout.width)} ${Math.ceil(layout.height)}`, width: Math.ceil(layout.width), height: Math.ceil(layout.height), role: "group", "aria-label": title },
    s("circle", { class: "begin", cx: first.x, cy: first.y - HEIGHT / 2 - 20, r: 5 }),
    s("path", { class: "move", d: `M${first.x} ${first.y - HEIGHT / 2 - 15}v10` }),
    ...arrows.map((arrow) => drawn(arrow, here(arrow))),
    ...layout.boxes.map((box) => step_(box, { here: box.name === step, next: moves.includes(box.name), last: ends.includes(box.name), choose, label })));
}

function step_(box, { here, next, last, choose, label }) {
  const [left, top] = [box.x - box.width / 2, box.y - HEIGHT / 2];
  const kind = here ? "here" : next ? "next" : "";
  const act = () => choose(box.name);
  const use = next ? { role: "button", tabindex: "0", "aria-label": label(box.label), onclick: act, onkeydown: (event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), act()) } : { role: "img", "aria-label": box.label, "aria-current": here ? "step" : null };
  return s("g", { class: `step ${kind}`, "data-step": box.name, ...use },
    s("rect", { x: left, y: top, width: box.width, height: HEIGHT, rx: 10 }),
    last ? s("rect", { class: "inner", x: left + 3, y: top + 3, width: box.width - 6, height: HEIGHT - 6, rx: 8 }) : null,
    s("text", { x: box.x, y: box.y + 5, ...fitted(box) }, box.label));
}

/** The server makes room for a step's own name; one in another language may be longer, and is squeezed. */
function fitted({ label, width }) {
  return label.length * LETTER > width - 2 * TURN ? { textLength: width - 2 * TURN, lengthAdjust: "spacingAndGlyphs" } : {};
}

function drawn(arrow, next) {
  const { edge, points } = arrow;
  const [[x1], [x, y]] = points.slice(-2);
  const head = x1 === x ? "l-4.5 -8h9z" : `l${x1 > x ? 8 : -8} -4.5v9z`;
  return s("g", { class: `arrow ${next ? "next" : ""} ${edge.condition ? "guarded" : ""}` },
    s("title", {}, `${edge.start} → ${edge.end}${edge.condition ? `: ${edge.condition}` : ""}`),
    s("path", { class: "move", d: line(points) }),
    s("path", { class: "head", d: `M${x} ${y}${head}` }),
    edge.label ? s("text", { class: "label", x: arrow.label_at[0], y: arrow.label_at[1] }, edge.label) : null);
}

/** Through the corners, each one rounded; it ends inside of the arrow's head. */
function line(corners) {
  const points = corners.map((point) => [...point]);
  const [[x1], end] = points.slice(-2);
  if (x1 === end[0]) end[1] -= 5;
  else end[0] += x1 > end[0] ? 5 : -5;
  let path = `M${points[0].join(" ")}`;
  for (let n = 1; n < points.length - 1; n += 1) {
    path += `L${towards(points[n], points[n - 1])}Q${points[n].join(" ")} ${towards(points[n], points[n + 1])}`;
  }
  return `${path}L${points.at(-1).join(" ")}`;
}

function towards([x, y], [toX, toY]) {
  const [dx, dy] = [toX - x, toY - y];
  const length = Math.max(Math.abs(dx), Math.abs(dy)) || 1;
  const part = Math.min(TURN, length / 2) / length;
  return `${x + dx * part} ${y + dy * part}`;
}
