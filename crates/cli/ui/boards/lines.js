// A board whose cells are points on lines.
import { s } from "../dom.js";
import { Look, U } from "./look.js";
import { GRAIN } from "./parts.js";

export const LINE = "light-dark(#5b4420, #cdb48a)";

export class Lines extends Look {
  static picking = "points";

  /** The plate and the lines; `more` lies on the plate below the lines. */
  lines(more) {
    const { width, height, lines } = this.board;
    return s("g", { class: "lines" },
      s("rect", { width: width * U, height: height * U, rx: 12, fill: "light-dark(#f0d9ae, #3a2e21)", stroke: GRAIN, "stroke-width": 4 }), more,
      lines.map(([x1, y1, x2, y2]) => s("line", { x1: x1 * U, y1: y1 * U, x2: x2 * U, y2: y2 * U, stroke: LINE, "stroke-width": 3, "stroke-linecap": "round" })),
      this.points());
  }

  /** A dot at each point. */
  points() { return this.places.map(([x, y]) => s("circle", { class: "point", cx: x * U, cy: y * U, r: 0.09 * U, fill: LINE })); }

  ground() { return this.lines(); }
}
