// A board whose cells are points on lines: men are discs on them, and a move is made by
// picking a man and then the point it goes to; if it takes a man elsewhere, that man too.
import { U } from "./board.js";
import { s } from "./dom.js";
import { drawable, Picks } from "./picks.js";

export class Points extends Picks {
  constructor(board, acts) {
    super(board, acts);
    this.svg.classList.add("on-points");
    this.aimed = null;
  }

  /** The cell where a move ends. */
  end({ drawing }) { return drawing.arrow ? this.cellAt(drawing.arrow[1]) : drawing.cell; }

  drawMarks(node) {
    this.aimed = null;
    super.drawMarks(node);
  }

  /** Moves that take a man elsewhere share a mark where they end, until that is picked. */
  shown() {
    const moves = super.shown();
    if (this.aimed !== null) return moves.filter((move) => move.drawing.taken != null && this.end(move) === this.aimed);
    const ends = new Set();
    return moves.filter((move) => move.drawing.taken == null || (!ends.has(this.end(move)) && ends.add(this.end(move))));
  }

  mark(move, node) {
    const { taken } = move.drawing;
    return super.mark(taken == null || this.aimed === null ? move : { ...move, drawing: { cell: taken } }, node);
  }

  choose(move) {
    if (move.drawing.taken == null) {
      super.choose(move);
      return;
    }
    const keys = this.layers.marks.querySelector(":focus-visible");
    this.aimed = this.end(move);
    this.offer();
    this.changed?.();
    if (keys) this.marks.values().next().value?.element.focus();
  }

  pick(cell) {
    const again = this.aimed !== null && cell === this.picked;
    this.aimed = null;
    super.pick(cell);
    if (again) this.offer();
  }

  tiles() {
    const { width, height, lines, labels } = this.board;
    this.svg.prepend(s("g", { class: "lines" },
      s("rect", { width: width * U, height: height * U, rx: 12 }),
      lines.map(([x1, y1, x2, y2]) => s("line", { x1: x1 * U, y1: y1 * U, x2: x2 * U, y2: y2 * U })),
      (labels ?? []).filter(([, , text]) => drawable([...text])).map(([x, y, text]) => s("text", { x: x * U, y: y * U, dy: "0.35em", "font-size": U * 0.42, "aria-hidden": "true" }, text))));
    super.tiles();
  }

  stub(group, arrow, worth) {
    return this.dot(group, this.cellAt(arrow[1]), worth);
  }

  /** Where a man would be taken the mark leaves it in sight. */
  dot(group, cell, worth) {
    if (this.before[cell] === "-") return super.dot(group, cell, worth);
    const [x, y] = this.centres[cell];
    const size = this.side * U;
    group.append(s("circle", { class: "hit taken", cx: x, cy: y, r: size * 0.46 }), this.hints ? this.corner(worth, x, y) : "");
    return [x, y];
  }

  highlight(name) {
    super.highlight(name);
    const arrow = this.drawingOf(name)?.arrow;
    this.layers.guide.replaceChildren(...(arrow ? [this.arrow(arrow, "guide")] : []));
  }
}
