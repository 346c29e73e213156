// The variants of a game, each with its state and, where it is small enough, a way to solve it.
import { h, readable } from "./dom.js";
import { titleOf, variantOf } from "./names.js";
import { format } from "./router.js";

// Their usual boards have values without a database of their own.
const ANSWERED = ["connect4", "pentago"];

export const STATES = {
  solved: ["Solved", "✓"], begun: ["Begun", "◐"], unsolved: ["Not solved", "○"], large: ["Too large here", "◇"],
};

export const state = (variant) => (variant.state !== "solved" && variant.solvable === false ? (variant.state === "begun" ? "begun" : "large") : variant.state);

/** Where a game is played first: the board that is known as the game, if its values are, else a solved one. */
export function first(game) {
  const usual = game.variants.find(({ id }) => id === "default");
  if (usual && (ANSWERED.includes(game.id) || usual.state === "solved")) return usual;
  return game.variants.findLast(({ state: now }) => now === "solved") ?? game.variants.find(({ solvable }) => solvable) ?? usual ?? game.variants[0];
}

/** A variant in a list. */
export function variantRow(game, variant, { signal, refresh }) {
  const kind = state(variant);
  const [word, sign] = STATES[kind] ?? [kind, ""];
  const [title, name] = [titleOf(game.title), variantOf(game.id, variant.id, variant.name || variant.id)];
  return h("li", { class: "variant", "data-variant": variant.id },
    h("a", { class: "variant-name", href: format({ page: "game", game: game.id, variant: variant.id }) }, name),
    kind === "solved" && h("a", { class: "small", href: format({ page: "statistics", game: game.id, variant: variant.id }), "aria-label": `Statistics of ${title} ${name}` }, "Statistics"),
    h("span", { class: `state ${kind}` }, h("span", { "aria-hidden": "true" }, sign), " ", word),
    variant.note && h("p", { class: "note" }, readable(variant.note)),
    kind !== "solved" && variant.solvable && offer(game.id, variant, { name: `${title} ${name}`, signal, done: refresh }));
}

/** A button to solve a variant; what it needs is loaded when it is pressed, or when a solve runs already. */
function offer(game, { id, state: now }, options) {
  const box = h("div", { class: "solver" }, h("button", { type: "button", class: "main", "aria-label": `Solve ${options.name}`, onclick: () => load(true) }, "Solve"));
  const load = async (begin) => {
    const { solver } = await import("./solve.js");
    box.replaceWith(solver(game, id, { ...options, begin, running: !begin }));
  };
  if (now === "begun") load(false);
  return box;
}
