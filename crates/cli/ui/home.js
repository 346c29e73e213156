// The list of games and variants, and the card of one game.
import * as api from "./api.js";
import { h, paragraphs, problem } from "./dom.js";
import { format, go } from "./router.js";
import { solver } from "./solve.js";

const STATES = {
  solved: ["Solved", "✓"], begun: ["Begun", "◐"], unsolved: ["Not solved", "○"], large: ["Too large here", "◇"],
};

const state = (variant) => (variant.state !== "solved" && variant.solvable === false ? (variant.state === "begun" ? "begun" : "large") : variant.state);

function variantRow(game, variant, { signal, refresh }) {
  const kind = state(variant);
  const [word, sign] = STATES[kind] ?? [kind, ""];
  const name = variant.name || variant.id;
  return h("li", { class: "variant", "data-variant": variant.id },
    h("a", { class: "variant-name", href: format({ page: "game", game: game.id, variant: variant.id }) }, name),
    kind === "solved" && h("a", { class: "small", href: format({ page: "statistics", game: game.id, variant: variant.id }), "aria-label": `Statistics of ${game.title} ${name}` }, "Statistics"),
    h("span", { class: `state ${kind}` }, h("span", { "aria-hidden": "true" }, sign), " ", word),
    variant.note && h("p", { class: "note" }, variant.note),
    kind !== "solved" && variant.solvable && solver(game.id, variant.id, { name: `${game.title} ${name}`, signal, done: refresh, running: variant.state === "begun" }));
}

export async function home(root, route, { signal, title }) {
  title();
  const list = await api.games(signal);
  const search = h("input", { id: "search", type: "search", placeholder: "Search games", "aria-label": "Search games and variants", autocomplete: "off", oninput: filter });
  const cards = h("div", { class: "games" });
  const none = h("p", { class: "empty", hidden: true, role: "status" }, "No game matches.");
  const texts = new Map();

  function card(game) {
    const element = h("section", { class: "card game-card", "data-game": game.id },
      h("h2", {}, h("a", { href: format({ page: "card", game: game.id }) }, game.title)),
      h("p", {}, game.summary),
      h("ul", { class: "variants" }, game.variants.map((variant) => variantRow(game, variant, { signal, refresh: () => refresh(game.id, element) }))));
    texts.set(element, `${game.id} ${game.title} ${game.summary}`.toLowerCase());
    return element;
  }

  async function refresh(id, old) {
    const fresh = (await api.games(signal)).find((game) => game.id === id);
    if (fresh) old.replaceWith(card(fresh));
    filter();
  }

  /** A game stays when it or one of its variants has all the words; then other variants go. */
  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const has = (text) => words.every((word) => text.includes(word));
    let shown = 0;
    for (const element of cards.children) {
      const whole = has(texts.get(element));
      let any = false;
      for (const row of element.querySelectorAll(".variant")) {
        const fits = whole || has(`${texts.get(element)} ${row.textContent} ${row.dataset.variant}`.toLowerCase());
        row.hidden = !fits;
        any ||= fits;
      }
      element.hidden = !(whole || any);
      shown += element.hidden ? 0 : 1;
    }
    none.hidden = shown > 0;
  }

  const solved = list.flatMap((game) => game.variants).filter((variant) => variant.state === "solved").length;
  cards.append(...list.map(card));
  root.replaceChildren(
    h("div", { class: "intro" },
      h("h1", {}, "Games, solved to the end"),
      h("p", {}, "For every position: who wins, and in how many moves. Pick a game to see what each move is worth, or to play against perfection."),
      h("div", { class: "row" }, search, h("span", { class: "note" }, `${list.length} games, ${solved} solved ${solved === 1 ? "variant" : "variants"}`))),
    cards, none,
    h("footer", {}, h("p", { class: "note" }, "For programs: ", h("a", { href: "/api/v1/openapi.json" }, "the API"), ", ", h("a", { href: "/metrics", target: "_self" }, "metrics"), ".")));
  return { keys: { "/": () => search.focus() } };
}

export async function card(root, route, { signal, title }) {
  let game;
  try {
    game = await api.card(route.game, signal);
  } catch (error) {
    if (api.isAbort(error)) throw error;
    title("Unknown game");
    root.replaceChildren(problem(`No game “${route.game}”`, error.message, h("a", { class: "button", href: "/" }, "All games")));
    return {};
  }
  title(game.title);
  const fields = game.options.map(({ name, help, words, min, max, text, default: usual }) => {
    const id = `option-${name}`;
    const field = () => {
      if (text) return h("input", { id, name, type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
      if (words.length) return h("select", { id, name }, ...words.map((word) => h("option", { value: word }, word)));
      return h("input", { id, name, type: "number", min, max, value: usual, required: true });
    };
    return h("div", { class: "option" },
      h("label", { for: id }, name), field(),
      h("span", { class: "note" }, text || words.length ? help : `${help}, ${min} to ${max}`));
  });
  const choose = (event) => {
    event.preventDefault();
    const usual = ({ text, words, default: number }) => (text ? "" : String(words[number] ?? number));
    const value = ({ name }) => event.target.elements[name].value.trim();
    const given = game.options.filter((option) => value(option) !== usual(option));
    go({ page: "game", game: game.id, variant: given.map((option) => `${option.name}=${value(option)}`).join(",") || "default" });
  };
  root.replaceChildren(
    h("h1", {}, game.title), h("p", { class: "lead" }, game.summary),
    h("div", { class: "two" },
      h("section", { class: "card" }, h("h2", {}, "Variants"),
        h("ul", { class: "variants" }, game.variants.map((variant) => variantRow(game, variant, { signal, refresh: () => card(root, route, { signal, title }) })))),
      h("section", { class: "card" }, h("h2", {}, "Another variant"),
        h("form", { onsubmit: choose }, fields, h("button", { class: "main" }, "Open"))),
      h("section", { class: "card prose" }, h("h2", {}, "Rules"), paragraphs(game.rules), h("h2", {}, "Notation"), paragraphs(game.notation))));
  return {};
}
