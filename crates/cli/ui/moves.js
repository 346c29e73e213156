// The table of moves, grouped by outcome, best first. Where a move is picked in two steps the table follows:
// once the first is made it has only what can come next. Very many moves have one row for all that begin alike.
import { h } from "./dom.js";
import { inOrder, rove } from "./keyboard.js";
import { chip } from "./shapes.js";
import { group, phrase } from "./words.js";

const MANY = 60;

export class Moves {
  /** `pick(cell or null)` makes the first step of a move, or takes it back. */
  constructor({ play, point, pick }) {
    Object.assign(this, { play, point, pick });
    this.rows = new Map();
    this.body = h("div", { class: "scroll" });
    this.title = h("span", {}, "Moves");
    this.number = h("span", { class: "aside" });
    this.back = h("button", { type: "button", class: "quiet aside", "aria-label": "All moves", title: "All moves (Escape)", hidden: true, onclick: () => this.pick(null) }, "✕");
    this.element = h("section", { class: "card moves", "aria-labelledby": "moves-title" },
      h("h2", { id: "moves-title" }, this.title, " ", this.number, this.back), this.body);
    rove(this.body, () => [...this.rows.values()].map((row) => row.querySelector("button")), inOrder);
  }

  /** `board` says where moves begin and what is picked, if they are made in two steps. */
  show(node, { hints, board }) {
    const focused = this.body.querySelector("button:focus-visible");
    this.rows.clear();
    const picked = board?.picked ?? null;
    const begun = picked === null ? node.moves : node.moves.filter((move) => board.start(move) === picked);
    this.title.textContent = picked === null ? "Moves" : `Moves from ${board.board.names[picked]}`;
    this.number.textContent = begun.length || "";
    this.back.hidden = picked === null;
    // Without hints the order must not tell either.
    const moves = hints ? begun : begun.toSorted((a, b) => a.move.localeCompare(b.move, "en", { numeric: true }));
    // Best first, so that the first of those that begin alike stands for them.
    const alike = board?.start && picked === null && moves.length > MANY ? Map.groupBy(moves, (move) => board.start(move) ?? move) : null;
    const listed = alike ? [...alike.values()].map((members) => members[0]) : moves;
    const groups = Map.groupBy(listed, (move) => (hints ? group(move.mover) : "Legal moves"));
    const table = h("table", {}, [...groups].map(([name, members]) => h("tbody", {},
      h("tr", { class: "group" }, h("th", { colspan: 2, scope: "rowgroup" }, name, h("span", { class: "aside" }, members.length))),
      members.map((move) => {
        const cell = alike && board.start(move);
        return this.row(move, hints, cell === null ? {} : { cell, name: board.board.names[cell], does: board.offered(cell), count: alike.get(cell).length });
      }))));
    this.body.replaceChildren(moves.length ? table : h("p", { class: "empty" }, "The game is over: there are no moves."));
    this.body.scrollTop = 0;
    if (focused) this.rows.values().next().value?.querySelector("button").focus();
  }

  /** The row of a move; or, of all those that begin on a cell, with the best of them. */
  row(move, hints, { cell = null, name = move.move, does = `Play ${name}`, count }) {
    const row = h("tr", {
      ...(cell === null ? { "data-move": move.move } : { "data-start": cell }), class: "row-move",
      onclick: () => (cell === null ? this.play(move.move) : this.pick(cell)),
      onpointerenter: () => this.point(move.move),
      onpointerleave: () => this.point(null),
    },
    h("td", {}, h("div", { class: "of-move" }, hints && chip(move.mover), h("button", {
      type: "button", class: "plain-button", "aria-label": `${does}${count ? `, ${count} moves` : ""}${hints ? `: ${phrase(move.mover)}` : ""}`,
      onfocus: () => this.point(move.move), onblur: () => this.point(null),
    }, name, count && " ", count && h("span", { class: "aside" }, `${count} moves`)))),
    h("td", {}, hints ? phrase(move.mover) : ""));
    this.rows.set(move.move, row);
    return row;
  }

  highlight(name) {
    for (const [move, row] of this.rows) row.classList.toggle("hot", move === name);
  }
}
