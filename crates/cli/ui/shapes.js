// One shape and one letter for each value, so that colour is never the only sign:
// win a disc, tie a square, draw a diamond, loss a plate that points down.
import { h, s } from "./dom.js";
import { isPuzzle, label } from "./words.js";

/** The bare shape of a value around (x, y). */
export function shape(value, x, y, r) {
  const points = (list) => list.map(([dx, dy]) => `${x + dx * r},${y + dy * r}`).join(" ");
  switch (value) {
    case "win": return s("circle", { cx: x, cy: y, r });
    case "tie": return s("rect", { x: x - r * 0.9, y: y - r * 0.9, width: r * 1.8, height: r * 1.8, rx: r * 0.2 });
    case "draw": return s("polygon", { points: points([[0, -1.25], [1.25, 0], [0, 1.25], [-1.25, 0]]) });
    case "lose": return s("polygon", { points: points([[-1, -0.85], [1, -0.85], [1, 0.25], [0, 1.2], [-1, 0.25]]) });
    default: return s("circle", { cx: x, cy: y, r: r * 0.9, class: "dashed" });
  }
}

/** A shape with its letter and distance, as a group of class `badge`. */
export function badge(worth, x, y, r) {
  const text = label(worth);
  const size = r * (text.length > 3 ? 0.56 : text.length > 2 ? 0.72 : 0.92);
  return s("g", { class: `badge v-${worth?.value ?? "unknown"}` },
    shape(worth?.value, x, y, r),
    s("text", { x, y: y - (worth?.value === "lose" ? r * 0.08 : 0), "font-size": size, dy: "0.35em" }, text));
}

/** The badge as a picture of its own, for tables and text. */
export function chip(worth) {
  return s("svg", { class: "chip", viewBox: "-28 -28 56 56", "aria-hidden": "true" }, badge(worth, 0, 0, 21));
}

/** What the shapes mean; `only` are the values to explain, all of them if left out. */
export function legend(only = null) {
  const items = isPuzzle()
    ? [["win", "solvable"], ["draw", "unsolvable: no end"], ["lose", "unsolvable: stuck in the end"]]
    : [["win", "win"], ["tie", "tie"], ["draw", "draw: no end"], ["lose", "loss"]];
  return h("ul", { class: "legend", "aria-label": "Signs" }, items.filter(([value]) => !only || only.includes(value)).map(([value, text]) =>
    h("li", {}, s("svg", { viewBox: "-14 -14 28 28", "aria-hidden": "true", class: `v-${value}` }, shape(value, 0, 0, 10)), text)));
}
