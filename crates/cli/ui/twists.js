// A board with parts that turn: a stone is put on a cell, and then one of the arrows picked that turn a
// part of the board. Until then the stone is only a shadow, and can be taken back.
import { U } from "./board.js";
import { s } from "./dom.js";
import { Picks } from "./picks.js";
import { badge } from "./shapes.js";

const PAD = 0.16; // how far a part reaches beyond its cells

export class Twists extends Picks {
  constructor(look, acts) {
    super(look, acts);
    this.svg.classList.add("on-plates");
    this.stones = this.board.sides?.map((side) => side.men[0]?.letter) ?? ["x", "o"];
  }

  tiles() {
    const { twists } = this.board;
    const plates = new Map(twists.map((twist) => [twist.about.join(), twist]));
    this.plates = new Map([...plates].map(([key, { about: [x, y], reach }]) => {
      const side = 2 * (reach + PAD) * U;
      return [key, s("rect", { x: (x - reach - PAD) * U, y: (y - reach - PAD) * U, width: side, height: side, rx: 0.42 * U })];
    }));
    this.curls = twists.map((_, n) => this.curl(n, "curl"));
    this.layers.ground.append(s("g", { class: "plates" }, ...this.plates.values(), ...(this.edit ? [] : this.curls)));
    super.tiles();
  }

  /** The number of the twist that is picked at a place. */
  twistAt(place) { return this.cellAt(place) - this.places.length; }

  /** The arrow of a twist: round the middle of its part. */
  curl(n, kind) {
    const { about: [ax, ay], left } = this.board.twists[n];
    const [x, y] = this.centres[this.places.length + n];
    const r = Math.hypot(x - ax * U, y - ay * U);
    const way = left ? -1 : 1;
    const middle = Math.atan2(y - ay * U, x - ax * U);
    const at = (turn, out = 0) => [ax * U + (r + out) * Math.cos(middle + way * turn), ay * U + (r + out) * Math.sin(middle + way * turn)];
    return s("g", { class: kind, "aria-hidden": "true" },
      s("path", { d: `M${at(-0.3)}A${r} ${r} 0 0 ${left ? 0 : 1} ${at(0.16)}` }),
      s("polygon", { class: "tip", points: `${at(0.26)} ${at(0.14, 13)} ${at(0.14, -13)}` }));
  }

  offered(cell) { return `Put a stone on ${this.board.names[cell]}`; }

  worth(worth, x, y) {
    const size = this.side * U;
    return this.hints && worth ? badge(worth, x, y, size * 0.25) : s("circle", { class: "plain", cx: x, cy: y, r: size * 0.07 });
  }

  /** A stone that is not put yet. */
  ghost(cell, kind) {
    return s("g", { class: kind, transform: `translate(${this.centres[cell]})`, "data-cell": cell }, this.piece(this.stones[this.node.turn - 1], cell));
  }

  offer() {
    super.offer();
    this.svg.classList.toggle("to-turn", this.picked !== null);
    this.ghosts.replaceChildren(...(this.picked === null ? [] : [this.ghost(this.picked, "ghost")]));
  }

  stub(group, [, to], worth) {
    const n = this.twistAt(to);
    const [x, y] = this.centres[this.places.length + n];
    group.append(
      s("rect", { class: "hit", x: x - 0.55 * U, y: y - 0.43 * U, width: 1.1 * U, height: 0.86 * U, rx: 8 }),
      this.curl(n, `curl lit v-${this.hints && worth?.value ? worth.value : "plain"}`),
      this.hints && worth ? badge(worth, x, y, 0.21 * U) : "");
    return [x, y];
  }

  /** Where a place comes to lie when a part turns. */
  turned(n, [x, y]) {
    const { about: [ax, ay], left } = this.board.twists[n];
    if (!this.within(n, [x, y])) return [x, y];
    const [dx, dy] = [x - ax, y - ay];
    return left ? [ax + dy, ay - dx] : [ax - dy, ay + dx];
  }

  touched({ cell, arrow }) {
    return [cell ?? this.cellAt(this.turned(this.twistAt(arrow[1]), arrow[0]))];
  }

  drawPieces(pieces, last, still) {
    const n = last?.arrow ? this.twistAt(last.arrow[1]) : null;
    this.curls.forEach((curl, one) => curl.classList.toggle("last", one === n));
    const turns = n !== null && this.follows;
    super.drawPieces(pieces, last, still || turns);
    if (turns) this.turn(n);
  }

  show(node, options) {
    this.heat(null);
    super.show(node, options);
  }

  /** Lets what stands on a part arrive by the turn. */
  turn(n) {
    const { about: [x, y], left } = this.board.twists[n];
    const moved = [...this.layers.pieces.children].filter((one) => this.within(n, this.places[one.dataset.cell]));
    const turning = s("g", { class: left ? "turning left" : "turning right" }, moved);
    turning.style.transformOrigin = `${x * U}px ${y * U}px`;
    this.layers.pieces.append(turning);
  }

  within(n, [x, y]) {
    const { about: [ax, ay], reach } = this.board.twists[n];
    return Math.max(Math.abs(x - ax), Math.abs(y - ay)) <= reach;
  }

  /** A move that is pointed at: its stone, its arrow, and the part that turns. */
  sketch({ cell, arrow }, kind) {
    const n = arrow ? this.twistAt(arrow[1]) : null;
    return [this.ghost(cell ?? this.cellAt(arrow[0]), kind), ...(n === null ? [] : [this.curl(n, `curl ${kind}`)])];
  }

  /** Marks the part that would turn, if any. */
  heat(turns) {
    for (const [key, plate] of this.plates) plate.classList.toggle("hot", key === turns);
  }

  highlight(name) {
    super.highlight(name);
    const drawing = this.drawingOf(name);
    const turns = drawing?.arrow && this.board.twists[this.twistAt(drawing.arrow[1])].about.join();
    this.heat(turns);
    this.layers.guide.replaceChildren(...(drawing ? this.sketch(drawing, "guide") : []));
  }

  /** The best reply is told in words only: it belongs to a board that has turned. */
  reply() {}
}
