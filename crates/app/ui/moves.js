// The table of moves, grouped by outcome, best first.
import { h } from "./dom.js";
import { inOrder, rove } from "./keyboard.js";
import { chip } from "./shapes.js";
import { group, phrase } from "./words.js";

export class Moves {
  constructor({ play, point }) {
    Object.assign(this, { play, point });
    this.rows = new Map();
    this.body = h("div", { class: "scroll" });
    this.number = h("span", { class: "aside" });
    this.element = h("section", { class: "card moves", "aria-labelledby": "moves-title" },
      h("h2", { id: "moves-title" }, "Moves ", this.number), this.body);
    rove(this.body, () => [...this.rows.values()].map((row) => row.querySelector("button")), inOrder);
  }

  show(node, { hints }) {
    const focused = this.body.querySelector("button:focus-visible");
    this.rows.clear();
    this.number.textContent = node.moves.length || "";
    // Without hints the order must not tell either.
    const moves = hints ? node.moves : node.moves.toSorted((a, b) => a.move.localeCompare(b.move, "en", { numeric: true }));
    const groups = Map.groupBy(moves, (move) => (hints ? group(move.mover) : "Legal moves"));
    const table = h("table", {}, [...groups].map(([name, members]) => h("tbody", {},
      h("tr", { class: "group" }, h("th", { colspan: 2, scope: "rowgroup" }, name, h("span", { class: "aside" }, members.length))),
      members.map((move) => this.row(move, hints)))));
    this.body.replaceChildren(moves.length ? table : h("p", { class: "empty" }, "The game is over: there are no moves."));
    this.body.scrollTop = 0;
    if (focused) this.rows.values().next().value?.querySelector("button").focus();
  }

  row(move, hints) {
    const row = h("tr", {
      "data-move": move.move, class: "row-move",
      onclick: () => this.play(move.move),
      onpointerenter: () => this.point(move.move),
      onpointerleave: () => this.point(null),
    },
    h("td", {}, h("button", {
      type: "button", class: "plain-button", "aria-label": `Play ${move.move}${hints ? `: ${phrase(move.mover)}` : ""}`,
      onfocus: () => this.point(move.move), onblur: () => this.point(null),
    }, hints && chip(move.mover), move.move)),
    h("td", {}, hints ? phrase(move.mover) : ""));
    this.rows.set(move.move, row);
    return row;
  }

  highlight(name) {
    for (const [move, row] of this.rows) row.classList.toggle("hot", move === name);
  }
}
