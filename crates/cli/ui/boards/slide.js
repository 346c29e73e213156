// Sliding puzzle: numbered tiles in a tray. The value of a move stands in the gap, beside the tile that slides.
import { s } from "../dom.js";
import { Look, part, U } from "./look.js";
import { grid, number, plate, words } from "./parts.js";

export default class Slide extends Look {
  static example = () => ({ board: grid(3, 3), pieces: "1234-6758" });

  get labelled() { return false; }

  ground() {
    const { width, height } = this.board;
    return part("tray",
      plate(-0.06, -0.06, width + 0.12, height + 0.12, { fill: "light-dark(#8b93a3, #3a4250)" }),
      plate(0, 0, width, height, { fill: "light-dark(#d5dae3, #12161c)" }));
  }

  piece(letter, cell, size) {
    if (letter === "-") return null;
    const [a, right] = [size * 0.47, cell !== null && number(letter) === cell + 1];
    return s("g", { class: "piece tile" },
      s("rect", { x: -a, y: -a, width: 2 * a, height: 2 * a, rx: size * 0.09, fill: "light-dark(#5b4a9e, #322a5c)" }),
      s("rect", { x: -a, y: -a, width: 2 * a, height: 2 * a - size * 0.04, rx: size * 0.09, fill: right ? "light-dark(#4338ca, #a5b4fc)" : "light-dark(#7a70d8, #6f6bb8)" }),
      words(number(letter), 0, -0.01 * size, 0.46 * size, { fill: right ? "light-dark(#ffffff, #14162b)" : "light-dark(#ffffff, #ffffff)" }));
  }

  called(letter) { return letter === "-" ? "gap" : `tile ${number(letter)}`; }

  token() { return null; }

  spot({ arrow: [[x1, y1], [x2, y2]] }) {
    const [dx, dy] = [x2 - x1, y2 - y1];
    return {
      at: [(x2 - 0.3 * dx) * U, (y2 - 0.3 * dy) * U], r: 0.17 * U,
      hit: s("rect", { x: (x1 + Math.min(dx, 0) * 0.5) * U - 48 + (dx < 0 ? 25 : 0), y: (y1 + Math.min(dy, 0) * 0.5) * U - 48 + (dy < 0 ? 25 : 0), width: 96 + Math.abs(dx) * 25, height: 96 + Math.abs(dy) * 25, rx: 10 }),
    };
  }
}
