// Plots as pictures: columns over days, dots over turns, bars. Colours are classes of whoever shows them.

import { h, s } from "../element.js";
import { number } from "../words.js";

const WIDTH = 560;
const HEIGHT = 190;
const LEFT = 40;
const BOTTOM = 24;
const TOP = 10;

/** Columns, one for each point {name, parts: [{kind, count, look}]}, the parts on top of each other. */
export function columns(points, { title }) {
  const totals = points.map((point) => point.parts.reduce((sum, part) => sum + part.count, 0));
  const scale = scaled(Math.max(1, ...totals));
  const step = (WIDTH - LEFT) / points.length;
  const gap = Math.min(4, step * 0.25);
  const marks = points.flatMap((point, n) => {
    let below = 0;
    const parts = point.parts.filter((part) => part.count).map((part) => {
      const bottom = scale.y(below);
      below += part.count;
      return s("rect", { class: part.look, x: LEFT + n * step + gap / 2, y: scale.y(below), width: Math.max(1, step - gap), height: Math.max(1, bottom - scale.y(below)), rx: Math.min(2, step / 4) });
    });
    if (parts.length === 0) return [];
    const text = `${point.name}: ${point.parts.filter((part) => part.count).map((part) => `${part.kind} ${number(part.count)}`).join(", ")}`;
    return [s("g", {}, s("title", {}, text), ...parts)];
  });
  return picture(title, scale, marks, labels(points, (n) => LEFT + (n + 0.5) * step));
}

/** Dots, one for each point {name, value}, and a line that they should stay under. */
export function dots(points, { title, limit = null, limitName = "" }) {
  const scale = scaled(Math.max(0.001, ...points.map((point) => point.value), (limit ?? 0) * 1.15));
  const x = (n) => (points.length === 1 ? (LEFT + WIDTH) / 2 : LEFT + 6 + (n * (WIDTH - LEFT - 12)) / (points.length - 1));
  const marks = points.map((point, n) => s("g", {}, s("title", {}, `${point.name}: ${number(point.value)}`), s("circle", { class: "dot", cx: x(n), cy: scale.y(point.value), r: points.length > 80 ? 3 : 4.5 })));
  const line = limit === null ? [] : [
    s("line", { class: "limit", x1: LEFT, x2: WIDTH, y1: scale.y(limit), y2: scale.y(limit) }),
    s("text", { class: "limit-name", x: WIDTH, y: scale.y(limit) - 5, "text-anchor": "end" }, limitName),
  ];
  return picture(title, scale, [...line, ...marks], []);
}

/** A list with a bar for each {kind, share, text, look}; it is its own table. */
export function bars(parts) {
  return h("dl", { class: "bars" }, ...parts.flatMap((part) => [
    h("dt", {}, part.kind),
    h("dd", { "aria-hidden": "true" }, s("svg", { viewBox: "0 0 100 8", preserveAspectRatio: "none" }, s("rect", { class: part.look, width: Math.max(0.6, part.share * 100), height: 8, rx: 1 }))),
    h("dd", { class: "number" }, part.text),
  ]));
}

function picture(title, scale, marks, names) {
  return s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": title },
    ...scale.ticks.flatMap((tick) => [
      s("line", { class: "grid", x1: LEFT, x2: WIDTH, y1: scale.y(tick), y2: scale.y(tick) }),
      s("text", { x: LEFT - 6, y: scale.y(tick) + 4, "text-anchor": "end" }, short(tick)),
    ]), ...marks, ...names);
}

/** A scale from zero to a round number, with a few ticks. */
function scaled(most) {
  const raw = most / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  let step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= raw);
  if (most >= 4) step = Math.max(1, Math.ceil(step));
  else if (Number.isInteger(most)) step = 1;
  const top = Math.ceil(most / step) * step;
  return {
    ticks: Array.from({ length: Math.round(top / step) + 1 }, (_, n) => n * step),
    y: (value) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / top),
  };
}

function short(value) {
  return number(value, { notation: value >= 10_000 ? "compact" : "standard" });
}

/** The names of some points under the axis, so that they do not touch. */
function labels(points, x) {
  const every = Math.ceil(points.length / 7);
  return points.map((point, n) => ((points.length - 1 - n) % every === 0 && (n > 0 || points.length === 1) ? s("text", { x: Math.min(x(n), WIDTH - 22), y: HEIGHT - 5, "text-anchor": "middle" }, point.name) : null));
}
