// The page of one game: its variants, a form for another one, and the rules.
import * as api from "./api.js";
import { h, paragraphs, problem } from "./dom.js";
import { titleOf } from "./names.js";
import { format, go } from "./router.js";
import { variantRow } from "./variants.js";

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
  const name = titleOf(game.title);
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
