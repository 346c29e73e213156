// Men with signs on them, as in Chinese chess: a disc with a letter, or a plain stone.
import { h, s } from "../dom.js";
import { U } from "./look.js";

/** Whether the browser has a picture for every sign: those it has not all look alike. */
export function drawable(signs) {
  const brush = h("canvas", { width: 24, height: 24 }).getContext("2d", { willReadFrequently: true });
  brush.font = "18px serif";
  brush.textBaseline = "top";
  const ink = (sign) => {
    brush.clearRect(0, 0, 24, 24);
    brush.fillText(sign, 2, 2);
    return brush.getImageData(0, 0, 24, 24).data.join();
  };
  const missing = ink("\u{10fffd}");
  return signs.every((sign) => ink(sign) !== missing);
}

/** The men of both sides by letter, each with its colour and what is written on it. */
export function men(sides = []) {
  const all = sides.flatMap(({ name, men: own }) => own.map((man) => ({ ...man, side: name.toLowerCase() })));
  const signs = drawable(all.map((man) => man.sign).filter((sign) => sign.trim()));
  return new Map(all.map((man) => [man.letter, { ...man, sign: signs ? man.sign : man.letter.toUpperCase() }]));
}

/** A man around the origin: a plain stone, or a disc with something written on it. */
export function man({ side, sign }, r) {
  if (!sign.trim()) return s("circle", { class: `piece stone ${side}`, r });
  return s("g", { class: `piece disc ${side}` },
    s("circle", { r }), s("circle", { class: "rim", r: r * 0.86 }),
    s("text", { class: "reads", "font-size": r * 1.15, dy: "0.36em" }, sign));
}

/** Words on the board, where the browser has letters for them. */
export const labels = (all) => (all ?? []).filter(([, , text]) => drawable([...text])).map(([x, y, text]) => s("text", {
  x: x * U, y: y * U, dy: "0.35em", "font-size": U * 0.42, "text-anchor": "middle", fill: "light-dark(#6b5128, #c2a97e)", "letter-spacing": "0.2em", "aria-hidden": "true",
}, text));
