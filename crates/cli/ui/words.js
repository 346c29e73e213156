// Values in words and letters, as every part of the page says them. A "worth" is
// {value, remoteness}, the latter null where only the winner is known, and a margin or a nimber in games that have one:
// for a position, to the player who moves there; for a move, to the player who makes it (the nimber is then that of what
// is left). A puzzle has one player, and its values are "solvable in so many moves" or "unsolvable".
const LETTERS = { win: "W", tie: "T", draw: "D", lose: "L" };
const NAMES = { win: "Win", tie: "Tie", draw: "Draw", lose: "Loss" };
const GROUPS = { win: "Winning", tie: "Tying", draw: "Drawing", lose: "Losing" };

export const count = (n) => n.toLocaleString("en-GB");
export const turns = (n) => (n === 1 ? "1 move" : `${count(n)} moves`);

let puzzle = false;

/** Says whether the page is about a puzzle. */
export function callPuzzle(is) { puzzle = Boolean(is); }

export const isPuzzle = () => puzzle;

/** `W3`, `T9`, `D`, `L4`, or `?`; in a puzzle `S3` or `U`. */
export function label(worth) {
  if (!worth?.value) return "?";
  if (puzzle) return worth.value === "win" ? `S${worth.remoteness ?? ""}` : "U";
  return LETTERS[worth.value] + (worth.value === "draw" ? "" : worth.remoteness ?? "");
}

/** ` by 8`, or nothing where there is no margin. */
const by = (worth) => (worth.margin ? ` by ${Math.abs(worth.margin)}` : "");

/** `, nimber 3`, or nothing where it is not known. */
const nimber = (worth) => (worth.nimber == null ? "" : `, nimber ${worth.nimber}`);

/** ` in 7 moves`, ` in 7 moves, by 8`, ` in 7 moves, nimber 3`, ` by 8`, or nothing. */
function how(worth) {
  if (worth.remoteness == null) return by(worth) + nimber(worth);
  return ` in ${turns(worth.remoteness)}${worth.margin ? "," : ""}${by(worth)}${nimber(worth)}`;
}

/** `Solvable in 7 moves`, or `Unsolvable`. */
const solution = (worth) => (worth.value === "win" ? `Solvable${how(worth)}` : "Unsolvable");

/** `Win in 7 moves`. */
export function phrase(worth) {
  if (!worth?.value) return "Not known";
  if (puzzle) return solution(worth);
  return NAMES[worth.value] + (worth.value === "draw" ? "" : how(worth));
}

export function group(worth) {
  if (puzzle && worth?.value) return worth.value === "win" ? "Solvable" : "Unsolvable";
  return GROUPS[worth?.value] ?? "Not known";
}

const PLAYERS = ["First player", "Second player"];
let players = PLAYERS;

/** Takes the names of the players from the sides of a board, if it has any. */
export function callPlayers(sides) {
  players = sides?.length === 2 ? sides.map((side) => side.name) : PLAYERS;
}

export const player = (turn) => (puzzle ? "The player" : players[turn - 1]);

/** A verb after a player's name: a name that ends in s is that of several. */
const does = (turn, one, many) => (player(turn).endsWith("s") ? many : one);

/** What the left and the right of the value history mean: `First wins`, `Crows win`; in a puzzle whether it can be solved. */
export function ends() {
  if (puzzle) return ["Solvable", "Unsolvable"];
  return [1, 2].map((turn) => `${player(turn).replace(" player", "")} ${does(turn, "wins", "win")}`);
}

/** 1 or 2 for the player who wins with perfect play, 0 for nobody, null for not known. */
export function winner(turn, worth) {
  switch (worth?.value) {
    case "win": return turn;
    case "lose": return 3 - turn;
    case "tie": case "draw": return 0;
    default: return null;
  }
}

/** `First player wins in 7 moves`. */
export function sentence(node) {
  if (puzzle && node.over) return node.value === "win" ? "Solved" : "Stuck: there is no move left";
  if (puzzle && node.value) return solution(node);
  const who = winner(node.turn, node);
  if (node.over) {
    if (who) return `${player(who)} ${does(who, "has", "have")} won${by(node)}`;
    return node.value === "tie" ? "The game is a tie" : "The game is over";
  }
  if (who === null) return "The value of this position is not known";
  if (node.value === "draw") return "Draw: play never ends";
  return who ? `${player(who)} ${does(who, "wins", "win")}${how(node)}` : `Tie${how(node)}`;
}

export function bytes(n) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let i = 0;
  while (n >= 1000 && i < units.length - 1) { n /= 1000; i += 1; }
  return `${i ? n.toFixed(1) : n} ${units[i]}`;
}
