// A quantified boolean formula: a column for each variable, with what was chosen, and the clauses below.
import { s } from "../dom.js";
import { Look, part, U } from "./look.js";
import { BLUE, grid, plate, RED, words } from "./parts.js";

export default class Qbf extends Look {
  static example = () => ({ board: { ...grid(2, 3), names: ["1", "2", "3", "-1", "-2", "-3"] }, pieces: "x----o", variant: "formula=eae.x1-2.-1x3" });

  layout(board) {
    this.count = board.cells.length / 2;
    const wide = 1.25;
    return { ...board, width: this.count * wide, height: board.height + 0.7, cells: board.cells.map(([x, y]) => [x * wide, y + 0.7]) };
  }

  get labelled() { return false; }

  ground() {
    const quantifiers = /^[ae]+/.exec(this.options.formula ?? "")?.[0] ?? "";
    return part("table", this.places.map(([x, y], cell) => {
      const [n, is] = [(cell % this.count) + 1, cell < this.count];
      return [
        plate(x - 0.58, y - 0.44, 1.16, 0.88, { fill: "var(--tile)", stroke: "var(--line)", "stroke-width": 2.5 }),
        words(is ? "true" : "false", (x - 0.24) * U, y * U, 22, { fill: "var(--ink)", "font-weight": 600 }),
        is && words(`${{ a: "∀", e: "∃" }[quantifiers[n - 1]] ?? ""}x${n}`, x * U, (y - 0.78) * U, 32, { fill: "var(--ink)" }),
      ];
    }));
  }

  piece(letter, cell, size) {
    if (letter === "-") return null;
    const colour = letter === "x" ? RED : BLUE;
    return s("g", { class: "piece" },
      cell !== null && s("rect", { x: -0.58 * size, y: -0.44 * size, width: 1.16 * size, height: 0.88 * size, rx: 12, fill: "none", stroke: colour, "stroke-width": 0.06 * size }),
      s("path", { d: `M${(cell === null ? -0.2 : 0.16) * size} 0l${0.1 * size} ${0.12 * size}l${0.2 * size} ${-0.26 * size}`, fill: "none", stroke: colour, "stroke-width": 0.075 * size, "stroke-linecap": "round" }));
  }

  called(letter) { return { x: "chosen by the first player", o: "chosen by the second player", "-": "open" }[letter] ?? letter; }

  spot({ cell }) {
    const [x, y] = this.at(cell);
    return { at: [x + 0.32 * U, y], r: 0.2 * U, hit: s("rect", { x: x - 57, y: y - 43, width: 114, height: 86, rx: 12 }) };
  }
}
