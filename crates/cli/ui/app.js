// Starts the page: one of five pages by the address, the banner, the theme, the keys.
import { isAbort, onLost, retryNow, watch } from "./api.js";
import { $, h, problem } from "./dom.js";
import { shortcuts } from "./keyboard.js";
import { format, parse, start } from "./router.js";

// The code of a page is loaded when the page is first asked for.
const PAGES = {
  home: () => import("./home.js"),
  card: () => import("./card.js"),
  game: () => import("./game.js"),
  statistics: () => import("./statistics.js"),
  docs: () => import("./docs.js"),
};

const root = $("#main");
let here = { key: null, page: {}, stop: new AbortController() };

function title(route, ...parts) {
  document.title = [...parts, "Zermelo"].join(" · ");
  const [name, variant, last] = parts;
  const links = [];
  if (name) links.push(parts.length === 1 ? h("span", { "aria-current": "page" }, name) : h("a", { href: format({ page: "card", game: route.game }) }, name));
  if (variant) links.push(last ? h("a", { href: format({ page: "game", game: route.game, variant: route.variant }) }, variant) : h("span", { "aria-current": "page" }, variant));
  if (last) links.push(h("span", { "aria-current": "page" }, last));
  $("#crumbs").replaceChildren(...links);
}

async function show(route, how) {
  const key = `${route.page} ${route.game} ${route.variant}`;
  if (key === here.key && here.page.update) { here.page.update(route, how); return; }
  here.stop.abort();
  here.page.leave?.();
  const stop = new AbortController();
  here = { key, page: {}, stop };
  const mine = here;
  const slow = setTimeout(() => root.replaceChildren(h("p", { class: "loading", role: "status" }, "Loading…")), how === "load" ? 0 : 150);
  if (how !== "load" && how !== "back") scrollTo(0, 0);
  $("#dialog").close();
  const stage = h("div", { class: `page-${route.page}` });
  const context = {
    signal: stop.signal,
    title: (...parts) => title(route, ...parts),
    reload: () => { here.key = null; show(parse(), "reload"); },
  };
  try {
    const page = await (await PAGES[route.page]())[route.page](stage, route, context);
    if (here !== mine) { page.leave?.(); return; }
    mine.page = page;
    root.replaceChildren(stage);
    if (how === "link") root.focus({ preventScroll: true });
    // The address may have changed while the page was being made.
    const now = parse();
    if (format(now) !== format(route) && page.update) page.update(now, "go");
  } catch (error) {
    if (here !== mine || isAbort(error)) return;
    root.replaceChildren(problem("Something went wrong", error.message, h("a", { class: "button", href: "/" }, "All games")));
  } finally {
    clearTimeout(slow);
  }
}

const help = async () => (await import("./help.js")).help();

const banner = $("#banner");
// The seconds are for the eye only, or a screen reader would count along.
const text = h("span");
const seconds = h("span", { "aria-hidden": "true" });
banner.append(text, seconds, h("button", { type: "button", onclick: retryNow }, "Try now"));
onLost((left) => {
  if (left !== null && banner.hidden) text.textContent = "The server does not answer. The page goes on when it does.";
  banner.hidden = left === null;
  seconds.textContent = left ? `Trying again in ${left} s.` : "Trying…";
});

const theme = $("#theme");
const name = () => {
  const now = window.zermeloTheme.get();
  theme.textContent = { auto: "Auto", light: "Light", dark: "Dark" }[now];
  theme.setAttribute("aria-label", `Theme: ${now}. Change`);
};
theme.addEventListener("click", () => { window.zermeloTheme.next(); name(); });
name();
$("#help").addEventListener("click", help);
$("#dialog").addEventListener("click", (event) => { if (event.target === event.currentTarget) event.currentTarget.close(); });
$("#dialog").addEventListener("close", (event) => event.target.classList.remove("editing"));

shortcuts(() => ({ "?": help, ...here.page.keys }));
watch();
start(show);
