// Othello: green felt, and discs that are black on one side and white on the other.
import { s } from "../dom.js";
import { Look, part, U } from "./look.js";
import { flip, grow } from "./motion.js";
import { between, black, grid, plate, white } from "./parts.js";

const FELT = "light-dark(#1f8a5b, #14573a)";
const LINE = "light-dark(#0c5134, #0a3322)";

export default class Othello extends Look {
  static example = () => ({ board: grid(8, 8), pieces: `${"-".repeat(11)}o${"-".repeat(7)}xo-x----xxoxo---ooxxx----oxo------o${"-".repeat(10)}` });

  get deep() { return true; }

  ground() {
    const { width, height } = this.board;
    // The four points that all boards have mark out the middle.
    const marks = [[2, 2], [width - 2, 2], [2, height - 2], [width - 2, height - 2]];
    return part("felt",
      plate(-0.06, -0.06, width + 0.12, height + 0.12, { fill: LINE }),
      plate(0, 0, width, height, { fill: FELT, rx: 4 }), between(width, height, { stroke: LINE, "stroke-width": 3 }),
      width > 5 && height > 5 && marks.map(([x, y]) => s("circle", { cx: x * U, cy: y * U, r: 6, fill: LINE })));
  }

  piece(letter, cell, size) {
    if (letter === "x") return black(0.41 * size);
    return letter === "o" ? white(0.41 * size) : null;
  }

  called(letter) { return { x: "black", o: "white" }[letter] ?? super.called(letter); }

  score(pieces) {
    const many = (letter) => [...pieces].filter((one) => one === letter).length;
    return `Black ${many("x")}, white ${many("o")}.`;
  }

  animate({ before, after, to, piece, ghost, centre }) {
    const [x, y] = centre(to);
    [...after].forEach((letter, cell) => {
      if (letter === before[cell] || letter === "-") return;
      const far = Math.hypot(centre(cell)[0] - x, centre(cell)[1] - y) / U;
      // Discs turn over one after another, away from the new one.
      if (before[cell] === "-") grow(piece(cell));
      else flip(ghost(cell, piece(cell).parentNode), piece(cell), 60 + 70 * far);
    });
  }
}
