// A board whose cells are points on lines: men are discs on them, and a move is made by
// picking a man and then the point it goes to.
import { U } from "./board.js";
import { s } from "./dom.js";
import { drawable, Picks } from "./picks.js";

export class Points extends Picks {
  constructor(board, acts) {
    super(board, acts);
    this.svg.classList.add("on-points");
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
