// Quarto: each piece shows what it is: tall or short, light or dark, round or square, with a hole or without.
import { s } from "../dom.js";
import { Look, part, U } from "./look.js";
import { grow, slide } from "./motion.js";
import { GRAIN, grid, plate, rows, WOOD, words } from "./parts.js";

const TRAY = 0.72; // a place of the tray, in cells
const TOP = 1.12; // room for the piece given

export default class Quarto extends Look {
  static picking = "picks";

  static example() {
    const board = grid(4, 4);
    board.cells.push([0.5, 4.5]);
    board.names.push("given");
    for (let n = 0; n < 16; n += 1) {
      board.cells.push([(n % 4) + 5.5, Math.floor(n / 4) + 0.5]);
      board.names.push(n.toString(16));
    }
    return { board, pieces: "-5--" + "3-f-" + "-8--" + "--6-" + "9" + "012-4--7--abcde-" };
  }

  layout(board) {
    this.squares = board.names.indexOf("given");
    this.size = Math.sqrt(this.squares);
    const left = this.size + 0.35;
    const place = (place, cell) => {
      if (cell < this.squares) return place;
      if (cell === this.squares) return [left + 2.2 * TRAY + 0.42, 0.52];
      const n = cell - this.squares - 1;
      return [left + (n % 4 + 0.5) * TRAY, TOP + (Math.floor(n / 4) + 0.5) * TRAY];
    };
    const height = Math.max(this.size, TOP + Math.ceil((board.cells.length - this.squares - 1) / 4) * TRAY);
    return { ...board, width: left + 4 * TRAY, height, cells: board.cells.map(place) };
  }

  get side() { return 1; }

  /** Places of the tray are smaller. */
  room(cell) { return cell > this.squares ? TRAY : 1; }

  get labelled() { return false; }

  ground() {
    const left = this.size + 0.35;
    const { width, height } = this.board;
    return part("wood",
      plate(-0.02, 0, this.size + 0.04, this.size, { fill: WOOD, stroke: GRAIN, "stroke-width": 4 }),
      this.places.slice(0, this.squares).map(([x, y]) => s("circle", { cx: x * U, cy: y * U, r: 0.44 * U, fill: "light-dark(#dfbd84, #392a1b)", stroke: GRAIN, "stroke-width": 2.5 })),
      plate(left, 0.02, width - left, TOP - 0.1, { fill: "var(--glow)" }), words("to place", (left + 1.05) * U, 0.52 * U, 27, { fill: "var(--ink)", "font-weight": 600 }),
      plate(left, TOP, width - left, height - TOP, { fill: "var(--tile)" }));
  }

  piece(letter, cell, size) {
    const n = parseInt(letter, 16);
    if (Number.isNaN(n)) return null;
    const u = (size / 100) * (cell !== null && cell > this.squares ? TRAY * 0.9 : 1);
    const [dark, square, tall, hole] = [n & 1, n & 2, n & 4, n & 8];
    const [face, side, edge] = dark ? ["#8a4b2a", "#66331a", "#2c1408"] : ["#f8e3b4", "#dfbd7c", "#7b5a24"];
    const [w, h] = [23, tall ? 50 : 20];
    const y = tall ? -26 : -8;
    const r = 11; // of the top, seen from the side
    const body = square
      ? `M${-w} ${y}L0 ${y - r}L${w} ${y}V${y + h}L0 ${y + h + r}L${-w} ${y + h}Z`
      : `M${-w} ${y}A${w} ${r} 0 0 1 ${w} ${y}V${y + h}A${w} ${r} 0 0 1 ${-w} ${y + h}Z`;
    const top = square ? s("path", { d: `M${-w} ${y}L0 ${y - r}L${w} ${y}L0 ${y + r}Z` }) : s("ellipse", { cy: y, rx: w, ry: r });
    top.setAttribute("fill", face);
    return s("g", { class: "piece quarto reads", "data-piece": letter }, s("g", { transform: `scale(${u})`, stroke: edge, "stroke-width": 2.2, "stroke-linejoin": "round" },
      s("path", { d: body, fill: side }), square && s("path", { d: `M0 ${y + r}V${y + h + r}`, fill: "none" }), top,
      hole && s("ellipse", { cy: y, rx: 9, ry: 4.6, fill: edge })));
  }

  called(letter, cell) {
    const n = parseInt(letter, 16);
    if (Number.isNaN(n)) return "empty";
    const words = [n & 4 ? "tall" : "short", n & 1 ? "dark" : "light", n & 2 ? "square" : "round", n & 8 ? "with a hole" : "solid"];
    return words.slice(0).join(" ");
  }

  token() { return null; }

  get advice() { return "Pick a place, then the piece to give."; }

  get ringed() { return true; }

  get corner() { return [0, 0, 0.26]; }

  /** On the board in the middle of the empty place, in the tray beside the piece. */
  spot({ cell, arrow }) {
    const [x, y] = arrow ? arrow[1] : this.board.cells[cell];
    if (!arrow && cell < this.squares) return null;
    return { at: [(x + 0.275) * U, (y + 0.2) * U], r: 0.125 * U, hit: s("rect", { x: (x - TRAY / 2) * U + 1, y: (y - TRAY / 2) * U + 1, width: TRAY * U - 2, height: TRAY * U - 2, rx: 8 }) };
  }

  /** The piece to place, shown on the place that is picked. */
  held(cell, pieces) {
    const given = this.piece(pieces[this.squares], cell, U);
    return given && s("g", { class: "ghost", transform: `translate(${this.at(cell)})` }, given);
  }

  winning(pieces) {
    const attributes = this.option("attributes", 4);
    return rows(this.places.slice(0, this.squares), this.size, (row) => {
      const seen = row.map((cell) => parseInt(pieces[cell], 16));
      const all = (1 << attributes) - 1;
      return seen.every((n) => !Number.isNaN(n)) && (seen.reduce((a, b) => a & b, all) || seen.reduce((a, b) => a & ~b, all)) !== 0;
    });
  }

  animate({ before, after, piece, centre }) {
    [...after].forEach((letter, cell) => {
      if (letter === before[cell] || letter === "-") return;
      // What was given comes to its place, and what is given next comes from the tray.
      const from = cell < this.squares ? this.squares : cell === this.squares ? this.squares + 1 + parseInt(letter, 16) : null;
      if (from === null) { grow(piece(cell)); return; }
      slide(piece(cell), [centre(from)[0] - centre(cell)[0], centre(from)[1] - centre(cell)[1]]);
    });
  }
}
