// Nine Men's Morris and its kin: squares in squares, with black and white men.
import { Lines } from "./lines.js";
import { U } from "./look.js";
import { black, rows, white } from "./parts.js";

export default class Morris extends Lines {
  static example() {
    const lines = [];
    const at = new Map();
    const put = (x, y) => at.set(y * 7 + x, [x + 0.5, y + 0.5]);
    for (let ring = 0; ring < 3; ring += 1) {
      const [low, high] = [ring, 6 - ring];
      for (const x of [low, 3, high]) for (const y of [low, 3, high]) if (x !== 3 || y !== 3) put(x, y);
      for (const edge of [low, high]) lines.push([low, edge, high, edge], [edge, low, edge, high]);
    }
    lines.push([0, 3, 2, 3], [4, 3, 6, 3], [3, 0, 3, 2], [3, 4, 3, 6]);
    const cells = [...at.keys()].toSorted((a, b) => a - b).map((key) => at.get(key));
    const man = (name, letter) => ({ name, men: [{ letter, sign: " ", name: "man" }] });
    return {
      board: { width: 7, height: 7, cells, names: cells.map(String), lines: lines.map((line) => line.map((x) => x + 0.5)), labels: [], sides: [man("White", "x"), man("Black", "o")], twists: [] },
      pieces: "x-o-x-ox-x-o-xo-o---x--o",
    };
  }

  piece(letter, cell, size) {
    if (letter === "x") return white(0.36 * size);
    return letter === "o" ? black(0.36 * size) : null;
  }

  /** Mills that the last man closed are a win only with three men. */
  winning(pieces) {
    if (this.option("men", 9) > 3) return [];
    return rows(this.places, 3, ([first, ...rest]) => pieces[first] !== "-" && rest.every((cell) => pieces[cell] === pieces[first]) && this.joined(first, rest[1]));
  }

  /** Whether a line of the board goes from one cell to another. */
  joined(a, b) {
    if (this.options.diagonals) return true;
    const [[x1, y1], [x2, y2]] = [this.at(a), this.at(b)];
    return Math.abs(x1 - x2) < U / 10 || Math.abs(y1 - y2) < U / 10;
  }

  get corner() { return [0.34, -0.34, 0.19]; }
}
