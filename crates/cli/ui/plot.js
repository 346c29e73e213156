// Positions by distance as a picture, and what is drawn as files.
import { h, readable, s } from "./dom.js";
import { shape } from "./shapes.js";
import { count, phrase } from "./words.js";

/** The values that have a distance, in the order they are shown. */
export const SERIES = ["win", "tie", "lose"];

/** Whether values have distances: where only the winner is known, the rows are `over` and `goes on`. */
export const hasDistances = (counts) => SERIES.every((value) => Object.keys(counts[value] ?? {}).every((r) => /^\d+$/.test(r)));

/** All positions of a value. */
export const total = (counts, value) => (value === "draw" ? counts.draw ?? 0 : Object.values(counts[value] ?? {}).reduce((a, b) => a + b, 0));

const power = (e) => (e < 4 ? count(10 ** e) : readable(`10^${e}`));

/**
 * The lines of one value. Players take turns, so distances of one value are two moves apart as a rule; a line never joins
 * distances of which the other kind cannot occur, or hardly does.
 */
export function strokes(list) {
  const all = new Map(list);
  const begins = list.filter(([r]) => !all.has(r - 2) && all.has(r + 2));
  return begins.map(([first]) => {
    const line = [];
    for (let r = first; all.has(r); r += 2) line.push([r, all.get(r)]);
    return line;
  });
}

/** Positions against distance, the number on a scale of powers of ten; draws, which have no end, stand at the right. */
export function plot(counts) {
  if (!hasDistances(counts)) return h("p", { class: "note" }, "Values tell who wins, not how soon.");
  // On a phone the picture is drawn smaller, not its letters.
  const narrow = innerWidth < 760;
  const [width, height, left, edge, top, bottom] = narrow ? [350, 300, 46, 4, 12, 44] : [720, 340, 52, 16, 16, 44];
  const rows = SERIES.map((value) => [value, Object.entries(counts[value] ?? {}).map(([r, n]) => [Number(r), n]).sort((a, b) => a[0] - b[0])]);
  const all = rows.flatMap(([, list]) => list);
  if (!all.length) return h("p", { class: "empty" }, "No position has an end.");
  const draws = total(counts, "draw");
  const right = edge + (draws ? 64 : 0);
  const far = Math.max(1, ...all.map(([r]) => r));
  const high = Math.max(1, Math.ceil(Math.log10(Math.max(draws, ...all.map(([, n]) => n)))));
  const x = (r) => left + 10 + ((width - left - right - 20) * r) / far;
  const y = (n) => height - bottom - 8 - ((height - top - bottom - 8) * Math.log10(n)) / high;
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((size) => far / size <= (narrow ? 8 : 15)) ?? 1000;
  const ticks = Array.from({ length: Math.floor(far / step) + 1 }, (_, i) => i * step);
  const size = all.length > (narrow ? 60 : 120) ? 2.5 : all.length > 60 ? 3.5 : 5;
  const mark = (value, n, at, remoteness) => s("g", {}, s("title", {}, `${phrase({ value, remoteness })}: ${count(n)} positions`), shape(value, at, y(n), size));
  const aside = width - edge - 24;
  return s("svg", { viewBox: `0 0 ${width} ${height}`, class: "plot", role: "img", "aria-label": "Number of positions by remoteness and value; the table below has the same figures" },
    s("g", { class: "axis" },
      Array.from({ length: high + 1 }, (_, e) => [
        s("line", { class: "faint", x1: left, x2: width - edge, y1: y(10 ** e), y2: y(10 ** e) }),
        s("text", { class: "end", x: left - 8, y: y(10 ** e), dy: "0.35em" }, power(e))]),
      ticks.map((r) => s("text", { x: x(r), y: height - bottom + 16 }, r)),
      draws ? s("text", { x: aside, y: height - bottom + 16 }, "no end") : [],
      s("text", { x: (left + width - right) / 2, y: height - 8 }, "moves to the end")),
    rows.map(([value, list]) => s("g", { class: `series v-${value}` },
      strokes(list).map((line) => s("polyline", { points: line.map(([r, n]) => `${x(r)},${y(n)}`).join(" ") })),
      list.map(([r, n]) => mark(value, n, x(r), r)))),
    draws ? s("g", { class: "series v-draw" }, mark("draw", draws, aside, null)) : []);
}

const DRAWN = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-size", "text-anchor"];

/** The text of a drawing that needs no style sheet, on the colour it stands on. */
export function standalone(svg) {
  const copy = svg.cloneNode(true);
  const [from, to] = [svg, copy].map((one) => [...one.querySelectorAll("line, text, polyline, polygon, circle, rect")]);
  from.forEach((one, i) => {
    const style = getComputedStyle(one);
    for (const name of DRAWN) to[i].setAttribute(name, style.getPropertyValue(name));
    to[i].removeAttribute("class");
  });
  copy.removeAttribute("class");
  const { width, height } = svg.viewBox.baseVal;
  for (const [name, value] of Object.entries({ width, height, "font-family": "sans-serif" })) copy.setAttribute(name, value);
  copy.prepend(s("rect", { width: "100%", height: "100%", fill: getComputedStyle(svg.closest(".card")).backgroundColor }));
  return `${new XMLSerializer().serializeToString(copy)}\n`;
}

/** The counts as CSV: a row for each value and distance; draws have no distance. `sets` are columns, by name. */
export function csv(sets) {
  const names = Object.keys(sets);
  const rows = [["value", "remoteness", ...names]];
  const row = (value, far, of) => rows.push([value, far, ...names.map((name) => of(sets[name]) ?? 0)]);
  for (const value of SERIES) {
    const fars = [...new Set(names.flatMap((name) => Object.keys(sets[name][value] ?? {})))].sort((a, b) => a - b);
    for (const far of fars) row(value, far, (counts) => counts[value]?.[far]);
  }
  if (names.some((name) => total(sets[name], "draw"))) row("draw", "", (counts) => counts.draw);
  return rows.map((cells) => `${cells.join(",")}\n`).join("");
}
