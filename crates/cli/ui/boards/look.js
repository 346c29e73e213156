// How a game looks: the interface of all boards. A game's module draws its board, its pieces and, where it differs
// from the usual, where values stand and how a move is seen. All drawing is in units of U to a cell.
import { s } from "../dom.js";
import { animate } from "./motion.js";

export const U = 100;

/** The options in the name of a variant: `rows=4,cols=4`, or none for `default`. */
export function optionsOf(variant) {
  return Object.fromEntries((variant ?? "").split(",").filter((pair) => pair.includes("=")).map((pair) => {
    const cut = pair.indexOf("=");
    return [pair.slice(0, cut), pair.slice(cut + 1)];
  }));
}

export class Look {
  /** How a move is picked: `tiles` in one step, `picks`, `points` or `twists` in two. */
  static picking = "tiles";

  constructor({ board, variant, start = "" }) {
    this.options = optionsOf(variant);
    this.start = start;
    this.told = board.cells;
    this.board = this.layout(board);
    this.places = this.board.cells.slice(0, this.board.cells.length - (this.board.twists?.length ?? 0));
  }

  /** A number among the options of the variant. */
  option(name, usual) { return Number(this.options[name] ?? usual); }

  get picking() { return this.constructor.picking; }

  /** Whether the cells are drawn by the look; if not, they are tiles. */
  get own() { return true; }

  /** The size of a cell; null for as large as fits without overlap. */
  get side() { return null; }

  /** The size of one cell, where they differ. */
  room() { return null; }

  /** Whether names of columns and rows stand at the edges. */
  get labelled() { return true; }

  /** Whether columns are numbered above the board, because moves are numbers of columns. */
  get numbered() { return false; }

  /** What to do first, where that is not plain to see. */
  get advice() { return ""; }

  /** The places of the cells, where the look has them elsewhere than the description. */
  layout(board) { return board; }

  /** Takes the drawings of a position's moves over to the places of this look: `ends` are the cells of a move. */
  adapt({ moves }) {
    const cellAt = ([x, y]) => this.told.findIndex(([a, b]) => Math.hypot(a - x, b - y) < 0.01);
    for (const { drawing } of moves) {
      if (!drawing || drawing.ends) continue;
      drawing.ends = drawing.arrow ? drawing.arrow.map(cellAt) : [drawing.cell, drawing.cell];
      if (drawing.arrow) drawing.arrow = drawing.arrow.map((place, n) => this.board.cells[drawing.ends[n]] ?? place);
    }
  }

  /** Is told the pieces before they are drawn, and the drawings of the moves that led there, as far as known. */
  show() {}

  /** The centre of a cell. */
  at(cell) { return this.board.cells[cell].map((x) => x * U); }

  /** What lies under the pieces. */
  ground() { return []; }

  /** What lies under the pieces of a picture that is not played on. */
  backdrop() { return this.ground(); }

  /** Whether the board is so deep in colour that what is marked on it has to be light. */
  get deep() { return false; }

  /** What lies over the pieces. */
  over() { return []; }

  /** What stands on a cell, around the origin; `size` is that of a cell, `cell` is null in a palette. */
  piece() { return null; }

  /** What stands on a cell, in words. */
  called(letter) {
    const side = this.board.sides?.find(({ men }) => men.some((man) => man.letter === letter));
    if (side) return `${side.name.toLowerCase()} ${side.men.find((man) => man.letter === letter).name}`;
    return letter === "-" ? "empty" : letter;
  }

  /** Whether what stands on a cell is named one by one to people who listen. */
  named(letter) { return Boolean(this.board.sides?.some(({ men }) => men.some((man) => man.letter === letter))); }

  /** Where the mark of a move stands, as `{at, r, hit}`, and the `tip` of an arrow if it has one; null for the usual place. */
  spot() { return null; }

  /** Where the mark of the best move from a cell stands, from its middle, in cells: across, down, radius. */
  get corner() { return [0.38, -0.38, 0.17]; }

  cornerOf() { return this.corner; }

  /** How a move that is pointed at is shown; null for an arrow. */
  guide() { return null; }

  /** The cells that won, as lists that are joined by a line. */
  winning() { return []; }

  /** Whether cells that won are only ringed, because a line would hide what is on them. */
  get ringed() { return false; }

  /** What was put in the first step of a move, as a shadow. */
  held() { return null; }

  /** The piece that stands for a player. */
  token(turn, size) { return this.piece(turn === 1 ? "x" : "o", null, size); }

  /** A sentence on the position, such as a score. */
  score() { return ""; }

  /** Lets a move be seen that was just made. */
  animate(change) { animate(change); }
}

/** A piece of the drawing with the name of its part, for styles and tests. */
export const part = (name, ...nodes) => s("g", { class: name }, ...nodes);
