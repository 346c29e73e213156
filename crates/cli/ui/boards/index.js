// Chooses how a game looks, by its name. A game without a board of its own is drawn from its description alone.
const MODULES = {
  allqueens: "allqueens", connect4: "connect4", dawson: "pins", dobutsu: "dobutsu", domineering: "domineering",
  fairshares: "fairshares", hex: "hex", kalah: "kalah", kaooa: "kaooa", kayles: "pins", mnk: "mnk", morris: "morris",
  nim: "nim", othello: "othello", pegs: "pegs", pentago: "pentago", qbf: "qbf", quarto: "quarto", quixo: "quixo",
  slide: "slide", teeko: "teeko", tento0: "tento0", toot: "toot", xiangqi: "xiangqi",
};

/** The games that have a board of their own. */
export const GAMES = Object.keys(MODULES);

/** How a game looks; `info` is what the server tells of the variant. */
export async function lookFor(info) {
  const module = await import(Object.hasOwn(MODULES, info.game) ? `./${MODULES[info.game]}.js` : "./plain.js");
  return Object.assign(new module.default(info), { name: Object.hasOwn(MODULES, info.game) ? info.game : "plain" });
}

/** A game with an example of its board in play, for a small picture. */
export async function exampleOf(game) {
  if (!Object.hasOwn(MODULES, game)) return null;
  const { default: Look } = await import(`./${MODULES[game]}.js`);
  const { board, pieces, variant, view } = Look.example(game);
  return { look: new Look({ game, board, variant, start: `1_${pieces}` }), pieces, view };
}
