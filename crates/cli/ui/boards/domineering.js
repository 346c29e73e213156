// Domineering: dominoes that stand or lie. The value of a move stands on the border between its two cells.
import { s } from "../dom.js";
import { Look, part, U } from "./look.js";
import { grow } from "./motion.js";
import { between, grid, plate } from "./parts.js";

const STANDS = ["light-dark(#2a5c8f, #5b8fc7)", "light-dark(#143a60, #24476c)"];
const LIES = ["light-dark(#b4592b, #d98752)", "light-dark(#6f3212, #7a4320)"];

export default class Domineering extends Look {
  static example = () => ({ board: grid(5, 5), pieces: "xxx-x--x-xx--xxx-xx------" });

  layout(board) {
    this.cols = board.width;
    this.known = new Map();
    return board;
  }

  ground() {
    const { width, height } = this.board;
    return part("cloth", plate(0, 0, width, height, { fill: "light-dark(#f1ece1, #23272e)" }),
      between(width, height, { stroke: "light-dark(#c8bfa9, #3c434e)", "stroke-width": 3 }));
  }

  /** A domino over two cells, around the middle of the first. */
  domino(lies, size) {
    const [face, edge] = lies ? LIES : STANDS;
    const [w, h] = lies ? [1.84, 0.84] : [0.84, 1.84];
    const half = lies ? [0.5, 0] : [0, 0.5];
    const dots = [0, 1].map((n) => s("circle", { cx: (lies ? n : 0) * size, cy: (lies ? 0 : n) * size, r: 0.1 * size, fill: "#ffffff", opacity: 0.9 }));
    return s("g", { class: "piece domino" },
      s("rect", { x: (half[0] - w / 2) * size, y: (half[1] - h / 2) * size, width: w * size, height: h * size, rx: 0.14 * size, fill: face, stroke: edge, "stroke-width": 0.05 * size }),
      s("line", lies ? { x1: 0.5 * size, x2: 0.5 * size, y1: -0.3 * size, y2: 0.3 * size, stroke: edge, "stroke-width": 0.035 * size } : { y1: 0.5 * size, y2: 0.5 * size, x1: -0.3 * size, x2: 0.3 * size, stroke: edge, "stroke-width": 0.035 * size }), dots);
  }

  /** Which cells each domino covers: the moves of the game tell; where they do not, one way to lay them. */
  show(pieces, played = []) {
    this.known = new Map();
    const covered = new Set();
    const lay = (a, b) => {
      if (b === undefined || covered.has(a) || covered.has(b) || pieces[a] !== "x" || pieces[b] !== "x") return;
      covered.add(a).add(b);
      this.known.set(Math.min(a, b), Math.abs(a - b) === 1);
    };
    for (const { ends: [a, b] } of played) lay(a, b);
    const left = [...pieces].flatMap((letter, cell) => (letter === "x" && !covered.has(cell) ? [cell] : []));
    for (const [a, b] of this.tiling(left)) lay(a, b);
  }

  /** A way to cover cells with dominoes, if there is one. */
  tiling(cells, budget = { steps: 3000 }) {
    if (!cells.length) return [];
    budget.steps -= 1;
    if (budget.steps < 0) return [];
    const [first, ...rest] = cells;
    const beside = (first + 1) % this.cols ? [first + 1] : [];
    for (const next of [...beside, first + this.cols]) {
      if (!rest.includes(next)) continue;
      const more = this.tiling(rest.filter((cell) => cell !== next), budget);
      if (more.length * 2 === rest.length - 1) return [[first, next], ...more];
    }
    return [];
  }

  piece(letter, cell, size) {
    if (letter !== "x") return null;
    if (cell === null) return s("rect", { class: "piece", x: -0.4 * size, y: -0.4 * size, width: 0.8 * size, height: 0.8 * size, rx: 8, fill: STANDS[0] });
    const lies = this.known.get(cell);
    if (lies !== undefined) return this.domino(lies, size);
    // Half a domino that is drawn with the other half, or a cell that no domino explains.
    const other = this.known.get(cell - 1) === true || this.known.get(cell - this.cols) === false;
    return other ? null : this.piece("x", null, size);
  }

  called(letter) { return letter === "x" ? "covered" : super.called(letter); }

  token(turn, size) {
    const drawn = this.domino(turn === 2, size * 0.42);
    drawn.setAttribute("transform", turn === 2 ? `translate(${-0.21 * size} 0)` : `translate(0 ${-0.21 * size})`);
    return drawn;
  }

  spot({ arrow: [[x1, y1], [x2, y2]] }) {
    const lies = y1 === y2;
    const [x, y] = [((x1 + x2) / 2) * U, ((y1 + y2) / 2) * U];
    const [w, h] = lies ? [86, 96] : [96, 86];
    return { at: [x, y], r: 0.22 * U, hit: s("rect", { x: x - w / 2, y: y - h / 2, width: w, height: h, rx: 12 }) };
  }

  guide({ arrow: [[x1, y1], [, y2]] }) {
    return s("g", { class: "shadow", transform: `translate(${x1 * U} ${y1 * U})` }, this.domino(y1 === y2, U));
  }

  animate({ from, to, piece }) { grow(piece(Math.min(from, to))); }
}
