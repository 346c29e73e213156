// Other positions: by text, by an editor of the board, at random; and the game as text.
import * as api from "./api.js";
import { dialog, h, saveFile } from "./dom.js";
import { format } from "./router.js";

/** The text of a game, and back. The parts are `name: value` lines. */
export function write(route) {
  return ["Zermelo game", `game: ${route.game}`, `variant: ${route.variant}`,
    `start: ${route.start ?? "usual"}`, `moves: ${route.moves.join(" ")}`, `at: ${route.at}`, ""].join("\n");
}

export function read(text) {
  const found = Object.fromEntries([...text.matchAll(/^(\w+): *(.*?)\s*$/gm)].map(([, name, value]) => [name, value]));
  if (!/^Zermelo game/.test(text.trim()) || !found.game || !found.variant) {
    throw new Error("This is not a saved game: it should begin with “Zermelo game” and name a game and a variant.");
  }
  const moves = (found.moves ?? "").split(/\s+/).filter(Boolean);
  const at = /^\d+$/.test(found.at ?? "") ? Math.min(Number(found.at), moves.length) : moves.length;
  return { page: "game", game: found.game, variant: found.variant, moves, at,
    start: !found.start || found.start === "usual" ? null : found.start };
}

export class Positions {
  /** `set(position)` starts a game from a position, `load(route)` goes to a saved game. */
  constructor({ game, variant, info, now, set, load, signal }) {
    Object.assign(this, { game, variant, info, now, set, load, signal });
    this.wrong = h("p", { class: "wrong", role: "alert" });
    this.text = h("input", { id: "position-text", type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
    const values = info.puzzle
      ? [["win", "solvable"], ["draw", "unsolvable: no end"], ["lose", "unsolvable: stuck"]]
      : [["win", "a win"], ["tie", "a tie"], ["draw", "a draw"], ["lose", "a loss"]];
    this.value = h("select", { id: "random-value" }, [["", "any value"], ...values]
      .map(([value, word]) => h("option", { value }, word)));
    this.far = h("input", { id: "random-far", type: "number", min: 0, max: 9999, placeholder: "any" });
    const file = h("input", { type: "file", accept: ".txt,text/plain", class: "unseen", tabindex: "-1", "aria-label": "A saved game",
      onchange: async () => { if (file.files[0]) this.open(await file.files[0].text()); file.value = ""; } });
    this.element = h("section", { class: "card positions", "aria-labelledby": "positions-title" },
      h("h2", { id: "positions-title" }, "Position"),
      h("form", { onsubmit: (event) => { event.preventDefault(); this.use(this.text.value.trim()); } },
        h("label", { for: "position-text" }, "Position as text"),
        h("div", { class: "row" }, this.text, h("button", {}, "Set"))),
      h("form", { onsubmit: (event) => { event.preventDefault(); this.random(); } },
        h("div", { class: "row" },
          h("div", {}, h("label", { for: "random-value" }, "Random"), this.value),
          h("div", { class: "narrow" }, h("label", { for: "random-far" }, "in moves"), this.far),
          h("button", {}, "Roll"))),
      this.wrong,
      h("div", { class: "row even" },
        h("button", { type: "button", "data-action": "edit", onclick: () => this.edit() }, "Edit board"),
        h("button", { type: "button", "data-action": "link", onclick: (event) => this.copy(event.target) }, "Copy link"),
        h("button", { type: "button", "data-action": "save", onclick: () => this.save() }, "Save"),
        h("button", { type: "button", "data-action": "load", onclick: () => file.click() }, "Load"), file));
  }

  show(node) {
    if (document.activeElement !== this.text) this.text.value = node.position;
    this.wrong.textContent = "";
  }

  /** Asks the server first, so that a bad position does not end the present game. */
  async use(text) {
    this.wrong.textContent = "";
    try {
      const node = await api.position(this.game, this.variant, text, this.signal);
      this.text.blur();
      this.set(node.position);
      return true;
    } catch (error) {
      if (api.isAbort(error)) return false;
      this.wrong.textContent = error.message;
      return false;
    }
  }

  async random() {
    this.wrong.textContent = "";
    try {
      this.set((await api.random(this.game, this.variant, this.value.value, this.far.value, this.signal)).position);
    } catch (error) {
      if (!api.isAbort(error)) this.wrong.textContent = error.message;
    }
  }

  async copy(button) {
    const url = location.origin + format(this.now().route);
    try {
      await navigator.clipboard.writeText(url);
      button.textContent = "Copied";
    } catch {
      dialog("Link", h("label", { for: "the-link" }, "Copy this address"), h("input", { id: "the-link", type: "text", readonly: true, value: url }));
    }
    setTimeout(() => { button.textContent = "Copy link"; }, 1500);
  }

  save() {
    saveFile(`${this.game}-${this.variant.replace(/[^\w]+/g, "-")}.txt`, "text/plain", write(this.now().route));
  }

  open(text) {
    try { this.load(read(text)); } catch (error) { this.wrong.textContent = error.message; }
  }

  /** The editor of the board, which is loaded when it is first wanted. */
  async edit() {
    const { edit } = await import("./editor.js");
    edit({
      info: this.info, node: this.now().node,
      use: async (text) => (await this.use(text) ? "" : this.wrong.textContent),
      // What is wrong with a text is said when it is to be used.
      look: (text) => api.position(this.game, this.variant, text, this.signal).catch(() => null),
    });
  }
}
