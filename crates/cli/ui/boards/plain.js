// The board of a game that has none of its own, drawn from its description alone: tiles, or points on lines; crosses,
// rings and letters, or men with signs on them.
import { s } from "../dom.js";
import { Lines } from "./lines.js";
import { labels, man, men } from "./men.js";

export default class Plain extends Lines {
  layout(board) {
    this.men = men(board.sides);
    return board;
  }

  get picking() {
    if (this.board.twists?.length) return "twists";
    return this.board.lines?.length ? "points" : "tiles";
  }

  get own() { return this.picking === "points"; }

  ground() {
    if (this.picking !== "points") return [];
    return this.lines(labels(this.board.labels));
  }

  points() { return []; }

  piece(letter, cell, size) {
    const known = this.men.get(letter);
    if (known) return man(known, size * 0.42);
    const r = size * 0.25;
    if (letter === "x") return s("path", { class: "piece p1", d: `M${-0.8 * r} ${-0.8 * r}L${0.8 * r} ${0.8 * r}M${0.8 * r} ${-0.8 * r}L${-0.8 * r} ${0.8 * r}`, "stroke-width": r * 0.38 });
    if (letter === "o") return s("circle", { class: "piece p2", r: r * 0.86, "stroke-width": r * 0.36 });
    if (letter === "-" || letter === " " || letter === ".") return null;
    return s("text", { class: "piece letter", "font-size": r * 1.7, dy: "0.35em" }, letter);
  }

  token(turn, size) {
    const side = this.board.sides?.[turn - 1];
    if (side) return s("circle", { class: `dot ${side.name.toLowerCase()}`, r: size * 0.38 });
    return this.picking === "tiles" && /^[12]_[xo-]*$/.test(this.start) ? this.piece(turn === 1 ? "x" : "o", null, size) : null;
  }

  /** New pieces appear; the style sheet lets them. */
  animate() {}
}
