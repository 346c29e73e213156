// A board whose cells are points on lines: men are discs on them, and a move is made by
// picking a man and then the point it goes to. What is shown on a man is its best move.
import { Board, U } from "./board.js";
import { h, s } from "./dom.js";
import { badge } from "./shapes.js";
import { phrase } from "./words.js";

/** Whether the browser has a picture for every sign: those it has not all look alike. */
function drawable(signs) {
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
  const signs = drawable(all.map((man) => man.sign));
  return new Map(all.map((man) => [man.letter, { ...man, sign: signs ? man.sign : man.letter.toUpperCase() }]));
}

/** A man around the origin. */
export function disc({ side, sign }, r) {
  return s("g", { class: `piece disc ${side}` },
    s("circle", { r }), s("circle", { class: "rim", r: r * 0.86 }),
    s("text", { "font-size": r * 1.15, dy: "0.36em" }, sign));
}

export class Points extends Board {
  constructor(board, acts) {
    super(board, acts);
    this.men = men(board.sides);
    this.picked = null;
    this.svg.classList.add("on-points");
    if (acts.edit) return;
    this.svg.addEventListener("click", (event) => { if (!event.target.closest(".man, .move")) this.pick(null); });
    this.svg.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.picked !== null) { event.preventDefault(); this.pick(null); }
    });
  }

  tiles() {
    const { width, height, lines, labels } = this.board;
    this.svg.prepend(s("g", { class: "lines" },
      s("rect", { width: width * U, height: height * U, rx: 12 }),
      lines.map(([x1, y1, x2, y2]) => s("line", { x1: x1 * U, y1: y1 * U, x2: x2 * U, y2: y2 * U })),
      (labels ?? []).filter(([, , text]) => drawable([...text])).map(([x, y, text]) => s("text", { x: x * U, y: y * U, dy: "0.35em", "font-size": U * 0.42, "aria-hidden": "true" }, text))));
    super.tiles();
  }

  piece(letter) {
    const man = this.men.get(letter);
    return man ? disc(man, this.side * U * 0.42) : super.piece(letter, this.side * U * 0.25);
  }

  called(letter) {
    const man = this.men.get(letter);
    return man ? `${man.side} ${man.name}` : super.called(letter);
  }

  drawMarks(node) {
    this.node = node;
    this.picked = null;
    this.offer();
  }

  /** Marks the men that can move and, once one is picked, the points it can go to. */
  offer() {
    const from = ({ drawing }) => (drawing?.arrow ? this.cellAt(drawing.arrow[0]) : null);
    this.marks.clear();
    const shown = this.node.moves.filter((move) => move.drawing?.cell != null || (this.picked !== null && from(move) === this.picked));
    const drawn = shown.map((move) => this.mark(move, this.node));
    const starts = Map.groupBy(this.node.moves.filter((move) => move.drawing?.arrow), from);
    for (const [cell, moves] of starts) drawn.push(this.man(cell, moves[0]));
    this.layers.marks.replaceChildren(...drawn.reverse());
    this.marks.values().next().value?.element.setAttribute("tabindex", "0");
  }

  /** A man to pick; `best` is the best of its moves. */
  man(cell, best) {
    const [x, y] = this.centres[cell];
    const size = this.side * U;
    const say = `${this.called(this.before[cell])} on ${this.board.names[cell]}`;
    const group = s("g", {
      class: "man", role: "button", tabindex: "-1", "data-cell": cell, "aria-pressed": String(cell === this.picked),
      "aria-label": this.hints ? `${say}: ${phrase(best.mover)}` : say,
    },
    s("circle", { class: "hit", cx: x, cy: y, r: size / 2 - 2 }),
    this.hints && this.picked === null && this.corner(best.mover, x, y));
    const act = () => this.pick(cell === this.picked ? null : cell);
    group.addEventListener("click", act);
    group.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); act(); }
    });
    this.marks.set(cell, { element: group, at: [x, y] });
    return group;
  }

  pick(cell) {
    if (cell === this.picked) return;
    const keys = this.layers.marks.querySelector(":focus-visible");
    const before = this.picked;
    this.picked = cell;
    this.offer();
    if (!keys) return;
    const next = cell === null ? this.marks.get(before) : this.marks.values().next().value;
    for (const { element } of this.marks.values()) element.setAttribute("tabindex", "-1");
    next?.element.setAttribute("tabindex", "0");
    next?.element.focus();
  }

  corner(worth, x, y) {
    const size = this.side * U;
    return badge(worth, x + size * 0.3, y - size * 0.3, size * 0.19);
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
    const arrow = this.node?.moves.find((move) => move.move === name)?.drawing?.arrow;
    this.layers.guide.replaceChildren(...(arrow ? [this.arrow(arrow, "guide")] : []));
  }
}
