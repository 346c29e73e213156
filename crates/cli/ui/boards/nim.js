// Nim: heaps of stones. The value of taking a stone and all above it stands beside that stone.
import { s } from "../dom.js";
import { Look, part, U } from "./look.js";
import { leave } from "./motion.js";
import { GRAIN, grid, WOOD, words } from "./parts.js";

const TONES = ["light-dark(#7f8a9c, #93a0b5)", "light-dark(#94897c, #a99c8c)", "light-dark(#7c8f86, #92a89d)"];

export default class Nim extends Look {
  static example = () => ({ board: grid(5, 3), pieces: "--x-xx-xxxxxxxx" });

  layout(board) {
    this.cols = board.width;
    this.wide = 1.5;
    const low = 0.62; // stones lie on each other, flatter than they are wide
    return { ...board, width: board.width * this.wide, height: board.height * low + 0.75, cells: board.cells.map(([x, y]) => [x * this.wide - 0.2, y * low + 0.06]) };
  }

  get labelled() { return false; }

  ground() {
    const { width, height } = this.board;
    return part("wood",
      s("rect", { x: 0, y: (height - 0.68) * U, width: width * U, height: 22, rx: 8, fill: WOOD, stroke: GRAIN, "stroke-width": 3 }),
      Array.from({ length: this.cols }, (_, n) => words(String.fromCharCode(97 + n), ((n + 0.5) * this.wide - 0.2) * U, (height - 0.22) * U, 30, { class: "faint", fill: "var(--soft)", "font-weight": 500 })));
  }

  piece(letter, cell, size) {
    if (letter !== "x") return null;
    // Every stone is a little different, always in the same way.
    const n = cell === null ? 0 : (cell * 7) % 5;
    const [w, h] = [0.42 - 0.02 * n, 0.3];
    return s("g", { class: "piece" },
      s("rect", { x: -w * U, y: -h * U, width: 2 * w * U, height: 2 * h * U, rx: 28, fill: TONES[n % 3], stroke: "light-dark(#4c5563, #4a5362)", "stroke-width": 3, transform: `translate(${(n - 2) * 2} 0)` }),
      s("ellipse", { cx: -w * U * 0.3 + n * 3, cy: -h * U * 0.42, rx: w * U * 0.4, ry: 6, fill: "#ffffff", opacity: 0.35 }));
  }

  called(letter) { return letter === "x" ? "stone" : super.called(letter); }

  token() { return null; }

  score(pieces) {
    const heaps = Array.from({ length: this.cols }, (_, n) => [...pieces].filter((letter, cell) => letter === "x" && cell % this.cols === n).length);
    return `Heaps ${heaps.join(", ")}.`;
  }

  spot({ cell }) {
    const [x, y] = this.at(cell);
    return { at: [x + 0.7 * U, y], r: 0.22 * U, hit: s("rect", { x: x - 0.5 * U, y: y - 0.31 * U, width: 1.46 * U, height: 0.62 * U, rx: 8 }) };
  }

  animate({ before, after, ghost, places }) {
    places.forEach((_, cell) => { if (before[cell] !== after[cell] && before[cell] === "x") leave(ghost(cell), { duration: 300 }); });
  }
}
