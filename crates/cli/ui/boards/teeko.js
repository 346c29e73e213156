// Teeko: circles that are joined by lines, with men of two colours.
import { s } from "../dom.js";
import { Look, part, U } from "./look.js";
import { alike, BLUE, GRAIN, grid, INK, plate, RED, stone, WOOD } from "./parts.js";

export default class Teeko extends Look {
  static picking = "picks";

  static example = () => ({ board: grid(5, 5), pieces: "------x-o--xo---x-x-o---o-" });

  ground() {
    const { width, height } = this.board;
    const joined = [];
    for (const [x, y] of this.places) {
      for (const [dx, dy] of [[1, 0], [0, 1], [1, 1], [1, -1]]) {
        if (this.places.some(([a, b]) => a === x + dx && b === y + dy)) joined.push(s("line", { x1: x * U, y1: y * U, x2: (x + dx) * U, y2: (y + dy) * U }));
      }
    }
    return part("wood", plate(0, 0, width, height, { fill: WOOD, stroke: GRAIN, "stroke-width": 4 }),
      s("g", { stroke: INK, "stroke-width": 2.5, opacity: 0.7 }, joined),
      this.places.map(([x, y]) => s("circle", { cx: x * U, cy: y * U, r: 0.33 * U, fill: "light-dark(#f8e9cb, #30241a)", stroke: INK, "stroke-width": 3 })));
  }

  piece(letter, cell, size) {
    if (letter === "x") return stone(0.31 * size, RED, "light-dark(#8f1d1a, #8f2f29)");
    return letter === "o" ? stone(0.31 * size, BLUE, "light-dark(#153f8a, #274f93)") : null;
  }

  called(letter) { return { x: "red man", o: "blue man" }[letter] ?? super.called(letter); }

  get corner() { return [0.32, -0.32, 0.17]; }

  winning(pieces) {
    const lines = alike(this.places, this.option("line", 4), pieces);
    const squares = this.options.squares ?? "small";
    if (lines.length || squares === "no") return lines;
    const { width, height } = this.board;
    const most = squares === "any" ? Math.min(width, height) - 1 : 1;
    for (let size = 1; size <= most; size += 1) {
      for (let y = 0; y + size < height; y += 1) {
        for (let x = 0; x + size < width; x += 1) {
          const four = [[x, y], [x + size, y], [x + size, y + size], [x, y + size]].map(([a, b]) => b * width + a);
          if (four.every((cell) => pieces[cell] !== "-" && pieces[cell] === pieces[four[0]])) return [[...four, four[0]]];
        }
      }
    }
    return [];
  }
}
