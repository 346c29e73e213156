// Keys: letters for actions anywhere on the page, arrows among the items of a group.
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** The item that lies nearest in the direction of an arrow key; what lies aside counts double. */
export function nearest(items, from, key) {
  const centre = (item) => {
    const box = (item.querySelector(".badge, .plain, .tip") ?? item).getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const [dx, dy] = ARROWS[key];
  const [x, y] = centre(from);
  let best = null;
  let least = Infinity;
  for (const item of items) {
    if (item === from) continue;
    const [ix, iy] = centre(item);
    const along = (ix - x) * dx + (iy - y) * dy;
    const aside = Math.abs((ix - x) * dy) + Math.abs((iy - y) * dx);
    if (along > 2 && along + 2 * aside < least) { least = along + 2 * aside; best = item; }
  }
  return best;
}

/** The next or previous item, for lists. */
export function inOrder(items, from, key) {
  const step = key === "ArrowDown" || key === "ArrowRight" ? 1 : -1;
  return items[items.indexOf(from) + step] ?? null;
}

/** Arrow keys, Home and End move the focus among the items of a group, which is one stop for Tab. */
export function rove(group, items, next) {
  group.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const list = items();
    const from = list.find((item) => item === document.activeElement);
    if (!from) return;
    let to = null;
    if (event.key in ARROWS) to = next(list, from, event.key);
    else if (event.key === "Home") to = list[0];
    else if (event.key === "End") to = list.at(-1);
    else return;
    event.preventDefault();
    if (!to) return;
    for (const item of list) if (item.tabIndex === 0) item.setAttribute("tabindex", "-1");
    to.setAttribute("tabindex", "0");
    to.focus();
  });
}

/** Calls the action of a letter, unless somebody types, a dialog is open, or a modifier is held. */
export function shortcuts(keys) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.target.closest?.("input:not([type=range]):not([type=checkbox]), textarea, select, dialog[open]")) return;
    const act = keys()[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (act && act(event) !== false) event.preventDefault();
  });
}
