// Connect 4: a frame with holes, behind which discs drop.
import { s } from "../dom.js";
import { Look, U } from "./look.js";
import { fall } from "./motion.js";
import { alike, disc, GOLD, grid, RED } from "./parts.js";

const FRAME = "light-dark(#2456c5, #3464d8)";
const HOLE = 0.4;

export const red = (r) => disc(r, RED, "light-dark(#9d1c19, #b03630)");
export const gold = (r) => disc(r, GOLD, "light-dark(#b9820a, #c79513)");

/** A frame of a width and a height with a hole at each cell. */
export function frame(cells, width, height, fill) {
  const hole = ([x, y]) => `M${(x - HOLE) * U} ${y * U}a${HOLE * U} ${HOLE * U} 0 1 0 ${2 * HOLE * U} 0a${HOLE * U} ${HOLE * U} 0 1 0 ${-2 * HOLE * U} 0`;
  const [w, h, r] = [width * U, height * U, 18];
  const sheet = `M${-4 + r} -4H${w + 4 - r}a${r} ${r} 0 0 1 ${r} ${r}V${h + 4 - r}a${r} ${r} 0 0 1 ${-r} ${r}H${-4 + r}a${r} ${r} 0 0 1 ${-r} ${-r}V${-4 + r}a${r} ${r} 0 0 1 ${r} ${-r}`;
  return s("g", { class: "frame" },
    s("path", { d: `${sheet}${cells.map(hole).join("")}`, fill, "fill-rule": "evenodd" }),
    cells.map(([x, y]) => s("circle", { cx: x * U, cy: y * U, r: HOLE * U, fill: "none", stroke: "#0a1f5c", "stroke-opacity": 0.35, "stroke-width": 5 })));
}

/** Lets a disc that was put into a column drop behind the frame. */
export function drop({ before, after, piece, centre }) {
  [...after].forEach((letter, cell) => {
    if (letter !== before[cell] && letter !== "-") fall(piece(cell), centre(cell)[1] + U / 2);
  });
}

export default class Connect4 extends Look {
  static example = () => ({ board: grid(6, 7), pieces: `${"-".repeat(16)}o${"-".repeat(6)}xo---o-xxo--xooxox-` });

  get deep() { return true; }

  get numbered() { return true; }

  ground() { return s("rect", { class: "back", x: 4, y: 4, width: this.board.width * U - 8, height: this.board.height * U - 8, fill: "light-dark(#dfe7f8, #12182a)" }); }

  over() { return frame(this.places, this.board.width, this.board.height, FRAME); }

  piece(letter, cell, size) {
    if (letter === "x") return red(0.42 * size);
    return letter === "o" ? gold(0.42 * size) : null;
  }

  called(letter) { return { x: "red", o: "yellow" }[letter] ?? super.called(letter); }

  winning(pieces) { return alike(this.places, this.option("connect", 4), pieces); }

  animate(change) { drop(change); }
}
