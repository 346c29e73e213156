// Kayles and Dawson's Kayles: pins in rows. A strike of one pin has its value below the pin, of two between them.
import { s } from "../dom.js";
import { Look, part, U } from "./look.js";
import { play } from "./motion.js";
import { GRAIN, WOOD, words } from "./parts.js";

const ROW = 8; // the most pins side by side
const TALL = 2.1;

export default class Pins extends Look {
  static example(game) {
    const cells = Array.from({ length: 8 }, (_, n) => [n + 0.5, 0.5]);
    return { board: { width: 8, height: 1, cells, names: cells.map((_, n) => String(n + 1)), lines: [], labels: [], sides: [], twists: [] }, view: [0, 0.1, 8.1, 1.5], pieces: game === "kayles" ? "xx-xxxxx" : "x--xxxxx" };
  }

  layout(board) {
    const count = board.cells.length;
    const lines = Math.ceil(count / ROW);
    this.row = Math.ceil(count / lines);
    return {
      ...board, width: this.row + 0.3, height: lines * TALL,
      cells: board.cells.map((_, n) => [(n % this.row) + 0.5, Math.floor(n / this.row) * TALL + 0.95]),
    };
  }

  get labelled() { return false; }

  ground() {
    const lines = Math.ceil(this.places.length / this.row);
    return part("lane", Array.from({ length: lines }, (_, n) => {
      const many = Math.min(this.row, this.places.length - n * this.row);
      return s("rect", { x: 4, y: (n * TALL + 1.3) * U, width: many * U - 8, height: 14, rx: 7, fill: WOOD, stroke: GRAIN, "stroke-width": 3 });
    }), this.places.map(([x, y], n) => s("ellipse", { cx: x * U, cy: (y + 0.36) * U, rx: 20, ry: 6, fill: GRAIN, opacity: 0.6, "data-pin": n })));
  }

  piece(letter, cell, size) {
    if (letter !== "x") return null;
    const u = size / 100;
    const body = "M0 -62C11 -62 15 -53 13 -42C11 -34 9 -30 11 -22C16 -8 21 2 20 16C19 28 15 36 12 40H-12C-15 36 -19 28 -20 16C-21 2 -16 -8 -11 -22C-9 -30 -11 -34 -13 -42C-15 -53 -11 -62 0 -62Z";
    return s("g", { class: "piece pin" }, s("g", { transform: `scale(${u})` },
      s("path", { d: body, fill: "light-dark(#fffdf8, #ece8df)", stroke: "light-dark(#6f6757, #575044)", "stroke-width": 3 }),
      s("path", { d: "M-11 -27H11M-11 -20H11", stroke: "#d23b36", "stroke-width": 5 }),
      cell !== null && words(cell + 1, 0, 18, 17, { fill: "#4a4336" })));
  }

  called(letter) { return { x: "pin", "-": "gap" }[letter] ?? letter; }

  token() { return null; }

  spot({ cell, arrow }) {
    if (cell !== undefined && cell !== null) {
      const [x, y] = this.at(cell);
      return { at: [x, y + 0.74 * U], r: 0.23 * U, hit: s("rect", { x: x - 30, y: y - 35, width: 60, height: 136, rx: 14 }) };
    }
    const [[x1, y1], [x2, y2]] = arrow;
    // From one row to the next: at the end of the first.
    const middle = y1 === y2 ? (x1 + x2) / 2 : x1 + 0.5;
    const [x, y] = [middle * U, (y1 - 0.68 - (Math.abs(x2 - x1) > 1.5 && y1 === y2 ? 0.05 : 0)) * U];
    return { at: [x, y], r: 0.23 * U, hit: s("rect", { x: x - 34, y: y - 24, width: 68, height: 68, rx: 14 }) };
  }

  guide({ cell, arrow }) {
    const ends = cell != null ? [cell, cell] : arrow.map(([x, y]) => this.places.findIndex(([a, b]) => Math.hypot(a - x, b - y) < 0.01));
    const struck = this.places.slice(ends[0], ends[1] + 1);
    return s("g", { class: "guide-rings" }, struck.map(([x, y]) => s("rect", { x: x * U - 27, y: y * U - 68, width: 54, height: 112, rx: 24, fill: "none", stroke: "var(--accent)", "stroke-width": 5 })));
  }

  animate({ before, after, ghost, places }) {
    places.forEach((_, cell) => {
      if (before[cell] !== "x" || after[cell] === "x") return;
      const pin = ghost(cell);
      const fallen = play(pin, [{ transform: "none", opacity: 1 }, { transform: "rotate(70deg) translate(10px, 10px)", opacity: 0 }], { duration: 420, easing: "ease-in", fill: "both" });
      if (fallen) fallen.onfinish = () => pin.remove(); else pin.remove();
    });
  }
}
