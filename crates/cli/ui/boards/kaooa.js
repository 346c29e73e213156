// Kaooa: a star, seven crows and a vulture.
import { s } from "../dom.js";
import { LINE, Lines } from "./lines.js";
import { U } from "./look.js";

const BODY = "M-30 12C-34 -6 -20 -20 -4 -17C0 -28 14 -32 22 -23L37 -17L23 -12C22 4 12 20 -8 20L-20 32L-19 20C-24 19 -28 16 -30 12Z";

export default class Kaooa extends Lines {
  static example() {
    const around = (reach, first) => [0, 1, 2, 3, 4].map((n) => {
      const angle = ((first + 72 * n) * Math.PI) / 180;
      return [3.5 + reach * Math.cos(angle), 3.5 + reach * Math.sin(angle)];
    });
    const places = [...around(3.5, -90), ...around(3.5 * 0.381966, -54)];
    const cells = places.map(([x, y]) => [x + 0.5, y + 0.5]);
    const lines = [[0, 2], [1, 3], [2, 4], [3, 0], [4, 1]].map(([a, b]) => [...cells[a], ...cells[b]]);
    const bird = (name, man, letter) => ({ name, men: [{ letter, sign: " ", name: man }] });
    return { board: { width: 8, height: 7.3, cells, names: cells.map((_, n) => String(n + 1)), lines, labels: [], sides: [bird("Crows", "crow", "x"), bird("Vulture", "vulture", "o")], twists: [] }, pieces: "xx-x--xxo-" };
  }

  points() { return this.places.map(([x, y]) => s("circle", { class: "point", cx: x * U, cy: y * U, r: 0.3 * U, fill: "light-dark(#f8e9cb, #2c2219)", stroke: LINE, "stroke-width": 3 })); }

  piece(letter, cell, size) {
    if (letter !== "x" && letter !== "o") return null;
    const crow = letter === "x";
    const [face, edge, bird] = crow ? ["light-dark(#fdf6e6, #d9cdb4)", "light-dark(#5c4a2a, #2b2213)", "#23262d"] : ["light-dark(#a9432a, #c45f42)", "light-dark(#5a1f10, #5e2413)", "#fff4e2"];
    const u = (size / 100) * (crow ? 0.82 : 1);
    return s("g", { class: "piece bird" },
      s("circle", { r: 46 * (size / 100), fill: face, stroke: edge, "stroke-width": 3 }),
      s("g", { transform: `translate(${-2 * u} ${1 * u}) scale(${u})` },
        s("path", { d: BODY, fill: bird }),
        s("path", { d: crow ? "M-26 6C-14 14 0 12 6 2" : "M-26 4C-10 18 8 12 10 -4M-20 10C-8 20 4 18 9 6", fill: "none", stroke: face, "stroke-width": 3 }),
        s("circle", { cx: 17, cy: -20, r: 3, fill: face }),
        !crow && s("path", { d: "M8 -12C12 -6 20 -8 23 -12", fill: "none", stroke: "#f0a43a", "stroke-width": 5 })));
  }

  get corner() { return [0.42, -0.42, 0.22]; }
}
