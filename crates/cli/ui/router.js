// The address holds everything: /GAME/VARIANT?p=START&m=MOVE,MOVE&at=PLY, so that links
// and the back button work. `p` is left out for the usual start, `at` at the last move.
// /docs?game=GAME&variant=VARIANT is about the API.
import { part } from "./api.js";

/** A move in the address that the rules do not allow. */
export class Illegal extends Error {
  constructor(ply, move) {
    super(`Move ${ply + 1} of this link, “${move}”, is not legal there.`);
    this.ply = ply;
  }
}

let changed = () => {};

export function parse(url = location) {
  const [game, variant, page] = url.pathname.split("/").filter(Boolean).map((text) => {
    try { return decodeURIComponent(text); } catch { return text; }
  });
  if (!game) return { page: "home" };
  if (game === "docs" || game === "api") {
    const query = new URLSearchParams(url.search);
    return { page: "docs", game: query.get("game") || "mnk", variant: query.get("variant") || "default" };
  }
  if (!variant) return { page: "card", game };
  if (page === "statistics") return { page, game, variant };
  const query = {};
  for (const pair of url.search.slice(1).split("&").filter(Boolean)) {
    const cut = pair.indexOf("=");
    query[pair.slice(0, cut < 0 ? undefined : cut)] = cut < 0 ? "" : pair.slice(cut + 1);
  }
  const text = (raw) => { try { return decodeURIComponent(raw.replaceAll("+", " ")); } catch { return raw; } };
  const moves = query.m ? query.m.split(",").map(text) : [];
  const wanted = /^\d+$/.test(query.at ?? "") ? Number(query.at) : moves.length;
  return {
    page: "game", game, variant, moves,
    start: query.p ? text(query.p) : null,
    at: Math.min(wanted, moves.length),
  };
}

export function format(route) {
  if (route.page === "home") return "/";
  if (route.page === "docs") return `/docs?game=${part(route.game)}&variant=${part(route.variant)}`;
  const path = `/${part(route.game)}`;
  if (route.page === "card") return path;
  if (route.page === "statistics") return `${path}/${part(route.variant)}/statistics`;
  const query = [];
  if (route.start) query.push(`p=${encodeURIComponent(route.start)}`);
  if (route.moves?.length) query.push(`m=${route.moves.map(encodeURIComponent).join(",")}`);
  if (route.moves?.length && route.at < route.moves.length) query.push(`at=${route.at}`);
  return `${path}/${part(route.variant)}${query.length ? `?${query.join("&")}` : ""}`;
}

/** Goes to a route. `replace` writes over the present entry of the browser's history. */
export function go(route, { replace = false } = {}) {
  const url = format(route);
  if (replace) history.replaceState(null, "", url);
  else if (url !== location.pathname + location.search) history.pushState(null, "", url);
  changed(parse(), "go");
}

export function start(listen) {
  changed = listen;
  addEventListener("popstate", () => changed(parse(), "back"));
  // Links within the page do not load it again; those of the API and with a key held do.
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (link.origin !== location.origin || link.target || link.hasAttribute("download") || link.getAttribute("href").startsWith("#")) return;
    if (/^\/(api|ui)\//.test(link.pathname)) return;
    event.preventDefault();
    if (link.pathname + link.search !== location.pathname + location.search) history.pushState(null, "", link.href);
    changed(parse(), "link");
  });
  changed(parse(), "load");
}
