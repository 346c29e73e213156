// A board on which a move is picked in two steps: where it begins, and how it goes on. What is
// shown where it begins is the best move from there.
import { Board, U } from "./board.js";
import { looks, s } from "./dom.js";
import { badge } from "./shapes.js";
import { label, phrase } from "./words.js";

// Their looks come with them; other boards do without.
await looks("picks.css");

export class Picks extends Board {
  constructor(look, acts = {}) {
    super(look, acts);
    this.picked = null;
    // What is put in the first step and not played yet.
    this.ghosts = s("g", { class: "ghosts" });
    this.layers.pieces.after(this.ghosts);
    if (acts.edit || acts.label) return;
    this.element.addEventListener("click", (event) => { if (!event.target.closest(".man, .move")) this.pick(null); });
  }

  /** The cell where a move begins, if it goes on elsewhere. */
  start({ drawing }) { return drawing?.arrow ? drawing.ends[0] : null; }

  drawMarks() {
    this.picked = null;
    this.offer();
  }

  /** The moves that have a mark of their own. */
  shown() {
    return this.node.moves.filter((move) => move.drawing?.cell != null || (this.picked !== null && this.start(move) === this.picked));
  }

  /** Marks where moves begin and, once that is picked, how they can go on. */
  offer() {
    this.marks.clear();
    const drawn = this.shown().map((move) => this.mark(move, this.node));
    const starts = Map.groupBy(this.node.moves.filter((move) => move.drawing?.arrow), (move) => this.start(move));
    for (const [cell, moves] of starts) drawn.push(this.man(cell, moves[0]));
    this.layers.marks.replaceChildren(...drawn.reverse());
    this.marks.values().next().value?.element.setAttribute("tabindex", "0");
    const held = this.picked === null ? null : this.look.held(this.picked, this.before);
    this.ghosts.replaceChildren(...(held ? [held] : []));
  }

  /** What is picked at a cell, in words. */
  offered(cell) {
    const letter = this.before[cell];
    return letter === "-" ? `Put on ${this.board.names[cell]}` : `${this.called(letter)} on ${this.board.names[cell]}`;
  }

  /** A cell to pick; `best` is the best of its moves. */
  man(cell, best) {
    const [x, y] = this.centres[cell];
    const size = (this.look.room(cell) ?? this.side) * U;
    const say = this.offered(cell);
    const group = s("g", {
      class: "man", role: "button", tabindex: "-1", "data-cell": cell, "aria-pressed": String(cell === this.picked),
      "aria-label": this.hints ? `${say}: ${phrase(best.mover)}, ${label(best.mover)}` : say,
    },
    s("circle", { class: "hit", cx: x, cy: y, r: size / 2 - 2 }),
    this.picked === null && this.worth(best.mover, x, y, cell));
    const act = () => this.pick(cell === this.picked ? null : cell);
    group.addEventListener("click", act);
    group.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); act(); }
    });
    this.marks.set(cell, { element: group, at: [x, y] });
    return group;
  }

  /** What a cell to pick shows of its best move. */
  worth(worth, x, y, cell) { return this.hints && this.corner(worth, x, y, cell); }

  /** A value beside what stands on a cell. */
  corner(worth, x, y, cell) {
    const size = this.side * U;
    const [dx, dy, r] = this.look.cornerOf(cell);
    return badge(worth, x + size * dx, y + size * dy, size * r);
  }

  /** A move that goes elsewhere is marked where it ends. */
  stub(group, arrow, worth) { return this.dot(group, this.cellAt(arrow[1]), worth); }

  /** Where a man would be taken the mark leaves it in sight. */
  dot(group, cell, worth) {
    if ((this.before[cell] ?? "-") === "-") return super.dot(group, cell, worth);
    const [x, y] = this.centres[cell];
    const size = this.side * U;
    group.append(s("circle", { class: "hit taken", cx: x, cy: y, r: size * 0.46 }), this.hints ? this.corner(worth, x, y, cell) : "");
    return [x, y];
  }

  pick(cell) {
    if (cell === this.picked) return;
    const keys = this.layers.marks.querySelector(":focus-visible");
    const before = this.picked;
    this.picked = cell;
    this.offer();
    this.changed?.();
    if (!keys) return;
    const next = cell === null ? this.marks.get(before) : this.marks.values().next().value;
    for (const { element } of this.marks.values()) element.setAttribute("tabindex", "-1");
    next?.element.setAttribute("tabindex", "0");
    next?.element.focus();
  }

  /** A move may be pointed at in the list while it has no mark on the board. */
  drawingOf(name) { return this.node?.moves.find((move) => move.move === name)?.drawing; }

  highlight(name) {
    super.highlight(name);
    this.guide(this.drawingOf(name));
  }
}
