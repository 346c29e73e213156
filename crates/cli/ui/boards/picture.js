// A small picture of a game: its board with pieces, drawn by the code that draws the board to play on.
import { s } from "../dom.js";
import { exampleOf } from "./index.js";
import { U } from "./look.js";

/** The picture of a game; null for one without a board of its own. */
export async function picture(game, label) {
  const example = await exampleOf(game);
  if (!example) return null;
  const { look, pieces, view } = example;
  look.show(pieces, []);
  const [x, y, width, height] = (view ?? [0, 0, look.board.width, look.board.height]).map((n) => n * U);
  const size = (look.side ?? 1) * U;
  return s("svg", { class: "picture", viewBox: `${x - 8} ${y - 8} ${width + 16} ${height + 16}`, role: "img", "aria-label": label, "data-picture": game },
    look.backdrop(),
    [...pieces].flatMap((letter, cell) => {
      const piece = look.places[cell] && look.piece(letter, cell, size);
      return piece ? [s("g", { transform: `translate(${look.at(cell)})` }, piece)] : [];
    }),
    look.over());
}
