// The API, with examples that run: every route of the server's own description, its parameters as fields, the same
// request for curl, and what the server answers.
import * as api from "./api.js";
import { announce, h, looks } from "./dom.js";
import { titleOf, variantOf } from "./names.js";
import { format, go } from "./router.js";
import { bytes } from "./words.js";

await looks("docs.css");

const SHOWN = 6000; // characters of an answer that are shown
const UNIVERSAL = "/universal/v1/";

const GROUPS = [
  ["Positions", "What a position is worth, and what to do there.", ["position", "line", "random", "positions"]],
  ["Games", "Which games and variants there are, and how they are drawn.", ["games", "{game}", "{variant}"]],
  ["Whole solutions", "Counts, rows for research, and solving.", ["statistics", "export", "solve"]],
  ["The server", "Its state, and this description for programs.", ["health", "openapi.json", "healthz", "metrics"]],
  ["GamesmanUni", "The same answers in the form that its client reads.", []],
];

// What only watching programs ask for; the description leaves it out.
const WATCHED = {
  "/healthz": { get: { summary: "Whether the server works, in one word", parameters: [] } },
  "/metrics": { get: { summary: "Numbers for Prometheus", parameters: [] } },
};

const groupOf = (path) => (path.startsWith(UNIVERSAL) ? GROUPS.at(-1) : GROUPS.find(([, , ends]) => ends.includes(path.split("/").at(-1))) ?? GROUPS.at(-2));

/** Examples for a variant: of tic-tac-toe a position in the middle of the game, of others the start. */
function example(path, name, { game, variant, start }) {
  const middle = game === "mnk" && variant === "default";
  const end = path.split("/").filter(Boolean).at(-1);
  if (name === "p") return end === "positions" || !middle ? start : "2_----x----";
  if (name === "m") return middle && end === "position" ? "a1" : "";
  if (name === "value") return end === "random" && middle ? "lose" : "";
  return { limit: "5", format: "csv" }[name] ?? "";
}

const body = ({ game, variant, start }) => JSON.stringify({ positions: game === "mnk" && variant === "default" ? [start, "2_----x----"] : [start] });

const query = (text) => encodeURIComponent(text).replaceAll("%2C", ",").replaceAll("%3D", "=");
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** One route: fields, the request for curl, a button that runs it, and the answer. */
class Route {
  constructor(path, method, { summary, parameters, requestBody }, about) {
    const { game, variant, signal } = about;
    Object.assign(this, { method, signal, name: `${method.toUpperCase()} ${path}` });
    // The other API joins options by underscores.
    const named = { "{game}": game, "{variant}": path.startsWith(UNIVERSAL) ? variant.replaceAll(",", "_") : variant };
    this.path = path.split("/").map((one) => (named[one] ? api.part(named[one]) : one)).join("/");
    const id = `${method}-${path.replace(/\W+/g, "-")}`;
    const fields = parameters.map(({ name, description }) => this.field(id, name, description, example(path, name, about)));
    this.fields = fields.map(([input]) => input);
    this.body = requestBody && h("textarea", { id: `${id}-body`, rows: 2, spellcheck: "false", oninput: () => this.tell() });
    if (this.body) this.body.value = body(about);
    this.curl = h("code");
    this.state = h("p", { class: "note", role: "status" });
    this.answer = h("div");
    const [few, more] = [fields.slice(0, 2), fields.slice(2)].map((some) => some.map(([, row]) => row));
    this.element = h("section", { class: "card api-route", "aria-labelledby": id, "data-route": `${method} ${path}` },
      h("h3", { id }, h("span", { class: `method ${method}` }, method.toUpperCase()), " ", h("code", {}, path)),
      h("p", {}, `${summary}.`),
      few.length > 0 && h("div", { class: "parameters" }, few),
      more.length > 0 && h("details", {}, h("summary", {}, `${more.length} more parameters`), h("div", { class: "parameters" }, more)),
      this.body && h("div", {}, h("label", { for: `${id}-body` }, "Body"), this.body),
      h("div", { class: "request" },
        h("pre", { tabindex: "0", role: "region", "aria-label": `The request for curl: ${this.name}` }, this.curl),
        h("button", { type: "button", class: "main", "data-action": "run", "aria-label": `Run ${this.name}`, onclick: () => this.run() }, "Run"),
        h("button", { type: "button", "data-action": "copy", "aria-label": `Copy the request for curl: ${this.name}`, onclick: (event) => this.copy(event.currentTarget) }, "Copy")),
      h("div", {}, this.state, this.answer));
    this.tell();
  }

  field(id, name, description, value) {
    const input = h("input", { id: `${id}-${name}`, name, type: "text", value, autocomplete: "off", autocapitalize: "off", spellcheck: "false", oninput: () => this.tell() });
    return [input, h("div", { class: "parameter" }, h("label", { for: input.id }, h("code", {}, name), " ", description ?? "a position"), input)];
  }

  get url() {
    const given = this.fields.filter((input) => input.value.trim()).map((input) => `${input.name}=${query(input.value.trim())}`);
    return `${location.origin}${this.path}${given.length ? `?${given.join("&")}` : ""}`;
  }

  tell() {
    const sent = this.body ? `-d ${quoted(this.body.value)} ` : this.method === "post" ? "-X POST " : "";
    this.curl.textContent = `curl ${sent}${quoted(this.url)}`;
  }

  async copy(button) {
    try {
      await navigator.clipboard.writeText(this.curl.textContent);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not allowed";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  }

  async run() {
    this.element.setAttribute("aria-busy", "true");
    const begun = performance.now();
    try {
      const options = this.body ? { headers: { "content-type": "application/json" }, body: this.body.value } : {};
      const answer = await fetch(this.url, { ...options, method: this.method.toUpperCase(), signal: this.signal, cache: "no-store" });
      const raw = await answer.arrayBuffer();
      const took = Math.max(1, Math.round(performance.now() - begun));
      const kind = answer.headers.get("content-type") ?? "";
      this.state.textContent = `${answer.status} ${answer.statusText}, ${kind.split(";")[0]}, ${bytes(raw.byteLength)}, ${took} ms`;
      this.state.classList.toggle("wrong", !answer.ok);
      this.show(raw, kind);
    } catch (error) {
      if (api.isAbort(error)) return;
      this.state.textContent = `No answer: ${error.message}`;
      this.state.classList.add("wrong");
      this.answer.replaceChildren();
    } finally {
      this.element.removeAttribute("aria-busy");
    }
    announce(this.state.textContent);
  }

  /** An answer as text, its beginning if it is long; JSON is laid out. */
  show(raw, kind) {
    if (!/json|text|csv/.test(kind)) {
      this.answer.replaceChildren(h("p", { class: "note" }, "These bytes are for programs: save them with curl -o FILE."));
      return;
    }
    let text = new TextDecoder().decode(raw);
    try { text = JSON.stringify(JSON.parse(text), null, 1); } catch { /* rows or plain text */ }
    const rest = text.length - SHOWN;
    this.answer.replaceChildren(
      h("pre", { tabindex: "0", role: "region", "aria-label": `The answer: ${this.name}`, class: "answered" }, h("code", {}, rest > 0 ? text.slice(0, SHOWN) : text)),
      rest > 0 ? h("p", { class: "note" }, `… and ${rest.toLocaleString("en-GB")} characters more.`) : "");
  }
}

/** A choice of game and variant for all examples. */
function chooser(games, { game, variant }) {
  const known = games.find(({ id }) => id === game);
  const variants = known?.variants.map(({ id, name }) => [id, variantOf(game, id, name)]) ?? [];
  if (!variants.some(([id]) => id === variant)) variants.push([variant, variant]);
  const select = (id, text, pairs, chosen, choose) => h("div", {}, h("label", { for: id }, text),
    h("select", { id, onchange: (event) => choose(event.target.value) }, pairs.map(([value, name]) => h("option", { value, selected: value === chosen }, name))));
  return h("div", { class: "row chooser", role: "group", "aria-label": "What the examples are about" },
    select("api-game", "Game", games.map(({ id, title }) => [id, titleOf(title)]), game, (id) => go({ page: "docs", game: id, variant: games.find((one) => one.id === id).variants.find(({ state }) => state === "solved")?.id ?? "default" })),
    select("api-variant", "Variant", variants, variant, (id) => go({ page: "docs", game, variant: id })),
    h("a", { class: "button", href: format({ page: "game", game, variant }) }, "To the board"));
}

export async function docs(root, route, { signal, title }) {
  title("API");
  const ask = (path) => api.request(path, { signal });
  const [description, games] = await Promise.all([ask("/openapi.json"), api.games(signal)]);
  let start = "";
  let wrong = "";
  try { start = (await api.variant(route.game, route.variant, signal)).start; } catch (error) {
    if (api.isAbort(error)) throw error;
    wrong = error.message;
  }
  const made = new Map(GROUPS.map((group) => [group, []]));
  for (const [path, methods] of Object.entries({ ...description.paths, ...WATCHED })) {
    for (const method of ["get", "post"]) {
      if (methods[method]) made.get(groupOf(path)).push(new Route(path, method, methods[method], { ...route, start, signal }));
    }
  }
  const order = (ends) => ({ path: a }, { path: b }) => ends.indexOf(a.split("/").at(-1)) - ends.indexOf(b.split("/").at(-1));
  root.replaceChildren(
    h("h1", {}, "API"),
    h("p", {}, "Everything the page shows comes from these routes, as JSON. Change a field and press Run: the server answers."),
    h("p", {}, "A position is a text: whose turn it is, then the cells row by row. Errors are 4xx or 5xx with an object ", h("code", {}, "{\"error\": \"what, why, and what to do\"}"), ". Other sites may ask too (CORS)."),
    chooser(games, route), wrong ? h("p", { class: "wrong", role: "alert" }, wrong) : "",
    ...[...made].filter(([, routes]) => routes.length).map(([[name, text, ends], routes]) => h("section", { class: "api-group" },
      h("h2", {}, name), h("p", { class: "note" }, text), routes.sort(order(ends)).map(({ element }) => element))));
  return {};
}
