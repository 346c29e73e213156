// Quixo: wooden cubes with a mark on the face that is up. A cube that is taken is pushed in at another end.
import { s } from "../dom.js";
import { Look, part, U } from "./look.js";
import { slide } from "./motion.js";
import { alike, BLUE, cross, grid, plate, RED, ring } from "./parts.js";

const FACE = "light-dark(#f0d9b0, #5c4731)";
const SIDE = "light-dark(#b98f55, #2b2116)";

export default class Quixo extends Look {
  static example = () => ({ board: grid(5, 5), pieces: "x-o-o-x--x--xo-o--x-ox--o" });

  ground() {
    return part("tray", plate(-0.05, -0.05, this.board.width + 0.1, this.board.height + 0.1, { fill: "light-dark(#7c5a30, #171109)" }));
  }

  piece(letter, cell, size) {
    const a = size * 0.47;
    const mark = letter === "x" ? cross(size * 0.12, RED, size * 0.075) : letter === "o" && ring(size * 0.13, BLUE, size * 0.075);
    if (mark) mark.classList.add("reads");
    return s("g", { class: "piece cube" },
      s("rect", { x: -a, y: -a, width: 2 * a, height: 2 * a, rx: size * 0.1, fill: SIDE }),
      s("rect", { x: -a + size * 0.015, y: -a + size * 0.01, width: 2 * a - size * 0.03, height: 2 * a - size * 0.06, rx: size * 0.1, fill: FACE }), mark || null);
  }

  called(letter) { return { "-": "blank" }[letter] ?? super.called(letter); }

  /** At the end of the cube towards which it is taken, clear of its mark. */
  spot({ arrow: [[x1, y1], [x2, y2]] }) {
    const far = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [dx, dy] = [(x2 - x1) / far, (y2 - y1) / far];
    const at = (along, across) => [(x1 + dx * along - dy * across) * U, (y1 + dy * along + dx * across) * U];
    return {
      at: at(0.34, 0), r: 0.125 * U,
      hit: s("polygon", { points: `${at(0, 0)} ${at(0.5, 0.5)} ${at(0.5, -0.5)}` }),
      tip: s("polygon", { points: `${at(0.53, 0)} ${at(0.44, 0.1)} ${at(0.44, -0.1)}` }),
    };
  }

  token(turn, size) { return turn === 1 ? cross(size * 0.26, RED, size * 0.14) : ring(size * 0.28, BLUE, size * 0.14); }

  winning(pieces) { return alike(this.places, this.option("line", 5), pieces); }

  /** The cubes between the two ends shift by one, and the one taken comes in at the end. */
  animate({ from, to, piece, centre, places }) {
    if (from === null) return;
    const [[x1, y1], [x2, y2]] = [centre(from), centre(to)];
    const far = Math.hypot(x2 - x1, y2 - y1) || 1;
    const step = [((x2 - x1) / far) * U, ((y2 - y1) / far) * U];
    places.forEach((_, cell) => {
      const [x, y] = centre(cell);
      const along = ((x - x1) * step[0] + (y - y1) * step[1]) / U;
      const aside = Math.abs((x - x1) * step[1] - (y - y1) * step[0]) / U;
      if (aside < 1 && along > -1 && along < far + 1) slide(piece(cell), step, { duration: 320 });
    });
  }
}
