// Who plays: people or the computer, which chooses from the moves and their values.
import { h, s } from "./dom.js";
import { isPuzzle, player } from "./words.js";

const ORDER = { win: 0, tie: 1, draw: 2, lose: 4 };

/** Smaller is better for the mover. A win is best soon, a loss late. */
function rank(worth) {
  const order = ORDER[worth?.value] ?? 3;
  const far = worth?.remoteness ?? 0;
  return order * 1e6 + (worth?.value === "lose" ? -far : far);
}

/** The stubborn loser wants to lose, but as late as can be; then nothing, and a win only when it must. */
function stubborn(worth) {
  const far = worth?.remoteness ?? 0;
  return -(ORDER[worth?.value] ?? 3) * 1e6 - far;
}

/** The computer's move. `strength` from 0, any move, to 1, always a best one. */
export function choose(moves, { kind, strength }, dice = Math.random) {
  const score = kind === "loser" ? stubborn : rank;
  if (kind === "loser" || dice() < strength) {
    const best = Math.min(...moves.map((move) => score(move.mover)));
    moves = moves.filter((move) => score(move.mover) === best);
  }
  return moves[Math.floor(dice() * moves.length)];
}

const words = (strength) => (strength >= 1 ? "perfect" : strength <= 0 ? "random" : `${Math.round(strength * 100)} % perfect`);

export class Players {
  constructor({ changed, look }) {
    Object.assign(this, { changed, look });
    this.seats = [1, 2].map(() => ({ kind: "human", strength: 1 }));
    try {
      const saved = JSON.parse(sessionStorage.getItem("zermelo.players"));
      if (Array.isArray(saved) && saved.length === 2) this.seats = saved;
    } catch { /* nothing kept */ }
    this.body = h("div", { class: "seats" });
    this.element = h("section", { class: "card players", "aria-labelledby": "players-title" },
      h("h2", { id: "players-title" }, isPuzzle() ? "Player" : "Players"), this.body);
    this.draw();
  }

  isComputer(turn) { return this.seats[turn - 1].kind !== "human"; }

  seat(turn) { return this.seats[turn - 1]; }

  swap() {
    if (isPuzzle()) return;
    this.seats.reverse();
    this.draw();
    this.tell();
  }

  /** What the player plays with, where pieces have owners. */
  token(turn) {
    const token = isPuzzle() ? null : this.look?.token(turn, 100);
    return token && s("svg", { viewBox: "-50 -50 100 100", class: "mark", "aria-hidden": "true" }, token);
  }

  tell() {
    try { sessionStorage.setItem("zermelo.players", JSON.stringify(this.seats)); } catch { /* not kept */ }
    this.changed();
  }

  draw() {
    const seats = isPuzzle() ? this.seats.slice(0, 1) : this.seats;
    this.body.replaceChildren(...seats.map((seat, i) => {
      const name = player(i + 1);
      const strength = h("output", {}, words(seat.strength));
      const slider = h("input", {
        type: "range", min: 0, max: 100, step: 5, value: seat.strength * 100, id: `strength-${i}`,
        "aria-label": `Strength of the computer as ${name.toLowerCase()}, from random to perfect`,
        oninput: () => { seat.strength = slider.value / 100; strength.textContent = words(seat.strength); this.tell(); },
      });
      return h("div", { class: "seat" },
        h("label", { for: `seat-${i}` }, this.token(i + 1), name),
        h("select", {
          id: `seat-${i}`,
          onchange: (event) => { seat.kind = event.target.value; this.draw(); this.body.querySelector(`#seat-${i}`).focus(); this.tell(); },
        }, [["human", "A person"], ["computer", "Computer"], ["loser", "Most stubborn loser"]]
          .map(([kind, text]) => h("option", { value: kind, selected: kind === seat.kind }, text))),
        seat.kind === "computer" && h("div", { class: "strength" }, slider, strength),
        seat.kind === "loser" && h("p", { class: "note" }, "Loses, but as late as it can."));
    }));
  }
}
