// Elements from data: `h` for HTML, `s` for SVG.
const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value == null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && ["value", "checked", "hidden", "disabled"].includes(name)) element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
  return element;
}

export const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
export const s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

export const $ = (selector, root = document) => root.querySelector(selector);

/** Numbers as people write them: `4.5 * 10^12` becomes 4.5 × 10¹². */
export const readable = (text) => (text ?? "").replace(/ \* (?=10\^\d)/g, " × ").replace(/\b10\^(\d+)/g, (_, e) => `10${[...e].map((d) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[d]).join("")}`);

/** A paragraph a blank line, code between backticks, as the rules are written. */
export function paragraphs(text) {
  return readable(text).split(/\n\s*\n/).filter(Boolean).map((part) =>
    h("p", {}, part.split("`").map((piece, i) => (i % 2 ? h("code", {}, piece) : piece))));
}

/** Loads a style sheet that only some pages need. */
export function looks(file) {
  const link = h("link", { rel: "stylesheet", href: new URL(file, import.meta.url) });
  return new Promise((done) => {
    link.onload = link.onerror = done;
    document.head.append(link);
  });
}

/** Gives a text to keep as a file. */
export function saveFile(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** Says something to people who listen instead of looking. */
export function announce(text) {
  $("#live").textContent = text;
}

/** A card that says what went wrong and where to go from there. */
export function problem(title, message, ...ways) {
  return h("section", { class: "card problem", role: "alert" },
    h("h1", {}, title), h("p", {}, message), h("p", { class: "row" }, ways));
}

/** Opens the one dialog of the page. Escape and the button close it. */
export function dialog(title, ...body) {
  const box = $("#dialog");
  box.replaceChildren(
    h("form", { method: "dialog", class: "dialog-head" },
      h("h2", { id: "dialog-title" }, title),
      h("button", { class: "quiet", "aria-label": "Close" }, "✕")),
    h("div", { class: "dialog-body" }, body));
  if (!box.open) box.showModal();
  return box;
}

const ICONS = {
  undo: "M9 7 4 12l5 5M4 12h10a5 5 0 0 1 0 10",
  redo: "m15 7 5 5-5 5m5-5H10a5 5 0 0 0 0 10",
  restart: "M4 5v6h6M4.5 11A8 8 0 1 1 6 17",
  swap: "M4 8h15l-4-4M20 16H5l4 4",
  hints: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zm10 3a3 3 0 1 0 0-6 3 3 0 0 0 0 6z",
  line: "M4 18 9 12l4 4 7-10m0 0h-5m5 0v5",
};

/** A button with an icon, its name and, for those who look for it, its key. */
export function action(name, text, key, onclick, more) {
  return h("button", { type: "button", class: "action", "data-action": name, "aria-keyshortcuts": key, title: `${text} (${key})`, onclick, ...more },
    s("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: ICONS[name] })), h("span", {}, text));
}
