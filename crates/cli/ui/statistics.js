// Statistics of a whole solution: positions by value and remoteness.
import * as api from "./api.js";
import { h, looks, problem, s } from "./dom.js";
import { titleOf, variantOf } from "./names.js";
import { format } from "./router.js";
import { shape, legend } from "./shapes.js";
import { callPuzzle, count, phrase } from "./words.js";

await Promise.all(["game.css", "statistics.css"].map(looks));

const SERIES = ["win", "tie", "lose"];
const PLAIN = { win: "Wins", tie: "Ties", lose: "Losses", draw: "Draws" };
const PUZZLE = { win: "Solvable", tie: "Ties", lose: "Unsolvable, stuck in the end", draw: "Unsolvable, without end" };
let NAMES = PLAIN;

/** Whether values have distances: where only the winner is known, the rows are `over` and `goes on`. */
const hasDistances = (counts) => SERIES.every((value) => Object.keys(counts[value] ?? {}).every((r) => /^\d+$/.test(r)));

/** Positions against remoteness, the number on a scale of powers of ten. */
function plot(counts) {
  if (!hasDistances(counts)) return h("p", { class: "note" }, "Values tell who wins, not how soon.");
  // On a phone the picture is drawn smaller, not its letters.
  const narrow = innerWidth < 760;
  const [width, height, left, right, top, bottom] = narrow ? [350, 300, 46, 4, 12, 44] : [720, 340, 52, 16, 16, 44];
  const rows = SERIES.map((value) => [value, Object.entries(counts[value] ?? {}).map(([r, n]) => [Number(r), n]).sort((a, b) => a[0] - b[0])]);
  const all = rows.flatMap(([, list]) => list);
  if (!all.length) return h("p", { class: "empty" }, "No position has an end.");
  const far = Math.max(1, ...all.map(([r]) => r));
  const high = Math.max(1, Math.ceil(Math.log10(Math.max(...all.map(([, n]) => n)))));
  const x = (r) => left + 10 + ((width - left - right - 20) * r) / far;
  const y = (n) => height - bottom - 8 - ((height - top - bottom - 8) * Math.log10(n)) / high;
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((size) => far / size <= (narrow ? 8 : 15)) ?? 1000;
  const ticks = Array.from({ length: Math.floor(far / step) + 1 }, (_, i) => i * step);
  const power = (e) => (e < 4 ? count(10 ** e) : `10${[...String(e)].map((d) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[d]).join("")}`);
  const size = all.length > (narrow ? 60 : 120) ? 2.5 : all.length > 60 ? 3.5 : 5;
  return s("svg", { viewBox: `0 0 ${width} ${height}`, class: "plot", role: "img", "aria-label": "Number of positions by remoteness and value; the table below has the same figures" },
    s("g", { class: "axis" },
      Array.from({ length: high + 1 }, (_, e) => [
        s("line", { class: "faint", x1: left, x2: width - right, y1: y(10 ** e), y2: y(10 ** e) }),
        s("text", { class: "end", x: left - 8, y: y(10 ** e), dy: "0.35em" }, power(e))]),
      ticks.map((r) => s("text", { x: x(r), y: height - bottom + 16 }, r)),
      s("text", { x: (left + width) / 2, y: height - 8 }, "moves to the end")),
    rows.map(([value, list]) => s("g", { class: `series v-${value}` },
      s("polyline", { points: list.map(([r, n]) => `${x(r)},${y(n)}`).join(" ") }),
      list.map(([r, n]) => s("g", {}, s("title", {}, `${phrase({ value, remoteness: r })}: ${count(n)} positions`), shape(value, x(r), y(n), size))))));
}

function table(counts) {
  const distances = hasDistances(counts);
  const rows = [...new Set(SERIES.flatMap((value) => Object.keys(counts[value] ?? {})))];
  const far = distances ? rows.map(Number).sort((a, b) => a - b) : rows.sort().reverse();
  const total = (value) => (value === "draw" ? counts.draw ?? 0 : Object.values(counts[value] ?? {}).reduce((a, b) => a + b, 0));
  const cell = (n) => h("td", {}, n ? count(n) : "");
  return h("div", { class: "scroll wide" }, h("table", { class: "figures" },
    h("caption", { class: "unseen" }, `Positions by ${distances ? "moves to the end and " : ""}value for the player to move`),
    h("thead", {}, h("tr", {}, [distances ? "Moves" : "Game", ...SERIES.map((value) => NAMES[value])].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {},
      far.map((r) => h("tr", {}, h("th", { scope: "row" }, r), SERIES.map((value) => cell(counts[value]?.[r]))))),
    h("tfoot", {}, h("tr", {}, h("th", { scope: "row" }, "All"), SERIES.map((value) => cell(total(value)))),
      total("draw") ? h("tr", {}, h("th", { scope: "row" }, NAMES.draw), h("td", { colspan: 3 }, count(total("draw")))) : null)));
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
  const draw = (name) => shown.replaceChildren(h("div", {}, plot(figures[name]), legend()), table(figures[name]));
  const figure = (n, name) => (n == null ? null : h("div", { class: "figure" }, h("b", {}, count(n)), h("span", {}, name)));
  // Where the start has images, positions are counted up to symmetry alone.
  const all = figures.counts ?? figures.canonical_counts;
  const sum = (value) => (value === "draw" ? all.draw : Object.values(all[value] ?? {}).reduce((a, b) => a + b, 0));
  const plies = figures.plies ?? [];
  const distances = hasDistances(all);
  root.replaceChildren(
    h("div", { class: "row spread" }, h("h1", {}, `${info.title}, ${info.name}`), back()),
    h("div", { class: "figures-row" },
      figure(figures.positions, "positions"), figure(figures.canonical_positions, "up to symmetry"),
      ["win", "tie", "draw", "lose"].map((value) => figure(sum(value) || null, NAMES[value].toLowerCase()))),
    h("section", { class: "card" },
      h("h2", {}, distances ? "Positions by moves to the end" : "Positions by value"),
      sets.length > 1 && h("div", { class: "row", role: "group", "aria-label": "What is counted" }, sets.map(([name, text], i) => h("label", { class: "choice" },
        h("input", { type: "radio", name: "set", checked: i === 0, onchange: () => draw(name) }), text))),
      shown),
    h("section", { class: "card" }, h("h2", {}, distances ? "Longest" : "Examples"),
      distances && h("p", { class: "note" }, "Positions from which the end is farthest, with perfect play of both sides."),
      h("ul", { class: "longest" }, ["win", "tie", "lose"].filter((value) => figures.longest?.[value]).map((value) => {
        const { position, remoteness } = figures.longest[value];
        return h("li", {}, h("span", {}, phrase({ value, remoteness })),
          h("a", { href: format({ page: "game", game: route.game, variant: route.variant, start: position }) }, position));
      }))),
    plies.length ? h("section", { class: "card" }, h("h2", {}, "Positions by moves made"),
      h("div", { class: "scroll wide" }, h("table", { class: "figures" },
        h("thead", {}, h("tr", {}, ["Moves made", "Positions", ...SERIES.map((value) => NAMES[value])].map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {}, plies.map((row) => h("tr", {}, h("th", { scope: "row" }, row.ply), h("td", {}, count(row.positions)),
          SERIES.map((value) => h("td", {}, count(Object.values(row.counts?.[value] ?? {}).reduce((a, b) => a + b, 0))))))))) ) : "");
  draw(sets[0][0]);
  return {};
}
