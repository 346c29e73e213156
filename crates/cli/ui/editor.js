// The board editor: a press on a cell puts the next piece there, or the one that was chosen.
import { boardFor } from "./board.js";
import { lookFor } from "./boards/index.js";
import { dialog, h, s } from "./dom.js";
import { player } from "./words.js";

/** What can stand on a cell: what the game says, or else what is seen of it. */
function kinds({ board, start }, pieces) {
  const told = board.sides?.flatMap((side) => side.men.map((man) => man.letter)) ?? [];
  return [...new Set(["-", ...(told.length ? told : ["x", "o", ...start.replace(/^[12]_/, ""), ...pieces])])];
}

/** `use(text)` tries a position and gives what is wrong with it, or nothing; `look(text)` gives the position. */
export async function edit({ info, node, use, look }) {
  let { pieces, turn } = node;
  let brush = null;
  const letters = kinds(info, pieces);
  const drawn = await lookFor(info);
  const Board = await boardFor(drawn);
  const text = h("input", { id: "editor-text", type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
  const wrong = h("p", { class: "wrong", role: "alert" });
  const board = new Board(drawn, {
    edit: (cell) => {
      const after = letters[(letters.indexOf(pieces[cell]) + 1) % letters.length];
      const next = brush === null ? after : brush === pieces[cell] ? "-" : brush;
      pieces = pieces.slice(0, cell) + next + pieces.slice(cell + 1);
      draw();
    },
  });
  const draw = () => {
    board.show({ pieces, moves: [], turn, over: false }, { hints: false, still: true });
    text.value = `${turn}_${pieces}`;
    wrong.textContent = "";
  };
  // The other way round too: at once where the text has the usual form, else when it is done.
  const take = (who, cells) => {
    [turn, pieces] = [Number(who), cells];
    board.show({ pieces, moves: [], turn }, { hints: false, still: true });
    form.elements.turn.value = who;
  };
  const usual = () => {
    const [, who, cells] = /^([12])_(.*)$/.exec(text.value.trim()) ?? [];
    return cells?.length === board.places.length ? [who, cells] : null;
  };
  text.addEventListener("input", () => { if (usual()) take(...usual()); });
  text.addEventListener("change", async () => {
    const asked = text.value;
    const found = usual() ? null : await look(asked.trim());
    if (found && asked === text.value) take(found.turn, found.pieces);
  });
  // Going round through many kinds takes long, so they can be chosen too.
  const choose = (letter) => h("button", {
    type: "button", class: "quiet", "data-piece": letter, "aria-label": `Put ${board.called(letter)}`, "aria-pressed": "false",
    onclick: () => {
      brush = brush === letter ? null : letter;
      for (const one of palette.querySelectorAll("button")) one.setAttribute("aria-pressed", String(one.dataset.piece === brush));
    },
  }, letter === "-" ? "✕" : s("svg", { viewBox: "-50 -50 100 100", "aria-hidden": "true" }, drawn.piece(letter, null, 100)));
  const [first, second] = (info.board.sides ?? []).map((side) => side.men.map((man) => choose(man.letter)));
  const palette = h("div", { class: "palette", role: "group", "aria-label": "Pieces to put" }, second && [first, choose("-"), second]);
  const radio = (value, name) => h("label", { class: "choice" },
    h("input", { type: "radio", name: "turn", value, checked: turn === value, onchange: () => { turn = value; draw(); } }), name);
  const form = h("form", {
    onsubmit: async (event) => {
      event.preventDefault();
      wrong.textContent = await use(text.value.trim());
      if (!wrong.textContent) box.close();
    },
  },
  h("p", { class: "note" }, second ? "Press a cell to change its piece, or choose a piece and press where to put it." : "Press a cell to change its piece."),
  board.element, palette,
  h("fieldset", { class: "row" }, h("legend", {}, "Whose turn"), radio(1, player(1)), radio(2, player(2))),
  h("label", { for: "editor-text" }, "As text"), text, wrong,
  h("div", { class: "row" },
    h("button", { class: "main" }, "Use this position"),
    h("button", { type: "button", onclick: () => { pieces = "-".repeat(pieces.length); turn = 1; form.elements.turn.value = "1"; draw(); } }, "Clear")));
  const box = dialog("Edit the board", form);
  box.classList.add("editing");
  draw();
}
