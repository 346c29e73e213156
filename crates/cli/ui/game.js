// The page of one game: holds the present game and tells the parts to draw it.
import * as api from "./api.js";
import { boardFor } from "./board.js";
import { lookFor } from "./boards/index.js";
import { action, announce, h, looks, paragraphs, problem, s } from "./dom.js";
import { History } from "./history.js";
import { Known } from "./known.js";
import { Line } from "./line.js";
import { Moves } from "./moves.js";
import { titleOf, variantOf } from "./names.js";
import { choose, Players } from "./player.js";
import { Positions } from "./position.js";
import { format, go, Illegal } from "./router.js";
import { chip, legend } from "./shapes.js";
import { bytes, callPlayers, callPuzzle, count, isPuzzle, phrase, player, sentence, turns } from "./words.js";

// Its looks come with it; the list of games does without.
await looks("game.css");

const LONG = 4; // moves of a link from which on its position is shown before its history
const THINK = 450; // milliseconds before the computer moves, so that one can follow

class Game {
  constructor(root, route, info, context, look, Board) {
    Object.assign(this, { root, route, info, context, look, nodes: [], early: null, paused: false, hints: true });
    try { this.hints = localStorage.getItem("zermelo.hints") !== "off"; } catch { /* shown */ }
    const { game, variant } = route;
    const play = (move) => this.play(move);
    const point = (move) => this.point(move);
    this.board = new Board(look, { play, point, picked: () => this.picked() });
    this.moves = new Moves({ play, point, pick: (cell) => this.board.pick(cell) });
    this.history = new History({ jump: (ply) => this.jump(ply), vary: (ply, move) => this.vary(ply, move) });
    this.line = new Line({ game, variant, step: (moves) => this.to({ moves, at: moves.length }) });
    this.players = new Players({ look, changed: () => { this.paused = false; this.draw(); } });
    this.known = new Known({ info, route, signal: context.signal, reload: () => context.reload() });
    // Settled when something is to be seen.
    this.seen = new Promise((drawn) => { this.drawn = drawn; });
    this.positions = new Positions({
      game, variant, info, signal: context.signal,
      now: () => ({ node: this.node, route: this.route }),
      set: (position) => { this.paused = false; go({ ...this.route, start: position === info.start ? null : position, moves: [], at: 0 }); },
      load: (saved) => { this.paused = true; go(saved); },
    });
    this.layout();
  }

  get node() { return this.nodes[this.route.at] ?? this.early; }

  layout() {
    const { info, route } = this;
    this.verdict = h("p", { class: "verdict" });
    this.turn = h("p", { class: "turn" });
    this.preview = h("p", { class: "preview" });
    this.go = h("button", { type: "button", class: "main", "data-action": "go", "aria-keyshortcuts": "g", hidden: true, onclick: () => this.resume() }, "Let the computer go on");
    this.undo = action("undo", "Undo", "u", () => this.back());
    this.redo = action("redo", "Redo", "r", () => this.forward());
    this.hint = action("hints", "Hints", "h", () => this.toggle(), { "aria-pressed": "true" });
    this.show = action("line", "Line", "l", () => this.ask());
    this.notice = h("div");
    const facts = info.database
      ? `${count(info.database.positions)} positions stored in ${bytes(info.database.bytes)}.`
      : "This variant is not solved.";
    this.stage = h("div", { class: "stage" });
    this.stage.append(
      h("h1", { class: "unseen" }, `${info.title}, ${info.name}`),
      h("div", { class: "play" },
        h("div", { class: "card table" },
          h("div", { class: "says" }, this.verdict, this.turn),
          this.board.element, this.preview,
          h("div", { class: "actions", role: "toolbar", "aria-label": "Game" },
            this.undo, this.redo,
            action("restart", "Restart", "n", () => this.restart()),
            isPuzzle() ? "" : action("swap", "Swap", "s", () => this.players.swap()),
            this.hint, this.show),
          this.go)),
      h("div", { class: "side" }, this.players.element, this.known.element, this.line.element, this.moves.element, this.history.element),
      h("div", { class: "more" }, this.positions.element,
        h("section", { class: "card prose", "aria-labelledby": "rules-title" }, h("h2", { id: "rules-title" }, "Rules"),
          paragraphs(info.rules),
          h("details", {}, h("summary", {}, "Notation"), paragraphs(info.notation)),
          h("details", {}, h("summary", {}, "Signs"), legend()),
          h("p", { class: "note" }, facts, " ",
            info.state === "solved" ? [h("a", { href: format({ ...route, page: "statistics" }) }, "Statistics"), ", "] : "",
            h("a", { href: format({ ...route, page: "docs" }) }, "API")))));
    this.root.replaceChildren(this.notice, this.stage);
  }

  /** Goes to what the address says; `how` tells whether the browser's history led here. */
  async update(route, how) {
    this.loading?.abort();
    clearTimeout(this.thinking);
    const loading = new AbortController();
    this.loading = loading;
    if (how === "back") this.paused = true;
    const slow = setTimeout(() => this.stage.setAttribute("aria-busy", "true"), 150);
    try {
      const early = (node) => { if (this.loading === loading && !this.nodes.length) this.drawEarly(node, route); };
      const nodes = await this.walk(route, AbortSignal.any([loading.signal, this.context.signal]), early);
      const same = route.start === this.route.start && this.nodes.length > 0;
      const from = this.route.at;
      Object.assign(this, { route, nodes, early: null });
      this.line.follow(route.start, route.moves.slice(0, route.at));
      this.draw(same ? from : null);
    } catch (error) {
      if (!api.isAbort(error)) this.fail(route, error);
    } finally {
      this.drawn();
      clearTimeout(slow);
      if (this.loading === loading) this.stage.removeAttribute("aria-busy");
    }
  }

  async position(text, signal, moves) {
    const { game, variant } = this.route;
    const node = await api.position(game, variant, text, signal, moves);
    this.look.adapt(node);
    return node;
  }

  /**
   * The positions of a game, one after another; those that are known already are not asked for. Of a long game the
   * position that is wanted is asked for first and given to `early`.
   */
  async walk(route, signal, early) {
    const kept = route.start === this.route.start ? this.nodes : [];
    const far = route.at >= LONG && !kept[route.at - LONG];
    const first = far && this.position(route.start, signal, route.moves.slice(0, route.at)).then(early, () => {});
    const nodes = [kept[0] ?? await this.position(route.start, signal)];
    for (const [ply, name] of route.moves.entries()) {
      const move = nodes[ply].moves.find((one) => one.move === name);
      if (!move) throw new Illegal(ply, name);
      const known = kept[ply + 1]?.position === move.position ? kept[ply + 1] : null;
      nodes.push(known ?? await this.position(move.position, signal));
    }
    await first;
    return nodes;
  }

  /** Something in the address is wrong: says what, and offers ways back. */
  fail(route, error) {
    const usual = { ...route, start: null, moves: [], at: 0 };
    const ways = [h("a", { class: "button", href: format(usual) }, "Usual start"), h("a", { class: "button", href: "/" }, "All games")];
    if (error instanceof Illegal) {
      ways.unshift(h("a", { class: "button main", href: format({ ...route, moves: route.moves.slice(0, error.ply), at: error.ply }) }, "Go to the position before it"));
    }
    Object.assign(this, { nodes: [], early: null });
    this.stage.hidden = true;
    this.notice.replaceChildren(problem(error instanceof Illegal ? "A move that is not legal" : "This position cannot be shown", error.message, ...ways));
    announce(error.message);
  }

  /** The position of a long link, while its history is on the way. */
  drawEarly(node, route) {
    const { hints } = this;
    Object.assign(this, { route, early: node });
    this.board.show(node, { hints, still: true });
    this.moves.show(node, { hints, board: this.board });
    this.say(node);
    this.known.show(node);
    this.history.wait();
    this.root.dataset.position = node.position;
    this.drawn();
  }

  /** The drawings of the moves so far. */
  trail() {
    return this.route.moves.slice(0, this.route.at).flatMap((name, ply) => this.nodes[ply].moves.find((move) => move.move === name)?.drawing ?? []);
  }

  draw(from = this.route.at) {
    const { node, route, hints } = this;
    if (!node) return;
    if (this.stage.hidden) {
      this.stage.hidden = false;
      this.notice.replaceChildren();
    }
    const before = this.nodes[route.at - 1];
    const made = before?.moves.find((move) => move.move === route.moves[route.at - 1]);
    this.pointed = null;
    this.preview.replaceChildren();
    const trail = this.trail();
    this.board.show(node, { hints, last: made?.drawing, still: from === null, trail });
    this.moves.show(node, { hints, board: this.board });
    // The focus may have moved to a move before its row was there.
    const pointed = this.pointed;
    this.pointed = null;
    if (pointed) this.point(pointed);
    this.history.element.hidden = !hints;
    if (hints) this.history.show(this.nodes, route.moves, route.at);
    else this.line.close();
    this.positions.show(node);
    this.known.show(node);
    this.say(node, made && `${player(before.turn)} played ${made.move}. `);
    this.undo.disabled = route.at === 0;
    this.redo.disabled = route.at === route.moves.length;
    this.show.disabled = !hints || node.over;
    this.hint.setAttribute("aria-pressed", String(hints));
    this.root.dataset.position = node.position;
    if (!this.pointed) this.preview.textContent = this.advice;
    this.computer();
  }

  /** The sentence, whose turn it is, and the same for those who listen. */
  say(node, last = "") {
    const { hints } = this;
    const open = hints || node.over;
    const told = open ? sentence(node) : `${player(node.turn)} to move`;
    this.verdict.replaceChildren(...(hints && !node.over ? [chip(node)] : []), told);
    const mark = this.mark(node);
    const who = this.players.isComputer(node.turn) ? "the computer" : "";
    const score = this.look.score(node.pieces) && ` ${this.look.score(node.pieces)}`;
    const searched = { search: " Found by search.", slices: " From the published files." }[node.source] ?? "";
    this.turn.replaceChildren(...(node.over
      ? [`After ${turns(this.route.at)}.${score}`]
      : [mark, open ? `${player(node.turn)} to move${who && ` (${who})`}.${score}${searched}` : `Hints are hidden${who && `; ${who} moves`}.${score}`]));
    announce(`${last}${node.over ? "" : `${player(node.turn)} to move. `}${open ? `${sentence(node)}.` : ""}`);
  }

  /** The mark of the player to move, or the colour. */
  mark({ turn }) {
    const token = isPuzzle() ? null : this.look.token(turn, 100);
    return token ? s("svg", { viewBox: "-50 -50 100 100", class: "mark", "aria-hidden": "true" }, token) : "";
  }

  to(change, options) { go({ ...this.route, ...change }, options); }

  play(name, options) {
    const { node, route } = this;
    if (!node?.moves.some((move) => move.move === name)) return;
    // Nobody moves for the computer while it is about to.
    if (!options && this.players.isComputer(node.turn) && this.go.hidden) return;
    if (!options) this.paused = false;
    // Playing the move that could be redone keeps what comes after it, unless the computer is to answer.
    const again = route.moves[route.at] === name && ![1, 2].some((turn) => this.players.isComputer(turn));
    const moves = again ? route.moves : [...route.moves.slice(0, route.at), name];
    this.to({ moves, at: route.at + 1 }, options);
  }

  jump(at) {
    this.paused = true;
    this.to({ at });
  }

  vary(ply, name) {
    this.paused = false;
    const { moves } = this.route;
    this.to(moves[ply] === name ? { at: ply + 1 } : { moves: [...moves.slice(0, ply), name], at: ply + 1 });
  }

  /** Undo goes back to where a person was to move, if there is such a place. */
  back() {
    const { at } = this.route;
    if (!at) return;
    if (!this.nodes.length) { this.jump(at - 1); return; }
    let to = at - 1;
    while (to > 0 && this.players.isComputer(this.nodes[to].turn)) to -= 1;
    this.jump(this.players.isComputer(this.nodes[to].turn) ? at - 1 : to);
  }

  forward() {
    const { at, moves } = this.route;
    if (at === moves.length) return;
    if (!this.nodes.length) { this.jump(at + 1); return; }
    let to = at + 1;
    while (to < moves.length && this.players.isComputer(this.nodes[to].turn)) to += 1;
    this.jump(to);
  }

  restart() {
    this.paused = false;
    this.to({ moves: [], at: 0 });
  }

  resume() {
    this.paused = false;
    // What could be redone gives way to what the computer will play.
    this.to({ moves: this.route.moves.slice(0, this.route.at) }, { replace: true });
  }

  toggle() {
    this.hints = !this.hints;
    try { localStorage.setItem("zermelo.hints", this.hints ? "on" : "off"); } catch { /* for this page only */ }
    this.draw();
  }

  ask() {
    if (!this.hints || !this.node || this.node.over) return;
    if (this.line.open) this.line.close();
    else this.line.ask(this.node, this.route.start, this.route.moves.slice(0, this.route.at), this.context.signal);
  }

  /** The computer's move takes the place of the person's in the browser's history, so that Back undoes both. */
  computer() {
    clearTimeout(this.thinking);
    const { node, route } = this;
    const due = !node.over && node.moves.length > 0 && this.players.isComputer(node.turn);
    const waits = this.paused || route.at < route.moves.length;
    this.go.hidden = !(due && waits);
    if (!due || waits || this.context.signal.aborted) return;
    this.thinking = setTimeout(() => this.play(choose(node.moves, this.players.seat(node.turn)).move, { replace: true }), THINK);
  }

  /** The first step of a move was made, or taken back. */
  picked() {
    this.point(null);
    this.moves.show(this.node, { hints: this.hints, board: this.board });
    this.preview.textContent = this.advice;
    if (this.advice) announce(this.advice);
  }

  /** What to do next, in the middle of a move. */
  get advice() {
    const { picked, board } = this.board;
    if (!board.twists?.length) return picked === null && this.node?.moves.some(({ drawing }) => drawing?.arrow) ? this.look.advice : "";
    if (picked == null) return "";
    return `Stone on ${board.names[picked]}: now pick a turn, or press elsewhere to take it back.`;
  }

  /** A move is pointed at: shows it everywhere, and, after a moment, the best reply. */
  point(name) {
    if (name === this.pointed) return;
    this.pointed = name;
    this.board.highlight(name);
    this.moves.highlight(name);
    clearTimeout(this.soon);
    this.asking?.abort();
    const move = this.node?.moves.find((one) => one.move === name);
    if (!move || !this.hints) { this.preview.textContent = this.advice; return; }
    this.preview.replaceChildren(h("b", {}, move.move), `: ${phrase(move.mover).toLowerCase()}.`);
    this.soon = setTimeout(() => this.reply(move), 120);
  }

  async reply(move) {
    this.asking = new AbortController();
    try {
      const node = await this.position(move.position, this.asking.signal);
      if (this.pointed !== move.move) return;
      const best = node.moves[0];
      if (node.over) this.preview.append(` ${sentence(node)}.`);
      else if (best) {
        // A player who cannot move passes, and the same one moves again.
        const what = node.turn === this.node.turn ? " Best next move: " : " Best reply: ";
        this.preview.append(what, h("b", {}, best.move), `, ${phrase(best.mover).toLowerCase()}.`);
        this.board.reply(best.drawing);
      }
    } catch (error) {
      if (!api.isAbort(error)) this.preview.append(` ${error.message}`);
    }
  }

  leave() {
    this.loading?.abort();
    this.asking?.abort();
    clearTimeout(this.thinking);
    clearTimeout(this.soon);
  }

  get keys() {
    const focusMove = () => {
      if (document.activeElement !== document.body && document.activeElement?.id !== "main") return false;
      this.root.querySelector(".board .marks [tabindex='0']")?.focus();
      return true;
    };
    const unpick = () => {
      if (this.board.picked == null && this.board.aimed == null) return false;
      this.board.pick(null);
      return true;
    };
    return {
      Escape: unpick,
      u: () => this.back(), r: () => this.forward(), n: () => this.restart(), h: () => this.toggle(), l: () => this.ask(),
      s: () => this.players.swap(), g: () => this.resume(), p: () => this.node && this.positions.edit(),
      b: () => this.hints && this.node?.moves[0] && this.play(this.node.moves[0].move),
      ArrowLeft: focusMove, ArrowRight: focusMove, ArrowUp: focusMove, ArrowDown: focusMove,
    };
  }
}

export async function game(root, route, context) {
  let info;
  try {
    info = await api.variant(route.game, route.variant, context.signal);
  } catch (error) {
    if (api.isAbort(error)) throw error;
    context.title("Unknown game");
    root.replaceChildren(problem(`No game “${route.game}”, variant “${route.variant}”`, error.message, h("a", { class: "button", href: "/" }, "All games")));
    return {};
  }
  info.title = titleOf(info.title);
  info.name = variantOf(info.game, info.variant, info.name);
  context.title(info.title, info.name);
  callPlayers(info.board.sides);
  callPuzzle(info.puzzle);
  const look = await lookFor(info);
  const page = new Game(root, { ...route, moves: [], at: 0 }, info, context, look, await boardFor(look));
  page.update(route, "load");
  await page.seen;
  return page;
}
