// A board whose cells are points on lines: men are discs on them, and a move is made by
// picking a man and then the point it goes to; if it takes a man elsewhere, that man too.
import { Picks } from "./picks.js";

export class Points extends Picks {
  constructor(look, acts) {
    super(look, acts);
    this.svg.classList.add("on-points");
    this.aimed = null;
  }

  /** The cell where a move ends. */
  end({ drawing }) { return drawing.ends[1]; }

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
    return super.mark(taken == null || this.aimed === null ? move : { ...move, drawing: { cell: taken, ends: [taken, taken] } }, node);
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
}
