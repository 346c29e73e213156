// What games and variants are called on the page, and what people look for them by.
const TITLES = {
  "m,n,k game": "Tic-tac-toe", "Sliding puzzle": "8-puzzle", "Chinese chess endgames": "Chinese chess", "Fair Shares and Varied Pairs": "Fair Shares",
};

// Words that are no names, by which people may look for a game all the same.
const TOPICS = {
  domineering: "dominoes", fairshares: "almonds", hex: "nash polygon", kalah: "awari oware", kaooa: "vulture star", kayles: "bowling pins",
  mnk: "gomoku xo", morris: "muehle three six", nim: "heaps", pentago: "marbles quadrants", qbf: "satisfiability sat logic",
  quarto: "pieces attributes", quixo: "cubes", slide: "fifteen 15-puzzle tiles", teeko: "scarne", tento0: "countdown subtraction",
  toot: "toototto words letters", xiangqi: "elephant endgames tablebase",
};

/** The games that most people know, in the order they are shown. */
export const POPULAR = ["connect4", "mnk", "othello", "morris", "quarto", "kalah", "pentago", "xiangqi", "pegs", "slide"];

/** Games that nobody looks for by browsing: one for tests, and one that needs a file. */
export const HIDDEN = ["graph", "meaningless"];

/** What a game is called; `told` is what the server calls it. */
export const titleOf = (told) => TITLES[told] ?? told;

/** What else a game is found by: its other names, which the server has, as they are and as one word, and topics. */
export const soughtBy = (game) => [...game.aliases, ...game.aliases.map((name) => name.replace(/[^\p{L}\p{N}]/gu, "")), TOPICS[game.id] ?? ""].join(" ");

const COUNTED = { pins: "pin", pits: "pit", seeds: "seed", queens: "queen", almonds: "almond", pieces: "man", men: "man", crows: "crow", attributes: "attribute", each: "letter" };
const NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight"];
const number = (n) => NUMBERS[n] ?? String(n);
const several = (n, one) => `${n} ${n === "1" ? one : one === "man" ? "men" : `${one}s`}`;

/** What is left out of a name because every board of the game has it. */
const USUAL = {
  connect4: ["connect 4"], allqueens: ["line 4"], othello: ["start standard"], teeko: ["men 4", "line 4", "squares small"],
  kaooa: ["enough 4", "capture may"], dawson: ["rules kayles"], pegs: ["hole 0", "last 0"], nim: ["play normal"], morris: ["fly yes"],
};

const WHOLE = {
  "mnk/default": "3 x 3", "mnk/misere=yes": "3 x 3, three in a row lose", "nim/default": "heaps of 3, 4 and 5",
  "dobutsu/default": "all four animals", "dobutsu/elephants=0": "without elephants", "dobutsu/elephants=0,giraffes=0": "lions and chicks",
  "qbf/default": "three variables", "slide/default": "3 x 3", "pegs/default": "triangle of 15 holes", "pegs/last=1": "triangle, last peg at the top",
  "morris/men=3,fly=no,diagonals=mills": "three men's morris", "morris/men=6": "six men's morris", "morris/stage=4-3": "endgame of 4 against 3",
  "morris/default": "nine men's morris", "kaooa/default": "7 crows", "pentago/default": "6 x 6", "tento0/default": "from 10, by 1 or 2",
};

/** The name of a variant, as people say it: `4 x 4`, `3 pits, 4 seeds`; `told` is what the server calls it. */
export function variantOf(game, variant, told) {
  if (WHOLE[`${game}/${variant}`]) return WHOLE[`${game}/${variant}`];
  const parts = (told || variant).split(", ").filter((part) => !USUAL[game]?.includes(part));
  const size = /^(\d+)x(\d+)$/.exec(parts[0] ?? "");
  return parts.flatMap((part) => {
    const [, word, n] = /^([a-z]+) (\S+)$/.exec(part) ?? [];
    if (/^\d+x\d+$/.test(part)) return part.replace("x", " x ");
    if (game === "quarto" && word === "rows") return `${n} x ${n}`;
    if (word === "line" && size && game === "quixo" && n === size[1] && n === size[2]) return [];
    if (word === "line" && n === "3" && game === "mnk" && part !== "3 x 3") return "three in a row";
    if (word === "line" || word === "connect") return `${number(n)} in a row`;
    if (part === "misere yes") return "a row loses";
    if (part === "play misere") return "last stone loses";
    if (COUNTED[word] && /^\d+$/.test(n)) return several(n, COUNTED[word]);
    return part;
  }).join(", ");
}
