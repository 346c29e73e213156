// Parts that several boards are made of: colours, plates, discs, rows.
import { s } from "../dom.js";
import { U } from "./look.js";

export const WOOD = "light-dark(#ecd2a2, #4a3825)";
export const GRAIN = "light-dark(#a97f45, #8a6b45)";
export const INK = "light-dark(#55401f, #d8bd90)";
export const RED = "light-dark(#d8342f, #ee5a50)";
export const BLUE = "light-dark(#2460c8, #5b93f2)";
export const GOLD = "light-dark(#f5bd1f, #f7ca45)";
export const DARK = "light-dark(#24262c, #15171b)";
export const LIGHT = "light-dark(#ffffff, #f1f2f4)";
export const EDGE = "light-dark(#6b7385, #9aa3b3)";

/** A board of cells in rows, as the server describes it. */
export function grid(rows, cols) {
  const all = Array.from({ length: rows * cols }, (_, cell) => [cell % cols, Math.floor(cell / cols)]);
  return {
    width: cols, height: rows, lines: [], labels: [], sides: [], twists: [],
    cells: all.map(([x, y]) => [x + 0.5, y + 0.5]),
    names: all.map(([x, y]) => `${String.fromCharCode(97 + x)}${rows - y}`),
  };
}

/** A plate of `width` by `height` cells at (x, y). */
export const plate = (x, y, width, height, attributes) =>
  s("rect", { x: x * U, y: y * U, width: width * U, height: height * U, rx: 0.12 * U, ...attributes });

/** A disc with a rim, as discs and stones of board games have. */
export function disc(r, fill, edge, { inner = "none", more } = {}) {
  return s("g", { class: "piece" },
    s("circle", { r, fill, stroke: edge, "stroke-width": r * 0.07 }),
    s("circle", { r: r * 0.72, fill: inner, stroke: edge, "stroke-width": r * 0.07, opacity: 0.55 }), more);
}

/** A plain stone, a little lighter at the top. */
export function stone(r, fill, edge, shine = "light-dark(#ffffff, #ffffff)") {
  return s("g", { class: "piece" },
    s("circle", { r, fill, stroke: edge, "stroke-width": r * 0.07 }),
    s("ellipse", { cx: -r * 0.28, cy: -r * 0.36, rx: r * 0.36, ry: r * 0.22, fill: shine, opacity: 0.24, transform: "rotate(-32)" }));
}

export const black = (r) => stone(r, DARK, "light-dark(#000000, #aab2c0)");
export const white = (r) => stone(r, LIGHT, "light-dark(#737b8c, #5d6675)");

/** A cross of two strokes, and a ring. */
export const cross = (a, stroke, width) => s("path", { class: "piece", d: `M${-a} ${-a}L${a} ${a}M${a} ${-a}L${-a} ${a}`, stroke, "stroke-width": width, fill: "none", "stroke-linecap": "round" });
export const ring = (r, stroke, width) => s("circle", { class: "piece", r, stroke, "stroke-width": width, fill: "none" });

/** Words to be read, which no value may cover. */
export const words = (text, x, y, size, attributes) =>
  s("text", { x, y, dy: "0.35em", "font-size": size, "text-anchor": "middle", "font-weight": 700, class: "reads", ...attributes }, String(text));

/** Straight rows of `length` cells that pass a test. */
export function rows(cells, length, fits) {
  const key = (x, y) => `${Math.round(x * 50)},${Math.round(y * 50)}`;
  const at = new Map(cells.map(([x, y], cell) => [key(x, y), cell]));
  const found = [];
  for (const [x, y] of cells) {
    for (const [dx, dy] of [[1, 0], [0, 1], [1, 1], [1, -1]]) {
      const row = Array.from({ length }, (_, n) => at.get(key(x + n * dx, y + n * dy)));
      if (row.every((cell) => cell !== undefined) && fits(row)) found.push(row);
    }
  }
  return found;
}

/** Rows of `length` cells with the same letter. */
export const alike = (cells, length, pieces) =>
  rows(cells, length, ([first, ...rest]) => pieces[first] !== "-" && rest.every((cell) => pieces[cell] === pieces[first]));

/** Lines between the cells of a board in rows, without its border. */
export function between(width, height, attributes) {
  const lines = [];
  for (let x = 1; x < width; x += 1) lines.push(s("line", { x1: x * U, x2: x * U, y1: 0, y2: height * U }));
  for (let y = 1; y < height; y += 1) lines.push(s("line", { y1: y * U, y2: y * U, x1: 0, x2: width * U }));
  return s("g", { fill: "none", ...attributes }, lines);
}

/** The digit, letter or capital that stands for a number. */
export function number(sign) {
  if (sign === "-") return 0;
  if (/[A-Z]/.test(sign)) return sign.charCodeAt(0) - 65 + 36;
  return parseInt(sign, 36);
}
