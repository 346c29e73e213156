// The principal line on demand: perfect play from here to the end.
import * as api from "./api.js";
import { h } from "./dom.js";
import { chip } from "./shapes.js";

/** What a move is worth to its maker, from the value of the position it leads to. */
function moved({ value, remoteness }, passed) {
  const flipped = passed ? { win: "lose", lose: "win" }[value] ?? value : value;
  return { value: flipped, remoteness: remoteness == null ? null : remoteness + 1 };
}

/** Whether a line comes back to a position. */
function again({ position, line }) {
  const last = line.at(-1).position;
  return last === position || line.slice(0, -1).some((step) => step.position === last);
}

export class Line {
  /** `step(moves)` goes to the moves of a game. */
  constructor({ game, variant, step }) {
    Object.assign(this, { game, variant, step });
    this.base = null;
    this.body = h("div", { "aria-live": "off" });
    this.element = h("section", { class: "card line", "aria-labelledby": "line-title", hidden: true },
      h("h2", { id: "line-title" }, "Perfect play ",
        h("button", { type: "button", class: "quiet aside", "aria-label": "Close the line", onclick: () => this.close() }, "✕")), this.body);
  }

  get open() { return !this.element.hidden; }

  close() {
    this.element.hidden = true;
    this.base = null;
  }

  /** Asks for the line from `node`, which stands after `moves`. */
  async ask(node, start, moves, signal) {
    this.element.hidden = false;
    this.body.replaceChildren(h("p", { class: "loading" }, "Looking…"));
    try {
      const answer = await api.line(this.game, this.variant, node.position, signal);
      Object.assign(this, { base: [...moves], start, answer, turn: node.turn });
      this.draw(moves);
    } catch (error) {
      if (api.isAbort(error)) return;
      this.body.replaceChildren(h("p", { class: "wrong" }, error.message));
    }
  }

  /** Marks how far the game has followed the line; closes when it has left it. */
  follow(start, moves) {
    if (!this.open || !this.base) return;
    const whole = [...this.base, ...this.answer.line.map((step) => step.move)];
    const on = start === this.start && moves.length >= this.base.length && moves.every((move, i) => whole[i] === move);
    if (on) this.draw(moves); else this.close();
  }

  draw(moves) {
    const { line, complete } = this.answer;
    const now = moves.length - this.base.length;
    if (!line.length) {
      this.body.replaceChildren(h("p", { class: "empty" }, complete ? "The game is over here." : "Not known: no table has the moves of this position."));
      return;
    }
    let turn = this.turn;
    const worths = line.map((step) => {
      const next = Number(/^([12])_/.exec(step.position)?.[1] ?? 3 - turn);
      const worth = moved(step, next !== turn);
      turn = next;
      return worth;
    });
    this.body.replaceChildren(
      h("ol", { class: "steps" }, line.map((step, i) => h("li", {},
        h("button", {
          type: "button", class: "step", "aria-current": i + 1 === now ? "step" : null,
          onclick: () => this.step([...this.base, ...line.slice(0, i + 1).map((one) => one.move)]),
        }, h("span", { class: "aside" }, `${this.base.length + i + 1}.`), step.move, chip(worths[i]))))),
      complete === false ? h("p", { class: "empty" }, again(this.answer) ? "… and round again: play never ends." : "… and what follows is not known.") : "");
  }
}
