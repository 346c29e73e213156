// Kalah: pits with seeds, and always the count beside them. Values stand outside of the pits.
import { s } from "../dom.js";
import { Look, part, U } from "./look.js";
import { play } from "./motion.js";
import { GRAIN, number, words, WOOD } from "./parts.js";

const PIT = "light-dark(#cfa765, #2b2015)";
const SEEDS = ["#b5452c", "#2f6f8f", "#6b7f2a", "#8a4d84", "#c98a1b"];
const EDGE = 0.78; // room above and below for values

/** Where the seeds of a heap lie: from the middle outwards, as in a sunflower. */
const heap = (count, reach) => Array.from({ length: Math.min(count, 16) }, (_, n) => {
  const [r, angle] = [reach * Math.sqrt((n + 0.3) / Math.max(Math.min(count, 16), 3)), n * 2.39996];
  return [r * Math.cos(angle), r * Math.sin(angle)];
});

export default class Kalah extends Look {
  static example() {
    const across = (n) => n + 0.5;
    const pits = 4;
    const below = Array.from({ length: pits }, (_, n) => [across(n + 1), 2.5]);
    const above = Array.from({ length: pits }, (_, n) => [across(pits - n), 0.5]);
    const cells = [...below, [across(pits + 1), 1.5], ...above, [0.5, 1.5]];
    return { board: { width: pits + 2, height: 3, cells, names: cells.map((_, n) => `${"ab"[Math.floor(n / (pits + 1))]}${(n % (pits + 1)) + 1}`), lines: [], labels: [], sides: [], twists: [] }, pieces: "4-551" + "53-42" };
  }

  layout(board) {
    this.pits = board.width - 2;
    // Stores between the rows need no row of their own.
    const y = { 0.5: EDGE + 0.5, 1.5: EDGE + 1.1, 2.5: EDGE + 1.7 };
    return { ...board, height: 2.2 + 2 * EDGE, cells: board.cells.map(([x, row]) => [x, y[row]]) };
  }

  get labelled() { return false; }

  isStore(cell) { return cell % (this.pits + 1) === this.pits; }

  ground() {
    return part("wood",
      s("rect", { x: 0, y: EDGE * U - 8, width: this.board.width * U, height: 2.2 * U + 16, rx: 60, fill: GRAIN }),
      s("rect", { x: 5, y: EDGE * U - 3, width: this.board.width * U - 10, height: 2.2 * U + 6, rx: 56, fill: WOOD }),
      this.places.map(([x, y], cell) => (this.isStore(cell)
        ? s("rect", { x: (x - 0.38) * U, y: (y - 0.92) * U, width: 0.76 * U, height: 1.84 * U, rx: 0.36 * U, fill: PIT })
        : s("circle", { cx: x * U, cy: y * U, r: 0.43 * U, fill: PIT }))),
      this.places.map(([x, y], cell) => !this.isStore(cell) && words(this.board.names[cell], x * U, (cell < this.pits ? EDGE + 2.2 + 0.67 : EDGE - 0.67) * U, 16, { class: "faint", fill: "var(--soft)", "font-weight": 500 })));
  }

  piece(letter, cell, size) {
    const [count, store] = [number(letter), cell !== null && this.isStore(cell)];
    const name = letter === "*" ? "many" : String(count);
    if (!count && letter !== "*") return words("0", 0, store ? 0.7 * size : 0, 0.24 * size, { fill: "light-dark(#5f4519, #bfa67c)", "font-weight": 600 });
    const up = store ? -0.14 * size : -0.1 * size;
    const seeds = heap(count || 16, (store ? 0.25 : 0.22) * size).map(([x, y], n) =>
      s("circle", { cx: x, cy: y * (store ? 1.7 : 0.85) + up, r: 0.072 * size, fill: SEEDS[n % SEEDS.length], stroke: "#00000055", "stroke-width": 1.5 }));
    return s("g", { class: "piece seeds" }, seeds,
      words(name, 0, store ? 0.7 * size : 0.27 * size, (store ? 0.32 : 0.26) * size, { fill: "light-dark(#2f2108, #f6e6c6)" }));
  }

  called(letter) { return letter === "*" ? "many seeds" : `${number(letter)} seeds`; }

  token(turn, size) {
    const tip = turn === 1 ? [0.1, 0.9] : [-0.1, -0.9];
    return s("path", { d: `M${-0.3 * size} ${tip[0] * -size}L0 ${tip[1] * 0.45 * size}L${0.3 * size} ${tip[0] * -size}Z`, fill: "currentColor" });
  }

  score(pieces) {
    const store = (side) => number(pieces[side * (this.pits + 1) + this.pits]);
    return `Stores ${store(0)} and ${store(1)}.`;
  }

  spot({ cell }) {
    const [x, y] = this.at(cell);
    const below = cell < this.pits;
    return {
      at: [x, y + (below ? 0.77 : -0.77) * U], r: 0.22 * U,
      hit: s("rect", { x: x - 48, y: below ? y - 48 : y - 110, width: 96, height: 158, rx: 44 }),
    };
  }

  /** Pits that change beat, one after another from where the seeds were taken. */
  animate({ before, after, to, piece, places }) {
    const around = (cell) => (cell - to + places.length) % places.length;
    [...after].forEach((letter, cell) => {
      if (letter === before[cell]) return;
      play(piece(cell), [{ transform: "scale(0.7)", opacity: 0.4 }, { transform: "scale(1.16)", opacity: 1, offset: 0.6 }, { transform: "none" }], { duration: 260, delay: 70 * around(cell) });
    });
  }
}
