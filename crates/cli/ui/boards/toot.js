// TOOT and OTTO: discs with letters behind a frame. A letter is picked from the tray and dropped into a column.
import { s } from "../dom.js";
import { drop, frame } from "./connect4.js";
import { Look, part, U } from "./look.js";
import { disc, grid, plate, rows, words } from "./parts.js";

const T = ["light-dark(#d9f2ec, #1d6a5a)", "light-dark(#0d6b58, #7fe0cb)"];
const O = ["light-dark(#fbe3d3, #8a4517)", "light-dark(#a2470f, #ffc79c)"];

export default class Toot extends Look {
  static picking = "picks";

  static example() {
    const board = grid(4, 6);
    board.cells.push([7, 0.5], [7, 3.5]);
    board.names.push("T", "O");
    board.width = 7.5;
    return { board, pieces: "------" + "-----o" + "--to-t" + "totoot" + "to" };
  }

  layout(board) {
    this.cols = board.width - 1.5;
    this.count = board.cells.length - 2;
    // The tray lies below, so that the columns are as wide as they can be.
    const [middle, y] = [this.cols / 2, board.height + 0.72];
    const cells = board.cells.map((place, cell) => (cell < this.count ? place : [middle + (cell === this.count ? -0.75 : 0.75), y]));
    return { ...board, cells, width: this.cols, height: board.height + 1.3 };
  }

  get labelled() { return false; }

  get deep() { return true; }

  get advice() { return "Pick a letter, then a column."; }

  ground() {
    const y = this.board.height - 1.3;
    return part("frame-back",
      s("rect", { x: 4, y: 4, width: this.cols * U - 8, height: y * U - 8, fill: "light-dark(#e4ecea, #121c1a)" }),
      plate(this.cols / 2 - 1.5, y + 0.18, 3, 1.08, { fill: "light-dark(#c3d6d1, #22332f)", rx: 54 }));
  }

  over() { return frame(this.places.slice(0, this.count), this.cols, this.board.height - 1.3, "light-dark(#2c8f7c, #25705f)"); }

  piece(letter, cell, size) {
    const [face, ink] = { t: T, o: O }[letter] ?? [];
    return face ? disc(0.41 * size, face, ink, { more: words(letter.toUpperCase(), 0, 0, 0.46 * size, { fill: ink }) }) : null;
  }

  called(letter) { return letter === "-" ? "empty" : letter.toUpperCase(); }

  token() { return null; }

  score() { return "The first player spells TOOT, the second OTTO."; }

  winning(pieces) {
    const words = ["toot", "otto"];
    return rows(this.places.slice(0, this.count), 4, (row) => words.includes(row.map((cell) => pieces[cell]).join("")));
  }

  get ringed() { return true; }

  get corner() { return [0.36, -0.36, 0.2]; }

  animate(change) { drop(change); }
}
