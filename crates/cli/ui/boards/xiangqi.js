// Chinese chess: men with signs on the points of a wooden board, a river between the halves.
import { s } from "../dom.js";
import { Lines } from "./lines.js";
import { labels, man, men } from "./men.js";
import { grid } from "./parts.js";

/** A board of nine files and ten ranks. */
function field() {
  const files = Array.from({ length: 9 }, (_, n) => n + 0.5);
  const ranks = Array.from({ length: 10 }, (_, n) => [0.5, n + 0.5, 8.5, n + 0.5]);
  const halves = files.flatMap((x, n) => (n === 0 || n === 8 ? [[x, 0.5, x, 9.5]] : [[x, 0.5, x, 4.5], [x, 5.5, x, 9.5]]));
  const palaces = [0.5, 7.5].flatMap((y) => [[3.5, y, 5.5, y + 2], [5.5, y, 3.5, y + 2]]);
  return { ...grid(10, 9), lines: [...ranks, ...halves, ...palaces], labels: [[2.5, 5, "楚河"], [6.5, 5, "漢界"]] };
}

export default class Xiangqi extends Lines {
  static example() {
    const side = (name, letters, signs) => ({ name, men: [...letters].map((letter, n) => ({ letter, sign: [...signs][n], name: letter })) });
    const board = { ...field(), sides: [side("Red", "KABNRCP", "帥仕相傌俥炮兵"), side("Black", "kabnrcp", "將士象馬車砲卒")] };
    return { board, pieces: "---ak----" + "----a----" + "--------b" + "---------" + "--p------" + "-----R---" + "---------" + "----C----" + "---------" + "---K-----" };
  }

  layout(board) {
    this.men = men(board.sides);
    return board;
  }

  get labelled() { return false; }

  ground() { return this.lines(labels(this.board.labels)); }

  points() { return []; }

  piece(letter, cell, size) {
    const known = this.men.get(letter);
    return known ? man(known, size * 0.43) : null;
  }

  token(turn, size) { return s("circle", { class: `dot ${this.board.sides[turn - 1].name.toLowerCase()}`, r: size * 0.38 }); }

  get corner() { return [0.43, -0.43, 0.2]; }
}
