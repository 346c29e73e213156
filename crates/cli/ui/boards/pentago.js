// Pentago: marbles on four plates that turn.
import { s } from "../dom.js";
import { Look, U } from "./look.js";
import { alike, grid } from "./parts.js";

export default class Pentago extends Look {
  static picking = "twists";

  static example() {
    const along = (n) => n + (n < 3 ? 0.5 : 1);
    const board = grid(6, 6);
    board.cells = Array.from({ length: 36 }, (_, cell) => [along(cell % 6) + 0.25, along(Math.floor(cell / 6)) + 0.75]);
    board.width = 7;
    board.height = 8;
    board.twists = [1.75, 5.25].flatMap((x) => [2.25, 5.75].flatMap((y) => [true, false].map((left) => ({ about: [x, y], reach: 1.5, left }))));
    for (const { about: [x, y], left } of board.twists) board.cells.push([x + (left === y < 4 ? -1 : 1), y < 4 ? 0.375 : 7.625]);
    const side = (name, letter) => ({ name, men: [{ letter, sign: " ", name: "stone" }] });
    board.sides = [side("Black", "x"), side("White", "o")];
    return { board, view: [0, 0.5, 7, 7], pieces: "--o--x" + "-xo-x-" + "---o--" + "-o-x--" + "--xo--" + "x---o-" };
  }

  get own() { return false; }

  backdrop() {
    const plate = ({ about: [x, y], reach }) => s("rect", { x: (x - reach - 0.16) * U, y: (y - reach - 0.16) * U, width: 3.32 * U, height: 3.32 * U, rx: 42, fill: "light-dark(#dfe4ec, #262d39)", stroke: "var(--line)", "stroke-width": 3 });
    return [this.board.twists.filter(({ left }) => left).map(plate), this.places.map(([x, y]) => s("circle", { cx: x * U, cy: y * U, r: 0.46 * U, fill: "light-dark(#c4ccd9, #3b4454)" }))];
  }

  piece(letter, cell, size) {
    const side = { x: "black", o: "white" }[letter];
    return side ? s("circle", { class: `piece stone ${side}`, r: size * 0.42, "stroke-width": 2 }) : null;
  }

  get corner() { return [0, 0, 0.25]; }

  /** Five in a row, whatever plates they lie on. */
  winning(pieces) {
    const cells = this.places.map((_, cell) => [cell % 6, Math.floor(cell / 6)]);
    return alike(cells, 5, pieces);
  }

  token(turn, size) { return s("circle", { class: `dot ${turn === 1 ? "black" : "white"}`, r: size * 0.38 }); }

  /** New pieces appear; the style sheet lets them. */
  animate() {}
}
