// Hex: hexagons in a rhombus; each player's two sides have the player's colour.
import { s } from "../dom.js";
import { Look, part, U } from "./look.js";
import { BLUE, grid, RED, stone } from "./parts.js";

const R = 1 / Math.sqrt(3); // from the middle of a hexagon to a corner
const ROW = 1.5 * R;

const corners = (x, y, r = R) => [0, 1, 2, 3, 4, 5].map((n) => [x + r * Math.sin((n * Math.PI) / 3), y - r * Math.cos((n * Math.PI) / 3)]);
const path = (points) => points.map(([x, y]) => `${(x * U).toFixed(1)},${(y * U).toFixed(1)}`).join(" ");

export default class Hex extends Look {
  static example() {
    const board = grid(5, 5);
    board.cells = board.cells.map(([x, y]) => [x + (y - 0.5) / 2, y]);
    board.width = 7;
    return { board, pieces: "---x----xo-ooxo--x---x---", variant: "rows=5,cols=5" };
  }

  layout(board) {
    const rows = [...new Set(board.cells.map(([, y]) => y))].toSorted((a, b) => a - b);
    this.rows = rows.length;
    this.cols = board.cells.length / rows.length;
    const pad = 0.22;
    return {
      ...board, width: board.width + 2 * pad, height: (rows.length - 1) * ROW + 2 * R + 2 * pad,
      cells: board.cells.map(([x, y]) => [x + pad, rows.indexOf(y) * ROW + R + pad]),
    };
  }

  /** The outer corners of one side, from the left or from the top. */
  edge(way) {
    const cell = (row, col) => this.board.cells[row * this.cols + col];
    const at = (row, col, from, to) => corners(...cell(row, col)).slice(from, to);
    const along = (n, one) => Array.from({ length: n }, (_, i) => one(i)).flat();
    if (way === "top") return along(this.cols, (col) => [corners(...cell(0, col))[5], corners(...cell(0, col))[0], corners(...cell(0, col))[1]]);
    if (way === "bottom") return along(this.cols, (col) => at(this.rows - 1, col, 2, 5).toReversed());
    if (way === "left") return along(this.rows, (row) => [corners(...cell(row, 0))[5], corners(...cell(row, 0))[4], corners(...cell(row, 0))[3]]);
    return along(this.rows, (row) => at(row, this.cols - 1, 1, 4).slice(0, 2));
  }

  get side() { return 1; }

  ground() {
    const edge = (way, stroke) => s("polyline", { class: `side ${way}`, points: path(this.edge(way)), fill: "none", stroke, "stroke-width": 24, "stroke-linejoin": "round", "stroke-linecap": "round" });
    return part("comb",
      edge("left", BLUE), edge("right", BLUE), edge("top", RED), edge("bottom", RED),
      this.places.map(([x, y]) => s("polygon", { points: path(corners(x, y)), fill: "light-dark(#f6efe0, #2b303a)", stroke: "light-dark(#a3977d, #586170)", "stroke-width": 3 })));
  }

  piece(letter, cell, size) {
    if (letter === "x") return stone(0.36 * size, RED, "light-dark(#8f1d1a, #8f2f29)");
    return letter === "o" ? stone(0.36 * size, BLUE, "light-dark(#153f8a, #274f93)") : null;
  }

  called(letter) { return { x: "red", o: "blue" }[letter] ?? super.called(letter); }

  spot({ cell }) {
    const [x, y] = this.board.cells[cell];
    return { at: this.at(cell), r: 0.27 * U, hit: s("polygon", { points: path(corners(x, y, R * 0.96)) }) };
  }

  /** A shortest chain that joins a player's sides. */
  winning(pieces) {
    const [rows, cols] = [this.rows, this.cols];
    for (const [letter, starts, done] of [["x", (r) => r === 0, (r) => r === rows - 1], ["o", (r, c) => c === 0, (r, c) => c === cols - 1]]) {
      const seen = new Map();
      const todo = [...this.places.keys()].filter((cell) => pieces[cell] === letter && starts(Math.floor(cell / cols), cell % cols));
      todo.forEach((cell) => seen.set(cell, null));
      for (const cell of todo) {
        const [r, c] = [Math.floor(cell / cols), cell % cols];
        if (done(r, c)) {
          const chain = [];
          for (let at = cell; at !== null; at = seen.get(at)) chain.push(at);
          return [chain];
        }
        for (const [dr, dc] of [[0, 1], [0, -1], [1, 0], [-1, 0], [1, -1], [-1, 1]]) {
          const next = (r + dr) * cols + c + dc;
          if (r + dr < 0 || r + dr >= rows || c + dc < 0 || c + dc >= cols || seen.has(next) || pieces[next] !== letter) continue;
          seen.set(next, cell);
          todo.push(next);
        }
      }
    }
    return [];
  }
}
