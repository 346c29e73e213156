// Peg solitaire: a wooden board with holes, and pegs that jump.
import { s } from "../dom.js";
import { Look, part, U } from "./look.js";
import { leave, play } from "./motion.js";
import { GRAIN, WOOD } from "./parts.js";

const HOLE = "light-dark(#8a6332, #1f160d)";

/** The corners of the least convex shape around points. */
function hull(points) {
  const sorted = points.toSorted(([a, b], [c, d]) => a - c || b - d);
  const half = (list) => list.reduce((found, [x, y]) => {
    while (found.length > 1) {
      const [[ax, ay], [bx, by]] = found.slice(-2);
      if ((bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0) break;
      found.pop();
    }
    return [...found, [x, y]];
  }, []);
  return [...half(sorted).slice(0, -1), ...half(sorted.toReversed()).slice(0, -1)];
}

export default class Pegs extends Look {
  static picking = "picks";

  static example() {
    const cells = [0, 1, 2, 3, 4].flatMap((row) => Array.from({ length: row + 1 }, (_, n) => [2.5 + n - row / 2, row + 0.5]));
    return { board: { width: 5, height: 5, cells, names: cells.map((_, n) => String(n + 1)), lines: [], labels: [], sides: [], twists: [] }, pieces: "xx-x-xxxx-xxx-x" };
  }

  get labelled() { return this.board.names[0] !== "1"; }

  ground() {
    const points = hull(this.places).map(([x, y]) => `${x * U},${y * U}`).join(" ");
    return part("wood",
      s("polygon", { points, fill: GRAIN, stroke: GRAIN, "stroke-width": 0.98 * U, "stroke-linejoin": "round" }),
      s("polygon", { points, fill: WOOD, stroke: WOOD, "stroke-width": 0.92 * U, "stroke-linejoin": "round" }),
      this.places.map(([x, y]) => s("circle", { cx: x * U, cy: y * U, r: 0.17 * U, fill: HOLE })));
  }

  piece(letter, cell, size) {
    if (letter !== "x") return null;
    const r = 0.29 * size;
    return s("g", { class: "piece peg" },
      s("ellipse", { cx: r * 0.14, cy: r * 0.24, rx: r, ry: r * 0.95, fill: "#000000", opacity: 0.22 }),
      s("circle", { r, fill: "light-dark(#2d6fb7, #4d93de)", stroke: "light-dark(#16436f, #1d4672)", "stroke-width": r * 0.1 }),
      s("circle", { cx: -r * 0.3, cy: -r * 0.34, r: r * 0.26, fill: "#ffffff", opacity: 0.55 }));
  }

  called(letter) { return { x: "peg", "-": "empty hole" }[letter] ?? letter; }

  get corner() { return [0.3, -0.3, 0.19]; }

  animate({ before, after, from, to, piece, ghost, centre }) {
    const [[x1, y1], [x2, y2]] = [centre(from), centre(to)];
    const [dx, dy] = [x1 - x2, y1 - y2];
    play(piece(to), [{ transform: `translate(${dx}px, ${dy}px)` }, { transform: `translate(${dx / 2}px, ${dy / 2}px) scale(1.3)` }, { transform: "none" }], { duration: 380, easing: "ease-in-out" });
    [...after].forEach((letter, cell) => {
      if (letter === "-" && before[cell] === "x" && cell !== from) leave(ghost(cell), { delay: 200 });
    });
  }
}
