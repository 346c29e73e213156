// All Queens Chess: queens of two colours on a chequered board.
import { s } from "../dom.js";
import { Look, part, U } from "./look.js";
import { alike, DARK, grid, LIGHT, plate } from "./parts.js";

export default class AllQueens extends Look {
  static picking = "picks";

  static example = () => ({ board: grid(5, 5), pieces: "xo-o--x-x-o--x-x-o--xo-xo" });

  ground() {
    const { width, height } = this.board;
    return part("chequers",
      plate(-0.05, -0.05, width + 0.1, height + 0.1, { fill: "light-dark(#7d6a4c, #2a241a)" }),
      this.places.map(([x, y]) => s("rect", {
        x: (x - 0.5) * U, y: (y - 0.5) * U, width: U, height: U,
        fill: (Math.floor(x) + Math.floor(y)) % 2 ? "light-dark(#b48a5c, #6b5237)" : "light-dark(#f0dcb8, #a68a60)",
      })));
  }

  piece(letter, cell, size) {
    const [face, edge] = { x: [DARK, "light-dark(#f2f2f2, #e8e8e8)"], o: [LIGHT, "#2b2b2b"] }[letter] ?? [];
    if (!face) return null;
    const u = size / 100;
    return s("g", { class: "piece queen" }, s("g", { transform: `scale(${u})`, fill: face, stroke: edge, "stroke-width": 3, "stroke-linejoin": "round" },
      s("path", { d: "M-22 16L-32 -18L-17 -2L-12 -27L0 -5L12 -27L17 -2L32 -18L22 16Q0 8 -22 16Z" }),
      s("path", { d: "M-24 31Q-26 22 -22 16Q0 8 22 16Q26 22 24 31Q0 38 -24 31Z" }),
      [[-32, -21], [-12, -30], [12, -30], [32, -21]].map(([cx, cy]) => s("circle", { cx, cy, r: 5 }))));
  }

  called(letter) { return { x: "black queen", o: "white queen" }[letter] ?? super.called(letter); }

  winning(pieces) { return alike(this.places, this.option("line", 4), pieces); }

  get corner() { return [0.34, 0.34, 0.15]; }
}
