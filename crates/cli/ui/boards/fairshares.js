// Fair Shares and Varied Pairs: heaps of almonds, each with its count, and below them the shares to divide into.
import { s } from "../dom.js";
import { Look, part, U } from "./look.js";
import { grow, leave } from "./motion.js";
import { number, plate, words } from "./parts.js";

const ALMOND = "M0 -9C6 -4 7 4 0 9C-7 4 -6 -4 0 -9Z";

export default class FairShares extends Look {
  static picking = "picks";

  static example() {
    const heaps = Array.from({ length: 10 }, (_, n) => [n + 0.5, 0.5]);
    const shares = Array.from({ length: 5 }, (_, n) => [n + 0.5, 2.5]);
    const names = [...heaps.map((_, n) => `heap${n + 1}`), ...shares.map((_, n) => `share${n + 1}`)];
    return { board: { width: 10, height: 3, cells: [...heaps, ...shares], names, lines: [], labels: [], sides: [], twists: [] }, pieces: "43111-----12345" };
  }

  layout(board) {
    this.heaps = board.names.filter((name) => name.startsWith("heap")).length;
    const shares = board.names.length - this.heaps;
    this.row = Math.min(this.heaps, 5, Math.ceil(this.heaps / Math.ceil(this.heaps / 6)));
    const wide = this.heaps > 20 ? 10 : this.row;
    this.row = wide;
    this.lines = Math.ceil(this.heaps / wide);
    const top = this.lines + 0.75;
    const cells = board.cells.map((_, n) => (n < this.heaps
      ? [(n % wide) + 0.5, Math.floor(n / wide) + 0.5]
      : [((n - this.heaps) % wide) + 0.5, Math.floor((n - this.heaps) / wide) * 0.9 + top + 0.4]));
    return { ...board, width: wide, height: top + Math.ceil(shares / wide) * 0.9, cells };
  }

  get side() { return 1; }

  room(cell) { return cell < this.heaps ? 1 : 0.9; }

  get labelled() { return false; }

  ground() {
    const { width, height } = this.board;
    return part("table", plate(0, 0, width, this.lines, { fill: "light-dark(#f0e9dc, #25221d)" }),
      words("divide into shares of", (width / 2) * U, (this.lines + 0.4) * U, 24, { fill: "var(--soft)", "font-weight": 500 }),
      plate(0, this.lines + 0.68, width, height - this.lines - 0.68, { fill: "var(--tile)" }));
  }

  piece(letter, cell, size) {
    const count = number(letter);
    if (!count) return null;
    const u = size / 100;
    if (cell !== null && cell >= this.heaps) return words(count, 0, 0, 0.34 * size, { fill: "var(--ink)" });
    const dish = count > 1 ? 37 : 24;
    const most = Math.min(count, 12);
    const almonds = Array.from({ length: most }, (_, n) => {
      const [r, angle] = [(count > 1 ? 24 : 0) * Math.sqrt((n + 0.4) / Math.max(most, 2)), n * 2.39996];
      return s("path", { d: ALMOND, fill: "light-dark(#a8682f, #c98a4e)", stroke: "light-dark(#6f3f17, #6b4019)", "stroke-width": 1.5, transform: `translate(${r * Math.cos(angle)} ${r * Math.sin(angle) - 9}) rotate(${(n * 67) % 180})` });
    });
    return s("g", { class: "piece heap" }, s("g", { transform: `scale(${u})` },
      s("circle", { cy: -8, r: dish, fill: "light-dark(#ffffff, #3b372f)", stroke: "light-dark(#cbbfa8, #5c5546)", "stroke-width": 3 }), almonds),
    words(count, 0, 0.38 * size, 0.22 * size, { fill: "var(--ink)" }));
  }

  called(letter) { return letter === "-" ? "no heap" : `heap of ${number(letter)}`; }

  token() { return null; }

  get corner() { return [0.32, -0.34, 0.16]; }

  /** A heap to unite with has the value at its corner; a share below its number. */
  spot({ arrow }) {
    const [x, y] = arrow[1];
    const share = y > this.lines;
    return { at: [(x + 0.32) * U, (y - (share ? 0 : 0.34)) * U], r: 0.16 * U, hit: s("rect", { x: (x - 0.48) * U, y: (y - 0.44) * U, width: 96, height: 88, rx: 14 }) };
  }

  animate({ before, after, piece, ghost }) {
    [...after].slice(0, this.heaps).forEach((letter, cell) => {
      if (letter === before[cell]) return;
      if (before[cell] !== "-") leave(ghost(cell));
      if (letter !== "-") grow(piece(cell));
    });
  }
}
