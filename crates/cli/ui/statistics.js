// Statistics of a whole solution: positions by value and remoteness.
import * as api from "./api.js";
import { h, looks, problem, saveFile } from "./dom.js";
import { titleOf, variantOf } from "./names.js";
import { csv, hasDistances, plot, SERIES, standalone, total } from "./plot.js";
import { format } from "./router.js";
import { legend } from "./shapes.js";
import { callPuzzle, count, phrase } from "./words.js";

await Promise.all(["game.css", "statistics.css"].map(looks));

const PLAIN = { win: "Wins", tie: "Ties", lose: "Losses", draw: "Draws" };
const PUZZLE = { win: "Solvable", tie: "Ties", lose: "Unsolvable, stuck in the end", draw: "Unsolvable, without end" };
let NAMES = PLAIN;

function table(counts) {
  const distances = hasDistances(counts);
  const rows = [...new Set(SERIES.flatMap((value) => Object.keys(counts[value] ?? {})))];
  const far = distances ? rows.map(Number).sort((a, b) => a - b) : rows.sort().reverse();
  const cell = (n) => h("td", {}, n ? count(n) : "");
  return h("div", { class: "scroll wide", tabindex: "0", role: "region", "aria-label": "Table of positions by value" }, h("table", { class: "figures" },
    h("caption", { class: "unseen" }, `Positions by ${distances ? "moves to the end and " : ""}value for the player to move`),
    h("thead", {}, h("tr", {}, [distances ? "Moves" : "Game", ...SERIES.map((value) => NAMES[value])].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {},
      far.map((r) => h("tr", {}, h("th", { scope: "row" }, r), SERIES.map((value) => cell(counts[value]?.[r]))))),
    h("tfoot", {}, h("tr", {}, h("th", { scope: "row" }, "All"), SERIES.map((value) => cell(total(counts, value)))),
      total(counts, "draw") ? h("tr", {}, h("th", { scope: "row" }, NAMES.draw), h("td", { colspan: 3 }, count(total(counts, "draw")))) : null)));
}

/** Buttons for the figures as files, and a link to positions themselves. */
function downloads({ game, variant }, figures, sets, drawn) {
  const name = `${game}-${variant.replace(/[^\w]+/g, "-")}`;
  const columns = { counts: "positions", canonical_counts: "up_to_symmetry" };
  const table = () => csv(Object.fromEntries(sets.map(([set]) => [columns[set], figures[set]])));
  return h("div", { class: "row", role: "group", "aria-label": "Download" },
    h("button", { type: "button", "data-action": "csv", onclick: () => saveFile(`${name}.csv`, "text/csv", table()) }, "Counts (CSV)"),
    hasDistances(figures[sets[0][0]]) && h("button", { type: "button", "data-action": "svg", onclick: () => drawn() && saveFile(`${name}.svg`, "image/svg+xml", standalone(drawn())) }, "Plot (SVG)"),
    h("a", { class: "button", href: `/api/v1/games/${api.part(game)}/${api.part(variant)}/export?limit=100000`, download: `${name}-positions.csv` }, "Positions (CSV, 100,000 at most)"),
    h("a", { class: "button", href: format({ page: "docs", game, variant }) }, "More by the API"));
}

export async function statistics(root, route, { signal, title }) {
  const back = () => h("a", { class: "button", href: format({ page: "game", game: route.game, variant: route.variant }) }, "To the board");
  let info;
  let figures;
  try {
    info = await api.variant(route.game, route.variant, signal);
    info.title = titleOf(info.title);
    info.name = variantOf(info.game, info.variant, info.name);
    title(info.title, info.name, "Statistics");
    callPuzzle(info.puzzle);
    NAMES = info.puzzle ? PUZZLE : PLAIN;
    for (;;) {
      figures = await api.statistics(route.game, route.variant, signal);
      if (figures.state !== "counting") break;
      root.replaceChildren(h("section", { class: "card" }, h("h1", {}, "Statistics"), h("p", { class: "loading", role: "status" }, "Counting every position. This is done once…")));
      await new Promise((resolve) => { setTimeout(resolve, 700); });
    }
  } catch (error) {
    if (api.isAbort(error)) throw error;
    root.replaceChildren(problem("No statistics", error.message, info ? back() : "", h("a", { class: "button", href: "/" }, "All games")));
    return {};
  }
  const sets = [["counts", "all positions"], ["canonical_counts", "up to symmetry"]].filter(([name]) => figures[name]);
  const shown = h("div", { class: "split" });
  const draw = (name) => shown.replaceChildren(h("div", {}, plot(figures[name]), legend(["win", "tie", "draw", "lose"].filter((value) => total(figures[name], value)))), table(figures[name]));
  const figure = (n, name) => (n == null ? null : h("div", { class: "figure" }, h("b", {}, count(n)), h("span", {}, name)));
  // Where the start has images, positions are counted up to symmetry alone.
  const all = figures.counts ?? figures.canonical_counts;
  const plies = figures.plies ?? [];
  const distances = hasDistances(all);
  root.replaceChildren(
    h("div", { class: "row spread" }, h("h1", {}, `${info.title}, ${info.name}`), back()),
    h("div", { class: "figures-row" },
      figure(figures.positions, figures.counted === "all" ? "positions of the tables" : "positions reached from the start"), figure(figures.canonical_positions, "up to symmetry"),
      ["win", "tie", "draw", "lose"].map((value) => figure(total(all, value) || null, NAMES[value].toLowerCase()))),
    h("section", { class: "card" },
      h("h2", {}, distances ? "Positions by moves to the end" : "Positions by value"),
      sets.length > 1 && h("div", { class: "row", role: "group", "aria-label": "What is counted" }, sets.map(([name, text], i) => h("label", { class: "choice" },
        h("input", { type: "radio", name: "set", checked: i === 0, onchange: () => draw(name) }), text))),
      shown, downloads(route, figures, sets, () => shown.querySelector(".plot"))),
    h("section", { class: "card" }, h("h2", {}, distances ? "Longest" : "Examples"),
      distances && h("p", { class: "note" }, "Positions from which the end is farthest, with perfect play of both sides."),
      h("ul", { class: "longest" }, ["win", "tie", "lose"].filter((value) => figures.longest?.[value]).map((value) => {
        const { position, remoteness } = figures.longest[value];
        return h("li", {}, h("span", {}, phrase({ value, remoteness })),
          h("a", { href: format({ page: "game", game: route.game, variant: route.variant, start: position }) }, position));
      }))),
    plies.length ? h("section", { class: "card" }, h("h2", {}, "Positions by moves made"),
      h("div", { class: "scroll wide", tabindex: "0", role: "region", "aria-label": "Table of positions by moves made" }, h("table", { class: "figures" },
        h("thead", {}, h("tr", {}, ["Moves made", "Positions", ...SERIES.map((value) => NAMES[value])].map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {}, plies.map((row) => h("tr", {}, h("th", { scope: "row" }, row.ply), h("td", {}, count(row.positions)),
          SERIES.map((value) => h("td", {}, count(Object.values(row.counts?.[value] ?? {}).reduce((a, b) => a + b, 0))))))))) ) : "");
  draw(sets[0][0]);
  return {};
}
