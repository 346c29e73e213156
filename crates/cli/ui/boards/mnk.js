// Tic-tac-toe and its kin: crosses and rings between lines.
import { Look, part } from "./look.js";
import { play } from "./motion.js";
import { alike, between, BLUE, cross, grid, plate, RED, ring } from "./parts.js";

export default class Mnk extends Look {
  static example = () => ({ board: grid(3, 3), pieces: "x-o-xoo-x" });

  ground() {
    const { width, height } = this.board;
    return part("paper", plate(0, 0, width, height, { fill: "var(--tile)" }),
      between(width, height, { stroke: "var(--unknown)", "stroke-width": 5, "stroke-linecap": "round" }));
  }

  piece(letter, cell, size) {
    if (letter === "x") return cross(0.26 * size, RED, 0.13 * size);
    return letter === "o" ? ring(0.28 * size, BLUE, 0.13 * size) : null;
  }

  winning(pieces) { return alike(this.places, this.option("line", 3), pieces); }

  /** A stroke of the pen. */
  animate({ before, after, piece }) {
    [...after].forEach((letter, cell) => {
      if (letter === before[cell] || letter === "-") return;
      const stroke = piece(cell);
      const long = stroke.getTotalLength();
      play(stroke, [{ strokeDasharray: `${long} ${long}`, strokeDashoffset: long }, { strokeDasharray: `${long} ${long}`, strokeDashoffset: 0 }], { duration: 300 });
    });
  }
}
