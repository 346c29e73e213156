// The list of games and variants.
import * as api from "./api.js";
import { picture } from "./boards/picture.js";
import { h } from "./dom.js";
import { HIDDEN, POPULAR, soughtBy, titleOf, variantOf } from "./names.js";
import { format } from "./router.js";
import { first, STATES, state, variantRow } from "./variants.js";

/** Draws the pictures of games when they come into sight. */
function pictures() {
  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      const { game, title } = target.dataset;
      picture(game, `A board of ${title}`).then((drawn) => { if (drawn) target.replaceChildren(drawn); }, () => {});
    }
  }, { threshold: 0.25 });
  return seen;
}

/** The words that a game or variant is found by: whole ones, so that few games share the letters of a search. A size is one word. */
const wordsOf = (text) => text.toLowerCase().replace(/(\d+)\s*x\s*(\d+)/g, "$1x$2").split(/[^\p{L}\p{N}]+/u).filter(Boolean);
const found = (query, words) => query.every((part) => words.some((word) => word.startsWith(part)));

export async function home(root, route, { signal, title }) {
  title();
  const list = (await api.games(signal)).filter((game) => !HIDDEN.includes(game.id));
  const search = h("input", { id: "search", type: "search", placeholder: "Search games", "aria-label": "Search games and variants", autocomplete: "off", oninput: filter });
  const none = h("p", { class: "empty", hidden: true, role: "status" }, "No game matches.");
  const texts = new Map();
  const seen = pictures();

  function card(game) {
    const name = titleOf(game.title);
    const play = format({ page: "game", game: game.id, variant: first(game).id });
    const solved = game.variants.filter((variant) => variant.state === "solved").length;
    const thumb = h("a", { class: "thumb", href: play, tabindex: "-1", "aria-hidden": "true", "aria-label": `Play ${name}`, "data-game": game.id, "data-title": name });
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
      game: wordsOf(`${game.id} ${game.title} ${name} ${soughtBy(game)} ${game.summary}`),
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
    h("footer", {}, h("p", { class: "note" }, "For programs: ", h("a", { href: "/docs" }, "the API"), ", ", h("a", { href: "/metrics", target: "_self" }, "metrics"), ".")));
  return { keys: { "/": () => search.focus() }, leave: () => seen.disconnect() };
}
