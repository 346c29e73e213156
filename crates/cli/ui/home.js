// The list of games and variants, and the card of one game.
import * as api from "./api.js";
import { picture } from "./boards/picture.js";
import { h, paragraphs, problem } from "./dom.js";
import { aliasesOf, HIDDEN, POPULAR, titleOf, variantOf } from "./names.js";
import { format, go } from "./router.js";
import { solver } from "./solve.js";

// Their usual boards have values without a database of their own.
const ANSWERED = ["connect4", "pentago"];

const STATES = {
  solved: ["Solved", "✓"], begun: ["Begun", "◐"], unsolved: ["Not solved", "○"], large: ["Too large here", "◇"],
};

const state = (variant) => (variant.state !== "solved" && variant.solvable === false ? (variant.state === "begun" ? "begun" : "large") : variant.state);

/** Where a game is played first: the board that is known as the game, if its values are, else a solved one. */
function first(game) {
  const usual = game.variants.find(({ id }) => id === "default");
  if (usual && (ANSWERED.includes(game.id) || usual.state === "solved")) return usual;
  return game.variants.findLast(({ state: now }) => now === "solved") ?? game.variants.find(({ solvable }) => solvable) ?? usual ?? game.variants[0];
}

function variantRow(game, variant, { signal, refresh }) {
  const kind = state(variant);
  const [word, sign] = STATES[kind] ?? [kind, ""];
  const [title, name] = [titleOf(game.id, game.title), variantOf(game.id, variant.id, variant.name || variant.id)];
  return h("li", { class: "variant", "data-variant": variant.id },
    h("a", { class: "variant-name", href: format({ page: "game", game: game.id, variant: variant.id }) }, name),
    kind === "solved" && h("a", { class: "small", href: format({ page: "statistics", game: game.id, variant: variant.id }), "aria-label": `Statistics of ${title} ${name}` }, "Statistics"),
    h("span", { class: `state ${kind}` }, h("span", { "aria-hidden": "true" }, sign), " ", word),
    variant.note && h("p", { class: "note" }, variant.note),
    kind !== "solved" && variant.solvable && solver(game.id, variant.id, { name: `${title} ${name}`, signal, done: refresh, running: variant.state === "begun" }));
}

/** Draws the pictures of games when they come into sight. */
function pictures() {
  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      const { game, title } = target.dataset;
      picture(game, `A board of ${title}`).then((drawn) => { if (drawn) target.replaceChildren(drawn); }, () => {});
    }
  });
  return seen;
}

/** The words that a game or variant is found by: whole ones, so that few games share the letters of a search. */
const wordsOf = (text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);
const found = (query, words) => query.every((part) => words.some((word) => word.startsWith(part)));

export async function home(root, route, { signal, title }) {
  title();
  const list = (await api.games(signal)).filter((game) => !HIDDEN.includes(game.id));
  const search = h("input", { id: "search", type: "search", placeholder: "Search games", "aria-label": "Search games and variants", autocomplete: "off", oninput: filter });
  const none = h("p", { class: "empty", hidden: true, role: "status" }, "No game matches.");
  const texts = new Map();
  const seen = pictures();

  function card(game) {
    const name = titleOf(game.id, game.title);
    const play = format({ page: "game", game: game.id, variant: first(game).id });
    const solved = game.variants.filter((variant) => variant.state === "solved").length;
    const thumb = h("a", { class: "thumb", href: play, tabindex: "-1", "aria-hidden": "true", "data-game": game.id, "data-title": name });
    seen.observe(thumb);
    const variants = h("details", {},
      h("summary", {}, `${game.variants.length} ${game.variants.length === 1 ? "board" : "boards"}`, h("span", { class: "aside" }, solved ? `${solved} solved` : "")),
      h("ul", { class: "variants" }, game.variants.map((variant) => variantRow(game, variant, { signal, refresh: () => refresh(game.id, element) }))));
    const element = h("section", { class: "card game-card", "data-game": game.id },
      thumb,
      h("h3", {}, h("a", { href: format({ page: "card", game: game.id }) }, name)),
      h("p", {}, game.summary),
      h("a", { class: "button main", href: play, "aria-label": `Play ${name}` }, "Play"),
      variants);
    texts.set(element, {
      game: wordsOf(`${game.id} ${game.title} ${name} ${aliasesOf(game.id)} ${game.summary}`),
      variants: new Map(game.variants.map((variant) => [variant.id, wordsOf(`${variant.id} ${variantOf(game.id, variant.id, variant.name)} ${variant.name} ${variant.note ?? ""} ${STATES[state(variant)]?.[0] ?? ""}`)])),
    });
    return element;
  }

  async function refresh(id, old) {
    const fresh = (await api.games(signal)).find((game) => game.id === id);
    if (fresh) {
      const made = card(fresh);
      made.querySelector("details").open = old.querySelector("details").open;
      old.replaceWith(made);
    }
    filter();
  }

  /** A game stays when it or one of its variants has all the words; then other variants go. */
  function filter() {
    const query = wordsOf(search.value);
    let shown = 0;
    for (const element of root.querySelectorAll(".game-card")) {
      const { game, variants } = texts.get(element);
      const whole = found(query, game);
      let any = false;
      for (const row of element.querySelectorAll(".variant")) {
        const fits = whole || found(query, [...game, ...variants.get(row.dataset.variant)]);
        row.hidden = !fits;
        any ||= fits;
      }
      element.hidden = !(whole || any);
      if (query.length) element.querySelector("details").open = any && !whole;
      shown += element.hidden ? 0 : 1;
    }
    for (const part of root.querySelectorAll(".shelf")) part.hidden = !part.querySelector(".game-card:not([hidden])");
    none.hidden = shown > 0;
  }

  const shelf = (name, games) => h("section", { class: "shelf" }, h("h2", {}, name), h("div", { class: "games" }, games.map(card)));
  const solved = list.flatMap((game) => game.variants).filter((variant) => variant.state === "solved").length;
  const known = POPULAR.flatMap((id) => list.find((game) => game.id === id) ?? []);
  root.replaceChildren(
    h("div", { class: "intro" },
      h("h1", {}, "Games, solved to the end"),
      h("p", {}, "For every position: who wins, and in how many moves. Pick a game to see what each move is worth, or to play against perfection."),
      h("div", { class: "row" }, search, h("span", { class: "note" }, `${list.length} games, ${solved} solved ${solved === 1 ? "board" : "boards"}`))),
    shelf("Games people know", known), shelf("More games", list.filter((game) => !known.includes(game))), none,
    h("footer", {}, h("p", { class: "note" }, "For programs: ", h("a", { href: "/api/v1/openapi.json" }, "the API"), ", ", h("a", { href: "/metrics", target: "_self" }, "metrics"), ".")));
  return { keys: { "/": () => search.focus() }, leave: () => seen.disconnect() };
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
  const name = titleOf(game.id, game.title);
  title(name);
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
    h("h1", {}, name), h("p", { class: "lead" }, game.summary),
    h("div", { class: "two" },
      h("section", { class: "card" }, h("h2", {}, "Variants"),
        h("ul", { class: "variants" }, game.variants.map((variant) => variantRow(game, variant, { signal, refresh: () => card(root, route, { signal, title }) })))),
      h("section", { class: "card" }, h("h2", {}, "Another variant"),
        h("form", { onsubmit: choose }, fields, h("button", { class: "main" }, "Open"))),
      h("section", { class: "card prose" }, h("h2", {}, "Rules"), paragraphs(game.rules), h("h2", {}, "Notation"), paragraphs(game.notation))));
  return {};
}
