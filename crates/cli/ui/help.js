// The help, which is loaded when it is first asked for.
import { dialog, h } from "./dom.js";
import { legend } from "./shapes.js";
import { isPuzzle } from "./words.js";

const KEYS = [
  ["Arrow keys", "go from move to move on the board, or along a list"],
  ["Tab", "go on to the next part: board, moves, controls"],
  ["Enter", "play the move that has the focus"],
  ["u", "undo"], ["r", "redo"], ["n", "new game from the same start"],
  ["h", "hide or show all hints"], ["l", "show the line of perfect play"],
  ["s", "swap sides"], ["g", "let the computer go on"], ["b", "play the best move"],
  ["p", "set up a position"], ["?", "this help"], ["Esc", "close"],
];

const ALONE = [
  "Every mark on the board is a move. Press it to make it.",
  "S is for solvable, U for unsolvable. The number counts the moves to the solution.",
];

const TWO = [
  "Every mark on the board is a move. Press it to play it.",
  "The letter says what the move is worth to who makes it: W wins, T ties, L loses, and after D play never ends. The number counts the moves to the end, if it is known.",
  "Point at a move to see the best reply.",
];

const STEPS = [
  "Men: press a man, then where it goes. The sign of a man is that of its best move.",
  "A move that takes a man elsewhere asks last which one.",
  "Boards that turn: put a stone, then press an arrow.",
  "Esc takes the first step back.",
];

const HISTORY = [
  "Each row is a position of the game; small signs are the moves that were not played.",
  "The farther to the left, the sooner the first player wins; the farther to the right, the sooner the second. Ties and draws lie in the middle.",
  "The signs are the first player's: W where the first player wins, L where the second does.",
];

const HISTORY_ALONE = [
  "Each row is a position of the game; small signs are the moves that were not made.",
  "What can be solved is on the left, the sooner the farther; what cannot is on the right.",
];

const several = (texts) => texts.map((text) => h("p", {}, text));

export function help() {
  const alone = isPuzzle();
  dialog("Help",
    legend(), several(alone ? ALONE : TWO),
    h("h3", {}, "Moves of two steps"), several(STEPS),
    h("h3", {}, "Value history"), several(alone ? HISTORY_ALONE : HISTORY),
    h("h3", {}, "Keys"),
    h("dl", { class: "keys" }, KEYS.filter(([key]) => !(alone && key === "s")).map(([key, text]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, text)])),
    h("h3", {}, "Sharing"),
    h("p", {}, "The address of the page holds the whole game: copy it to share a position."),
    h("p", {}, "Programs ask the same questions: ", h("a", { href: "/docs" }, "the API"), "."));
}
