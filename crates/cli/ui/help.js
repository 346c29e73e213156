// The help, which is loaded when it is first asked for.
import { dialog, h } from "./dom.js";
import { legend } from "./shapes.js";

const HELP = [
  ["Arrow keys", "go from move to move on the board, or along a list"],
  ["Tab", "go on to the next part: board, moves, controls"],
  ["Enter", "play the move that has the focus"],
  ["u", "undo"], ["r", "redo"], ["n", "new game from the same start"],
  ["h", "hide or show all hints"], ["l", "show the line of perfect play"],
  ["s", "swap sides"], ["g", "let the computer go on"], ["b", "play the best move"],
  ["p", "set up a position"], ["?", "this help"], ["Esc", "close"],
];

export function help() {
  dialog("Help",
    legend(),
    h("p", {}, "Every mark on the board is a move. Its sign says what it is worth to the player who makes it: W for a win, T for a tie, D for a draw in which play never ends, L for a loss, with the number of moves to the end where that is known. Point at a move to see the best reply; press it to play it. Where men stand on points, press a man first: its sign is that of its best move, and then every point it can go to has one; Esc puts it back. A move that takes a man elsewhere asks which one last. Where parts of the board turn, put a stone first and then press an arrow; Esc, or a press elsewhere, takes the stone back."),
    h("h3", {}, "Keys"),
    h("dl", { class: "keys" }, HELP.map(([key, text]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, text)])),
    h("h3", {}, "Value history"),
    h("p", {}, "Each row is a position of the game. The farther to the left, the sooner the first player wins; the farther to the right, the sooner the second. Ties and draws lie in the middle. Of a puzzle, what can be solved is on the left, the sooner the farther, and what cannot on the right. Small signs are the moves that were not played."),
    h("p", {}, "The address of the page holds the whole game: copy it to share a position. Programs may use the same answers: ", h("a", { href: "/api/v1/openapi.json" }, "the API"), "."));
}
