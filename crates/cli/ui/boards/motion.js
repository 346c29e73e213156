// Moves that are seen: pieces slide, drop, turn over and go. Nothing moves for those who prefer reduced motion.
const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Plays key frames on an element; null where nothing is to move. */
export function play(element, frames, { duration = 260, delay = 0, easing = "ease-out", fill = "backwards" } = {}) {
  if (!element || calm()) return null;
  return element.animate(frames, { duration, delay, easing, fill });
}

/** Lets an element arrive from (dx, dy) away. */
export const slide = (element, [dx, dy], options) =>
  play(element, [{ transform: `translate(${dx}px, ${dy}px)` }, { transform: "none" }], { duration: 300, easing: "cubic-bezier(0.3, 0.1, 0.2, 1)", ...options });

/** Lets an element fall from `height` above, with a small bounce. */
export const fall = (element, height) => play(element, [
  { transform: `translateY(${-height}px)`, easing: "cubic-bezier(0.5, 0, 0.9, 0.6)" },
  { transform: "none", offset: 0.72, easing: "ease-out" },
  { transform: `translateY(${-Math.min(14, height * 0.06)}px)`, offset: 0.85, easing: "ease-in" },
  { transform: "none" },
], { duration: 180 + Math.sqrt(height) * 16 });

/** Turns a disc over: `before` goes, `after` comes. */
export function flip(before, after, delay = 0) {
  const half = 170;
  const gone = play(before, [{ transform: "scaleX(1)" }, { transform: "scaleX(0)" }], { duration: half, delay, easing: "ease-in", fill: "both" });
  if (!gone) { before.remove(); return; }
  gone.onfinish = () => before.remove();
  play(after, [{ transform: "scaleX(0)" }, { transform: "scaleX(1)" }], { duration: half, delay: delay + half });
}

/** Lets an element fade, and removes it. */
export function leave(element, options) {
  const gone = play(element, [{ opacity: 1, transform: "none" }, { opacity: 0, transform: "scale(0.6)" }], { duration: 240, easing: "ease-in", ...options, fill: "both" });
  if (gone) gone.onfinish = () => element.remove();
  else element.remove();
}

/** Lets an element come out of nothing. */
export const grow = (element, options) => play(element, [{ opacity: 0, transform: "scale(0.6)" }, { opacity: 1, transform: "none" }], { duration: 220, ...options });

/**
 * The usual way: what went from one cell to another slides, what is new grows, and what is gone fades. A change has
 * the letters `before` and `after`, the cells `from` and `to` of the move, `piece(cell)` what stands now on a cell,
 * `ghost(cell)` a copy of what stood there, and `centre(cell)`.
 */
export function animate({ before, after, from, to, piece, ghost, centre }) {
  const moved = from !== null && from !== to && after[from] === "-" && piece(to);
  if (moved) {
    const [[x1, y1], [x2, y2]] = [centre(from), centre(to)];
    slide(piece(to), [x1 - x2, y1 - y2]);
  }
  [...after].forEach((letter, cell) => {
    if (letter === before[cell] || (moved && (cell === from || cell === to))) return;
    if (before[cell] !== "-") leave(ghost(cell));
    if (letter !== "-") grow(piece(cell));
  });
  if (moved && before[to] !== "-") leave(ghost(to), { delay: 160 });
}
