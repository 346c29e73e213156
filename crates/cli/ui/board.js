// A game's board: what its look draws, and the moves as marks on it.
// A move on a cell is a badge there; a move along an arrow is a small badge at the edge of
// the cell it leaves, on the side it goes to, so that many may share a cell; a look may have
// places of its own for them. The whole arrow shows while the move is pointed at.
import { U } from "./boards/look.js";
import { play } from "./boards/motion.js";
import { h, s } from "./dom.js";
import { nearest, rove } from "./keyboard.js";
import { badge } from "./shapes.js";
import { label, phrase, player } from "./words.js";

export { U };

/** Side of the largest square that fits around every cell without overlap. */
function pitch(cells) {
  let least = 1;
  cells.forEach(([x, y], i) => {
    for (let j = 0; j < i; j += 1) {
      const apart = Math.max(Math.abs(x - cells[j][0]), Math.abs(y - cells[j][1]));
      if (apart > 0) least = Math.min(least, apart);
    }
  });
  return least;
}

/** Whether the cells lie in straight rows and columns. */
function straight(cells, side) {
  const on = (a, b) => Math.abs((a - b) / side - Math.round((a - b) / side)) < 0.01;
  return cells.every(([x, y]) => on(x, cells[0][0]) && on(y, cells[0][1]));
}

/** Names of columns and rows by where they are, if the cells are named so. */
function axes(cells, names) {
  const [columns, rows] = [new Map(), new Map()];
  const fits = cells.every(([x, y], cell) => {
    const [, letters, digits] = /^([a-z]+)(\d+)$/.exec(names[cell]) ?? [];
    return letters && [[columns, x, letters], [rows, y, digits]].every(([axis, at, word]) => {
      if (!axis.has(at) && [...axis.values()].includes(word)) return false;
      return axis.set(at, axis.get(at) ?? word).get(at) === word;
    });
  });
  return fits ? { columns, rows } : null;
}

/** The kind of board on which a look wants its moves picked; the special ones are loaded when first wanted. */
export async function boardFor({ picking }) {
  if (picking === "twists") return (await import("./twists.js")).Twists;
  if (picking === "points") return (await import("./points.js")).Points;
  return picking === "picks" ? (await import("./picks.js")).Picks : Board;
}

export class Board {
  /**
   * `play(move)` makes a move; `point(move or null)` says which one is pointed at, and, where a move is picked
   * in two steps, `picked()` that the first was made or taken back. Without any of them it is a picture.
   */
  constructor(look, { play, point, picked, edit, label } = {}) {
    const { board, places } = look;
    Object.assign(this, { look, board, places, play, point, edit, changed: picked });
    this.side = look.side ?? pitch(places);
    this.square = straight(places, this.side);
    this.centres = board.cells.map(([x, y]) => [x * U, y * U]);
    this.marks = new Map();
    this.before = null;
    this.node = null;
    const named = look.labelled && !label ? axes(places, board.names) : null;
    // Names of rows and columns are as large on a small board as on a large one.
    const unit = Math.max(board.width, board.height) * 1.1;
    this.font = 4 * unit;
    this.margin = named ? [6.5 * unit, 7, 6.5 * unit] : [7, 7, 7];
    // Tiles lie under the pieces; where the look draws the cells they only show the last move, above what it draws.
    const order = ["ground", ...(look.own ? [] : ["tiles"]), "labels", "columns", "leaving", "pieces", "over", ...(look.own ? ["tiles"] : []), "win", "guide", "reply", "marks"];
    this.layers = Object.fromEntries(order.map((name) => [name, s("g", { class: name })]));
    this.told = h("p", { class: "unseen", id: edit ? "editor-told" : "board-told" });
    this.svg = s("svg", label
      ? { class: "board", role: "img", "aria-label": label }
      : { class: "board", role: "group", "aria-label": edit ? "Board to edit" : "Board", "aria-describedby": this.told.id },
    Object.values(this.layers));
    this.svg.dataset.look = look.name ?? "";
    this.svg.classList.toggle("own", look.own);
    this.svg.classList.toggle("deep", look.deep);
    this.element = h("div", { class: "board-box" }, this.svg, this.told);
    this.frame();
    this.layers.ground.append(...[look.ground()].flat());
    this.layers.over.append(...[look.over()].flat());
    this.tiles();
    if (named) this.labels(named);
    if (!edit && !label) rove(this.svg, () => [...this.marks.values()].map((mark) => mark.element), nearest);
  }

  frame() {
    const [left, top, bottom] = this.margin;
    const [width, height] = [this.board.width * U + left + 7, this.board.height * U + top + bottom];
    this.svg.setAttribute("viewBox", `${-left} ${-top} ${width} ${height}`);
    // A board that is wide need not be as tall as the screen.
    this.svg.style.setProperty("--ratio", width / height);
  }

  tiles() {
    this.layers.tiles.append(...this.places.map((_, cell) => {
      const size = (this.look.room(cell) ?? this.side) * U;
      const [x, y] = this.centres[cell];
      const tile = this.square
        ? s("rect", { x: x - size / 2 + 2, y: y - size / 2 + 2, width: size - 4, height: size - 4, rx: 8 })
        : s("circle", { cx: x, cy: y, r: size / 2 - 2 });
      if (this.edit) this.editable(tile, cell);
      return tile;
    }));
  }

  editable(tile, cell) {
    tile.setAttribute("role", "button");
    tile.setAttribute("tabindex", "0");
    tile.addEventListener("click", () => this.edit(cell));
    tile.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); this.edit(cell); }
    });
  }

  labels({ columns, rows }) {
    const { height } = this.board;
    const text = (x, y, word, kind) => s("text", { x, y, dy: "0.35em", class: kind, "font-size": this.font }, word);
    if (this.look.numbered) {
      this.layers.columns.append(...[...columns.keys()].map((x, n) => text(x * U, -this.font * 0.8, n + 1)));
      this.topped();
    }
    this.layers.labels.append(
      ...[...columns].map(([x, word]) => text(x * U, height * U + this.font * 0.9, word, "column")),
      ...[...rows].map(([y, word]) => text(-this.font * 0.8, y * U, word)));
  }

  /** Draws a position; `last` is the drawing of the move that led to it, `trail` those of all moves so far. */
  show(node, { hints, last = null, still = false, trail = [] }) {
    // The focus follows only where keys are in use.
    const focused = this.layers.marks.querySelector(":focus-visible");
    this.look.adapt(node);
    // Only a move that was just made is seen, not one that another was taken back to.
    this.follows = !still && last !== null && (this.node?.moves.some((move) => move.position === node.position) ?? false);
    this.node = node;
    this.look.show(node.pieces, trail);
    this.drawPieces(node.pieces, last, still);
    this.drawWin(node);
    this.marks.clear();
    this.layers.guide.replaceChildren();
    this.layers.reply.replaceChildren();
    this.hints = hints;
    this.drawMarks(node);
    if (focused) this.marks.values().next().value?.element.focus();
  }

  /** The cells that won, when the game is over: ringed, and joined where nothing on them has to be read. */
  drawWin({ over, pieces }) {
    const lists = over ? this.look.winning(pieces) : [];
    this.layers.win.replaceChildren(...lists.flatMap((list) => {
      const points = list.map((cell) => this.centres[cell].join()).join(" ");
      const rings = [...new Set(list)].map((cell) => s("circle", { class: "win-cell", cx: this.centres[cell][0], cy: this.centres[cell][1], r: 0.44 * this.side * U }));
      if (this.look.ringed) return rings;
      return [s("polyline", { class: "win-line casing", points, pathLength: 1 }), s("polyline", { class: "win-line", points, pathLength: 1 })];
    }));
    if (!this.follows) return;
    for (const line of this.layers.win.children) {
      play(line, line.matches("polyline")
        ? [{ strokeDasharray: "1 1", strokeDashoffset: 1 }, { strokeDasharray: "1 1", strokeDashoffset: 0 }]
        : [{ opacity: 0 }, { opacity: 1 }], { duration: 420, delay: 380 });
    }
  }

  drawMarks(node) {
    const crowd = this.crowded(node.moves);
    // The best move is painted last and so lies on top; it is also the first to get the focus.
    const drawn = node.moves.filter((move) => move.drawing).map((move) => this.mark(move, node, crowd));
    this.layers.marks.replaceChildren(...drawn.reverse());
    this.markColumns(node.moves);
    this.marks.values().next().value?.element.setAttribute("tabindex", "0");
  }

  /** What stands on a cell, drawn around the origin; for a palette without a cell. */
  piece(letter, cell = null) { return this.look.piece(letter, cell, this.side * U); }

  /** What stands on a cell, in words. */
  called(letter) { return this.look.called(letter); }

  drawPieces(pieces, last, still) {
    const touched = last ? this.touched(last) : [];
    [...this.layers.tiles.children].forEach((tile, cell) => {
      tile.classList.toggle("last", touched.includes(cell));
      if (this.edit) tile.setAttribute("aria-label", `${this.board.names[cell] ?? cell}: ${this.called(pieces[cell])}`);
    });
    const { before } = this;
    const drawn = new Map();
    this.layers.pieces.replaceChildren(...[...pieces].flatMap((letter, cell) => {
      const piece = cell < this.places.length ? this.piece(letter, cell) : null;
      if (!piece) return [];
      if (!still && before && before[cell] !== letter) piece.classList.add("fresh");
      drawn.set(cell, piece);
      // What has a name is told by it; letters and crosses are told all together.
      const name = this.look.named(letter) ? { role: "img", "aria-label": `${this.called(letter)} on ${this.board.names[cell] ?? cell}` } : {};
      return [s("g", { transform: `translate(${this.centres[cell]})`, "data-cell": cell, ...name }, piece)];
    }));
    this.layers.leaving.replaceChildren();
    if (this.follows && before) this.animate(before, pieces, last, drawn);
    this.before = pieces;
    const standing = [...pieces].flatMap((letter, cell) => (letter === "-" ? [] : [`${this.called(letter)} on ${this.board.names[cell] ?? cell}`]));
    this.told.textContent = standing.length ? `${standing.join(", ")}.` : "The board is empty.";
  }

  /** Lets the look show the move that was just made. */
  animate(before, after, last, drawn) {
    const [from, to] = last.ends;
    this.look.animate({
      before, after, from: from === to ? null : from, to, places: this.places,
      piece: (cell) => drawn.get(cell),
      centre: (cell) => this.centres[cell],
      ghost: (cell, parent) => {
        const gone = this.piece(before[cell], cell) ?? s("g");
        if (parent) parent.append(gone);
        else this.layers.leaving.append(s("g", { transform: `translate(${this.centres[cell]})` }, gone));
        return gone;
      },
    });
  }

  /** The cells to mark after a move. */
  touched({ ends }) { return ends; }

  cellAt([x, y]) {
    return this.board.cells.findIndex(([cx, cy]) => Math.hypot(cx - x, cy - y) < 0.01);
  }

  /** Starts and directions that two arrows share; such moves are marked at their ends instead. */
  crowded(moves) {
    const seen = new Map();
    for (const { drawing } of moves) {
      if (!drawing?.arrow) continue;
      const key = this.heading(drawing.arrow);
      seen.set(key, (seen.get(key) ?? 0) + 1);
    }
    return new Set([...seen].filter(([, times]) => times > 1).map(([key]) => key));
  }

  heading([[x1, y1], [x2, y2]]) {
    return `${x1},${y1}:${Math.round(Math.atan2(y2 - y1, x2 - x1) * 50)}`;
  }

  mark(move, node, crowd) {
    const { drawing } = move;
    const worth = this.hints ? move.mover : null;
    const say = `${move.move}${this.hints ? `: ${phrase(move.mover)}` : ""}`;
    const group = s("g", {
      class: "move", role: "button", tabindex: "-1", "data-move": move.move,
      "data-value": this.hints ? move.mover?.value ?? "unknown" : null,
      "data-remoteness": this.hints ? move.mover?.remoteness : null,
      "aria-label": `${player(node.turn)}: ${say}${this.hints ? `, ${label(move.mover)}` : ""}`,
    }, s("title", {}, `${say} `));
    const own = this.look.spot(drawing);
    const at = own ? this.spotted(group, own, worth) : drawing.arrow ? this.stub(group, drawing.arrow, worth, crowd) : this.dot(group, drawing.cell, worth);
    group.addEventListener("click", () => this.choose(move));
    group.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); this.choose(move); }
    });
    for (const kind of ["pointerenter", "focus"]) group.addEventListener(kind, () => this.point(move.move));
    for (const kind of ["pointerleave", "blur"]) group.addEventListener(kind, () => this.point(null));
    this.marks.set(move.move, { element: group, at, drawing });
    return group;
  }

  /** What pressing a mark does. */
  choose(move) { this.play(move.move); }

  /** A mark where the look wants it. */
  spotted(group, { at: [x, y], r, hit, tip }, worth) {
    hit.classList.add("hit");
    tip?.classList.add("tip", `v-${worth?.value ?? "unknown"}`);
    group.append(hit, ...(tip ? [tip] : []), this.hints ? badge(worth, x, y, r) : s("circle", { class: "plain", cx: x, cy: y, r: r * 0.4 }));
    return [x, y];
  }

  dot(group, cell, worth) {
    const [x, y] = this.centres[cell];
    const size = this.side * U;
    group.append(
      s("rect", { class: "hit", x: x - size / 2 + 2, y: y - size / 2 + 2, width: size - 4, height: size - 4, rx: 8 }),
      this.hints ? badge(worth, x, y, size * 0.25) : s("circle", { class: "plain", cx: x, cy: y, r: size * 0.09 }));
    return [x, y];
  }

  stub(group, arrow, worth, crowd) {
    const [[x1, y1], [x2, y2]] = arrow.map(([x, y]) => [x * U, y * U]);
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
    const size = this.side * U;
    const alone = !crowd.has(this.heading(arrow));
    const along = alone ? size * 0.29 : length - size * 0.32;
    const [x, y] = [x1 + dx * along, y1 + dy * along];
    // The tip of the arrow beyond the badge, and a wedge of the cell to press on.
    const tip = (out, across) => `${x + dx * out * size - dy * across * size},${y + dy * out * size + dx * across * size}`;
    const upright = Math.abs(dx) > 0.99 || Math.abs(dy) > 0.99;
    const edge = (sign) => `${x1 + (dx - dy * sign) * size / 2},${y1 + (dy + dx * sign) * size / 2}`;
    group.append(
      alone && upright
        ? s("polygon", { class: "hit", points: `${x1},${y1} ${edge(1)} ${edge(-1)}` })
        : s("circle", { class: "hit", cx: x, cy: y, r: size * 0.2 }),
      s("polygon", { class: `tip v-${worth?.value ?? "unknown"}`, points: this.hints ? `${tip(0.2, 0)} ${tip(0.11, 0.11)} ${tip(0.11, -0.11)}` : `${tip(0.1, 0)} ${tip(-0.02, 0.1)} ${tip(-0.02, -0.1)}` }),
      this.hints ? badge(worth, x - dx * size * 0.03, y - dy * size * 0.03, size * 0.14) : "");
    return [x, y];
  }

  /** Where moves have names of their own (columns of Connect 4), writes them above. */
  markColumns(moves) {
    if (!this.look.labelled || this.look.numbered) return;
    const own = moves.filter(({ move, drawing }) => drawing?.cell != null && this.board.names[drawing.cell] !== move);
    const places = new Set(own.map(({ drawing }) => this.centres[drawing.cell][0]));
    const fits = own.length && places.size === own.length && own.every(({ move }) => move.length < 4);
    this.layers.columns.replaceChildren(...(fits ? own.map(({ move, drawing }) =>
      s("text", { x: this.centres[drawing.cell][0], y: -this.font * 0.8, dy: "0.35em", "font-size": this.font }, move)) : []));
    // Once there, the room for them stays, so that the board does not jump when the game ends.
    if (fits) this.topped();
  }

  /** Makes room for names of columns above the board instead of below. */
  topped() {
    this.svg.classList.add("columned");
    this.margin = [this.margin[0], this.font * 1.6, 7];
    this.frame();
  }

  arrow([[x1, y1], [x2, y2]], kind) {
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
    const tip = (back, across) => `${(x2 - dx * back - dy * across) * U},${(y2 - dy * back + dx * across) * U}`;
    return s("g", { class: `arrow ${kind}` },
      s("line", { x1: x1 * U, y1: y1 * U, x2: (x2 - dx * 0.14) * U, y2: (y2 - dy * 0.14) * U }),
      s("polygon", { points: `${tip(-0.02, 0)} ${tip(0.18, 0.11)} ${tip(0.18, -0.11)}` }));
  }

  /** Shows which move is pointed at. */
  highlight(name) {
    for (const [move, mark] of this.marks) mark.element.classList.toggle("hot", move === name);
    const drawing = this.marks.get(name)?.drawing;
    this.guide(drawing);
    this.layers.reply.replaceChildren();
  }

  /** Draws a move that is pointed at. */
  guide(drawing) {
    const shown = drawing && (this.look.guide(drawing) ?? (drawing.arrow && this.arrow(drawing.arrow, "guide")));
    this.layers.guide.replaceChildren(...(shown ? [shown] : []));
  }

  /** Shows what the other player would best answer. */
  reply(drawing) {
    if (!drawing) return;
    const size = this.side * U;
    this.layers.reply.replaceChildren(drawing.arrow ? this.arrow(drawing.arrow, "answer")
      : s("circle", { class: "answer", cx: this.centres[drawing.cell][0], cy: this.centres[drawing.cell][1], r: size * 0.38 }));
  }
}
