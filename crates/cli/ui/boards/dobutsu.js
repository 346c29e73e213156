// Dobutsu shogi: animals on tiles that point to the other player, with dots for the steps they may take.
import { s } from "../dom.js";
import { Look, part, U } from "./look.js";
import { grid, plate } from "./parts.js";

const eyes = (y = -4, apart = 9, r = 3.2) => [-apart, apart].map((cx) => s("circle", { cx, cy: y, r, fill: "#2a2320" }));

const FACES = {
  C: () => [s("circle", { r: 22, fill: "#f9d648" }), eyes(-5), s("path", { d: "M-6 3L0 11L6 3Z", fill: "#e8791c" }), s("path", { d: "M-3 -21Q0 -32 4 -22", fill: "none", stroke: "#d9a914", "stroke-width": 3 })],
  H: () => [s("path", { d: "M-12 -20Q-9 -34 -3 -25Q0 -37 5 -25Q12 -33 12 -19Z", fill: "#d93a34" }), s("circle", { r: 22, fill: "#fdfaf2", stroke: "#cfc4ad", "stroke-width": 1.5 }), eyes(-5), s("path", { d: "M-6 2L0 11L6 2Z", fill: "#e8991c" }), s("ellipse", { cy: 15, rx: 3.5, ry: 5, fill: "#d93a34" })],
  E: () => [
    s("ellipse", { cx: -21, cy: -4, rx: 12, ry: 17, fill: "#7d8fa8" }), s("ellipse", { cx: 21, cy: -4, rx: 12, ry: 17, fill: "#7d8fa8" }),
    s("ellipse", { cy: -5, rx: 18, ry: 20, fill: "#97a8bf" }), eyes(-9, 8),
    s("path", { d: "M-6 2Q-6 22 -2 26Q4 30 8 24", fill: "none", stroke: "#97a8bf", "stroke-width": 9, "stroke-linecap": "round" }),
    s("path", { d: "M-10 8L-13 17M3 9L9 15", stroke: "#fffdf5", "stroke-width": 4, "stroke-linecap": "round" })],
  G: () => [
    s("path", { d: "M-8 -20V-32M8 -20V-32", stroke: "#b9772a", "stroke-width": 4, "stroke-linecap": "round" }), [-8, 8].map((cx) => s("circle", { cx, cy: -33, r: 4, fill: "#7a4a18" })),
    s("ellipse", { cx: -18, cy: -14, rx: 8, ry: 5, fill: "#e8b04a", transform: "rotate(20 -18 -14)" }), s("ellipse", { cx: 18, cy: -14, rx: 8, ry: 5, fill: "#e8b04a", transform: "rotate(-20 18 -14)" }),
    s("path", { d: "M-14 -18Q0 -27 14 -18Q14 2 11 16Q8 28 0 28Q-8 28 -11 16Q-14 2 -14 -18Z", fill: "#f0c060" }),
    s("ellipse", { cy: 18, rx: 11, ry: 9, fill: "#f8e0ae" }), eyes(-8, 8), [[-8, 5], [7, 3], [0, -17]].map(([cx, cy]) => s("circle", { cx, cy, r: 3.6, fill: "#c98a30" })),
    [-4, 4].map((cx) => s("circle", { cx, cy: 16, r: 1.6, fill: "#7a4a18" }))],
  L: () => [
    Array.from({ length: 12 }, (_, n) => s("circle", { cx: 21 * Math.cos(n * Math.PI / 6), cy: 21 * Math.sin(n * Math.PI / 6), r: 8.5, fill: "#b5651d" })),
    s("circle", { r: 21, fill: "#f2b64c" }), eyes(-5, 8), s("path", { d: "M-5 3H5L0 9Z", fill: "#5b2d0c" }), s("path", { d: "M0 9V13M0 13Q-6 18 -10 13M0 13Q6 18 10 13", fill: "none", stroke: "#5b2d0c", "stroke-width": 2.4 })],
};
const NAMES = { C: "chick", H: "hen", E: "elephant", G: "giraffe", L: "lion" };
const STRAIGHT = [[0, -1], [0, 1], [-1, 0], [1, 0]];
const SLANT = [[-1, -1], [1, -1], [-1, 1], [1, 1]];
const STEPS = { C: [[0, -1]], G: STRAIGHT, E: SLANT, L: [...STRAIGHT, ...SLANT], H: [...STRAIGHT, [-1, -1], [1, -1]] };
const TILES = [["light-dark(#fff4dc, #f0e2c4)", "light-dark(#a87b2c, #8a6526)"], ["light-dark(#dbe8f7, #c4d6ec)", "light-dark(#42678f, #3a5a80)"]];

const HAND = 0.56; // the height of the row of men in hand
const EDGE = 0.1;

export default class Dobutsu extends Look {
  static picking = "picks";

  static example() {
    const board = grid(4, 3);
    board.cells = board.cells.map(([x, y]) => [x + 2.5, y]);
    for (const [left, columns] of [[6.5, "rs"], [0.5, "pq"]]) {
      for (let kind = 0; kind < 3; kind += 1) {
        [...columns].forEach((column, n) => { board.cells.push([left + n, left > 3 ? 2.5 - kind + 1 : kind + 0.5]); board.names.push(`${column}${kind}`); });
      }
    }
    board.width = 8;
    const side = (name, letters) => ({ name, men: [...letters].map((letter) => ({ letter, sign: letter, name: NAMES[letter.toUpperCase()] })) });
    board.sides = [side("Black", "LHEGC"), side("White", "lhegc")];
    return { board, view: [0, HAND, 3.2, 4.24], pieces: "gl--ce-C-EL-" + "------" + "------" };
  }

  layout(board) {
    this.count = board.cells.filter(([x]) => x > 2 && x < 6).length;
    // Men in hand lie in a row before their player, so that the board is as large as it can be.
    const seen = { near: 0, far: 0 };
    const cells = board.cells.map(([x, y], cell) => {
      if (cell < this.count) return [x - 2.5 + EDGE, y + HAND + 0.12];
      const row = x > 5 ? "near" : "far";
      seen[row] += 1;
      return [(seen[row] - 0.5) * 0.5 + EDGE, row === "near" ? HAND * 1.5 + board.height + 0.24 : HAND / 2];
    });
    return { ...board, width: 3 + 2 * EDGE, height: board.height + 2 * HAND + 0.24, cells };
  }

  get side() { return 1; }

  room(cell) { return cell < this.count ? 1 : 0.5; }

  get labelled() { return false; }

  ground() {
    const { width, height } = this.board;
    const tray = (y, [, edge]) => plate(0.04, y, width - 0.08, HAND, { fill: "var(--tile)", stroke: edge, "stroke-width": 2.5 });
    const [top, bottom] = [HAND + 0.12, height - HAND - 0.12];
    return part("field", tray(0, TILES[1]), tray(height - HAND, TILES[0]),
      plate(EDGE - 0.08, top - 0.06, 3.16, bottom - top + 0.12, { fill: "light-dark(#5d7f3c, #2f4520)" }),
      this.places.slice(0, this.count).map(([x, y]) => s("rect", { x: (x - 0.485) * U, y: (y - 0.485) * U, width: 97, height: 97, rx: 6, fill: y < top + 1 ? "light-dark(#b9d0ea, #33465c)" : y > bottom - 1 ? "light-dark(#f3dfb4, #57472a)" : "light-dark(#d8e8bf, #40562f)" })));
  }

  piece(letter, cell, size) {
    const kind = letter.toUpperCase();
    if (!FACES[kind]) return null;
    const first = letter === kind;
    const [face, edge] = TILES[first ? 0 : 1];
    const dots = STEPS[kind].map(([dx, dy]) => s("circle", { cx: dx * 31, cy: dy < 0 ? (dx ? -27 : -39) : dy ? 36 : 3, r: 4, fill: "#c8372f" }));
    return s("g", { class: `piece animal ${first ? "own" : "other"}` }, s("g", { transform: `scale(${(cell === null ? 1 : this.room(cell)) * (size / 100)})` },
      s("g", first ? {} : { transform: "rotate(180)" },
        s("path", { d: "M0 -46L39 -33V38Q39 42 35 42H-35Q-39 42 -39 38V-33Z", fill: face, stroke: edge, "stroke-width": 3.5, "stroke-linejoin": "round" }), dots),
      s("g", { class: "reads", transform: `translate(0 ${first ? 1 : -1}) scale(0.82)` }, FACES[kind]())));
  }

  token(turn, size) { return this.piece(turn === 1 ? "L" : "l", null, size); }

  get corner() { return [0.38, 0.38, 0.155]; }

  /** A man in hand has the value below. */
  cornerOf(cell) { return cell < this.count ? this.corner : [0.17, 0.17, 0.11]; }
}
