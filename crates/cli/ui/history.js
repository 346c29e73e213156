// The value history: a tug of war. One row a position; to the left the first player wins,
// to the right the second, the sooner the farther out; ties and draws lie in the middle. In a
// puzzle what can be solved is on the left, and what cannot on the right. All signs are the first
// player's, so that a line along which one side wins has one colour.
// Moves that were not played are small signs in the row of the positions they lead to.
import { h, s } from "./dom.js";
import { inOrder, rove } from "./keyboard.js";
import { badge, shape } from "./shapes.js";
import { ends, isPuzzle, label, phrase, player, sentence, winner } from "./words.js";

const FLIPPED = { win: "lose", lose: "win" };

/** What a position or a move is worth to the first player; `turn` is whose worth is given. */
const toFirst = (turn, worth) => (turn === 2 && FLIPPED[worth?.value] ? { ...worth, value: FLIPPED[worth.value] } : worth);

/** The worth of a move once it is made: the end is one move nearer. */
const after = (worth) => (worth?.remoteness ? { ...worth, remoteness: worth.remoteness - 1 } : worth);

const WIDTH = 320;
const ROW = 30;
const LEFT = 92; // room for the names of moves
const MIDDLE = LEFT + (WIDTH - LEFT) / 2;
const HALF = (WIDTH - LEFT) / 2 - 16;

export class History {
  /** `jump(ply)` goes to a position of the game, `vary(ply, move)` plays another move there. */
  constructor({ jump, vary }) {
    Object.assign(this, { jump, vary });
    this.body = h("div", { class: "scroll" });
    this.element = h("section", { class: "card history", "aria-labelledby": "history-title" },
      h("h2", { id: "history-title" }, "Value history"), this.body);
    rove(this.body, () => [...this.body.querySelectorAll(".node")], inOrder);
  }

  /** Until the positions of a game are there. */
  wait() { this.body.replaceChildren(h("p", { class: "loading" }, "Looking at the moves before…")); }

  show(nodes, moves, at) {
    const focused = this.body.contains(document.activeElement);
    let far = 1;
    for (const node of nodes) {
      far = Math.max(far, node.remoteness ?? 0, ...node.moves.map((move) => move.mover?.remoteness ?? 0));
    }
    const place = (turn, worth) => {
      const found = winner(turn, worth);
      if (found === null) return null;
      // Going round in circles solves no puzzle either.
      const who = isPuzzle() && found !== 1 ? 2 : found;
      if (who === 0) return MIDDLE;
      // Without a distance all wins stand half way out.
      const out = HALF * (1 - (0.82 * Math.min(worth.remoteness ?? far / 2, far)) / far);
      return MIDDLE + (who === 1 ? -out : out);
    };
    const y = (ply) => ROW * ply + 44;
    const height = y(nodes.length - 1) + 22;
    const trail = [];
    const dots = [];
    const points = [];
    nodes.forEach((node, ply) => {
      const parent = nodes[ply - 1];
      // A position without a value of its own may have that of the move that led there.
      const made = parent?.moves.find((move) => move.move === moves[ply - 1])?.mover;
      const worth = node.value || !made ? toFirst(node.turn, node) : toFirst(parent.turn, after(made));
      const x = place(1, worth);
      if (parent) dots.push(...this.others(parent, ply, moves[ply - 1], place, y(ply), x));
      if (x !== null) trail.push(`${x},${y(ply)}`);
      points.push(this.node(node, worth, ply, moves[ply - 1], x, y(ply), ply === at));
    });
    // What may come next: the moves of the last position.
    if (nodes.at(-1).moves.length) dots.push(...this.others(nodes.at(-1), nodes.length, null, place, y(nodes.length)));
    const tall = nodes.at(-1).moves.length ? height + ROW : height;
    const [left, right] = ends();
    this.body.replaceChildren(s("svg", { viewBox: `0 0 ${WIDTH} ${tall}`, class: "chart", role: "group", "aria-label": "Value of each position of the game" },
      s("g", { class: "axis" },
        s("line", { x1: MIDDLE, x2: MIDDLE, y1: 30, y2: tall - 6 }),
        s("line", { class: "faint", x1: MIDDLE - HALF, x2: MIDDLE - HALF, y1: 30, y2: tall - 6 }),
        s("line", { class: "faint", x1: MIDDLE + HALF, x2: MIDDLE + HALF, y1: 30, y2: tall - 6 }),
        s("text", { x: LEFT + 2, y: 18, class: "start" }, `◂ ${left}`),
        isPuzzle() ? [] : s("text", { x: MIDDLE, y: 18 }, "even"),
        s("text", { x: WIDTH - 2, y: 18, class: "end" }, `${right} ▸`)),
      s("polyline", { class: "trail", points: trail.join(" ") }), points, dots));
    const current = this.body.querySelector(".node.current");
    current?.setAttribute("tabindex", "0");
    if (focused) current?.focus();
    // Keeps the present row in sight without moving the page.
    if (current) {
      const scale = this.body.clientWidth / WIDTH;
      const top = y(at) * scale;
      if (top < this.body.scrollTop + 40 || top > this.body.scrollTop + this.body.clientHeight - 40) {
        this.body.scrollTop = top - this.body.clientHeight / 2;
      }
    }
  }

  /** The moves of `parent` that were not played; one sign for all that are worth the same. */
  others(parent, ply, played, place, y, taken = null) {
    const used = taken === null ? [] : [[taken, 17]];
    const seen = new Map();
    for (const move of parent.moves) {
      if (move.move === played || !move.mover?.value) continue;
      const key = label(move.mover);
      if (!seen.has(key)) seen.set(key, []);
      seen.get(key).push(move);
    }
    return [...seen.values()].map((moves) => {
      const { mover } = moves[0];
      let x = place(parent.turn, after(mover));
      // A sign that would lie on another steps aside.
      while (used.some(([at, room]) => Math.abs(at - x) < room)) x += x < MIDDLE ? -4 : 4;
      used.push([x, 12]);
      const names = moves.map((move) => move.move).join(", ");
      const { value } = toFirst(parent.turn, mover);
      return s("g", { class: `other v-${value}`, "data-ply": ply, onclick: () => this.vary(ply - 1, moves[0].move) },
        s("title", {}, `${names}: ${phrase(mover)}${isPuzzle() ? "" : ` for ${player(parent.turn).toLowerCase()}`}`),
        s("circle", { class: "hit", cx: x, cy: y, r: 11 }), shape(value, x, y, 4.5));
    });
  }

  node(node, worth, ply, move, x, y, current) {
    const at = x ?? MIDDLE;
    const say = `${ply ? `${ply}. ` : ""}${move ?? "start"} ${label(worth)}: ${sentence(node)}`;
    const act = () => this.jump(ply);
    return s("g", {
      class: `node${current ? " current" : ""}`, role: "button", tabindex: "-1", "data-ply": ply,
      "aria-label": say, "aria-current": current ? "step" : null,
      onclick: act,
      onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); act(); } },
    },
    s("rect", { class: "hit", x: 0, y: y - ROW / 2, width: WIDTH, height: ROW, rx: 6 }),
    s("text", { x: 6, y, dy: "0.35em", class: "ply" }, ply ? `${ply}. ` : ""),
    s("text", { x: ply ? 28 : 6, y, dy: "0.35em", class: "move-name" }, `${move ?? "start"} `),
    badge(worth, at, y, 12));
  }
}
