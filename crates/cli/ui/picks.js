// A board on which a move is picked in two steps: where it begins, and how it goes on. What is
// shown where it begins is the best move from there.
import { Board, U } from "./board.js";
import { h, looks, s } from "./dom.js";
import { badge } from "./shapes.js";
import { phrase } from "./words.js";

// Their looks come with them; other boards do without.
await looks("picks.css");

/** Whether the browser has a picture for every sign: those it has not all look alike. */
export function drawable(signs) {
  const brush = h("canvas", { width: 24, height: 24 }).getContext("2d", { willReadFrequently: true });
  brush.font = "18px serif";
  brush.textBaseline = "top";
  const ink = (sign) => {
    brush.clearRect(0, 0, 24, 24);
    brush.fillText(sign, 2, 2);
    return brush.getImageData(0, 0, 24, 24).data.join();
  };
  const missing = ink("\u{10fffd}");
  return signs.every((sign) => ink(sign) !== missing);
}

/** The men of both sides by letter, each with its colour and what is written on it. */
export function men(sides = []) {
  const all = sides.flatMap(({ name, men: own }) => own.map((man) => ({ ...man, side: name.toLowerCase() })));
  const signs = drawable(all.map((man) => man.sign).filter((sign) => sign.trim()));
  return new Map(all.map((man) => [man.letter, { ...man, sign: signs ? man.sign : man.letter.toUpperCase() }]));
}

/** A man around the origin: a plain stone, or a disc with something written on it. */
export function disc({ side, sign }, r) {
  if (!sign.trim()) return s("circle", { class: `piece stone ${side}`, r });
  return s("g", { class: `piece disc ${side}` },
    s("circle", { r }), s("circle", { class: "rim", r: r * 0.86 }),
    s("text", { "font-size": r * 1.15, dy: "0.36em" }, sign));
}

export class Picks extends Board {
  constructor(board, acts) {
    super(board, acts);
    this.men = men(board.sides);
    this.picked = null;
    if (acts.edit) return;
    this.element.addEventListener("click", (event) => { if (!event.target.closest(".man, .move")) this.pick(null); });
  }

  piece(letter) {
    const man = this.men.get(letter);
    return man ? disc(man, this.side * U * 0.42) : super.piece(letter, this.side * U * 0.25);
  }

  called(letter) {
    const man = this.men.get(letter);
    return man ? `${man.side} ${man.name}` : super.called(letter);
  }

  /** The cell where a move begins, if it goes on elsewhere. */
  start({ drawing }) { return drawing?.arrow ? this.cellAt(drawing.arrow[0]) : null; }

  drawMarks(node) {
    this.node = node;
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
  }

  /** What is picked at a cell, in words. */
  offered(cell) { return `${this.called(this.before[cell])} on ${this.board.names[cell]}`; }

  /** A cell to pick; `best` is the best of its moves. */
  man(cell, best) {
    const [x, y] = this.centres[cell];
    const size = this.side * U;
    const say = this.offered(cell);
    const group = s("g", {
      class: "man", role: "button", tabindex: "-1", "data-cell": cell, "aria-pressed": String(cell === this.picked),
      "aria-label": this.hints ? `${say}: ${phrase(best.mover)}` : say,
    },
    s("circle", { class: "hit", cx: x, cy: y, r: size / 2 - 2 }),
    this.picked === null && this.worth(best.mover, x, y));
    const act = () => this.pick(cell === this.picked ? null : cell);
    group.addEventListener("click", act);
    group.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); act(); }
    });
    this.marks.set(cell, { element: group, at: [x, y] });
    return group;
  }

  /** What a cell to pick shows of its best move. */
  worth(worth, x, y) { return this.hints && this.corner(worth, x, y); }

  corner(worth, x, y) {
    const size = this.side * U;
    return badge(worth, x + size * 0.3, y - size * 0.3, size * 0.19);
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
}
