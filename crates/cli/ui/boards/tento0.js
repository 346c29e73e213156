// Ten to nothing: a track of numbers, and a counter on one of them.
import { s } from "../dom.js";
import { Look, part, U } from "./look.js";
import { slide } from "./motion.js";
import { GOLD, plate, words } from "./parts.js";

export default class Tento0 extends Look {
  static example() {
    const cells = Array.from({ length: 11 }, (_, n) => [(n % 6) + 0.5, Math.floor(n / 6) + 0.5]);
    return { board: { width: 6, height: 2, cells, names: cells.map((_, n) => String(10 - n)), lines: [], labels: [], sides: [], twists: [] }, pieces: "---x-------" };
  }

  layout(board) {
    const count = board.cells.length;
    const row = count <= 12 ? Math.ceil(count / 2) : 10;
    const tall = 1.35;
    return { ...board, width: Math.min(row, count), height: Math.ceil(count / row) * tall, cells: board.cells.map((_, n) => [(n % row) + 0.5, Math.floor(n / row) * tall + 0.5]) };
  }

  get labelled() { return false; }

  ground() {
    return part("track", this.places.map(([x, y], n) => {
      const last = n === this.places.length - 1;
      return part("stop", plate(x - 0.46, y - 0.46, 0.92, 0.92, { fill: last ? "light-dark(#d3f0e4, #17493a)" : "var(--tile)", stroke: last ? "var(--win)" : "var(--line)", "stroke-width": 3 }),
        words(this.board.names[n], x * U, y * U - 4, 44, { fill: "var(--ink)" }));
    }));
  }

  piece(letter, cell, size) {
    return letter === "x" ? s("circle", { class: "piece counter", r: 0.38 * size, fill: "none", stroke: GOLD, "stroke-width": 0.1 * size }) : null;
  }

  called(letter) { return { x: "counter", "-": "free" }[letter] ?? letter; }

  token() { return null; }

  spot({ cell }) {
    const [x, y] = this.at(cell);
    return { at: [x, y + 0.64 * U], r: 0.22 * U, hit: s("rect", { x: x - 47, y: y - 47, width: 94, height: 130, rx: 12 }) };
  }

  animate({ before, after, piece, centre }) {
    const [from, to] = [before.indexOf("x"), after.indexOf("x")];
    if (from < 0 || to < 0) return;
    const [[x1, y1], [x2, y2]] = [centre(from), centre(to)];
    slide(piece(to), [x1 - x2, y1 - y2]);
  }
}
