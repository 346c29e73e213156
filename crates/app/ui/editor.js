// The board editor: a press on a cell puts the next piece there.
import { Board } from "./board.js";
import { dialog, h } from "./dom.js";

/** `use(text)` tries a position and gives what is wrong with it, or nothing. */
export function edit({ info, node, use }) {
  let { pieces, turn } = node;
  const letters = [...new Set(["-", "x", "o", ...info.start.replace(/^[12]_/, ""), ...pieces])];
  const text = h("input", { id: "editor-text", type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
  const wrong = h("p", { class: "wrong", role: "alert" });
  const board = new Board(info.board, {
    edit: (cell) => {
      const next = letters[(letters.indexOf(pieces[cell]) + 1) % letters.length];
      pieces = pieces.slice(0, cell) + next + pieces.slice(cell + 1);
      draw();
    },
  });
  const draw = () => {
    board.show({ pieces, moves: [], turn }, { hints: false, still: true });
    text.value = `${turn}_${pieces}`;
    wrong.textContent = "";
  };
  // The other way round too, as far as the text has the usual form.
  text.addEventListener("input", () => {
    const [, who, cells] = /^([12])_(.*)$/.exec(text.value.trim()) ?? [];
    if (cells?.length !== info.board.cells.length) return;
    [turn, pieces] = [Number(who), cells];
    board.show({ pieces, moves: [], turn }, { hints: false, still: true });
    form.elements.turn.value = who;
  });
  const radio = (value, name) => h("label", { class: "choice" },
    h("input", { type: "radio", name: "turn", value, checked: turn === value, onchange: () => { turn = value; draw(); } }), name);
  const form = h("form", {
    onsubmit: async (event) => {
      event.preventDefault();
      wrong.textContent = await use(text.value.trim());
      if (!wrong.textContent) box.close();
    },
  },
  h("p", { class: "note" }, "Press a cell to change its piece."),
  board.element,
  h("fieldset", { class: "row" }, h("legend", {}, "Whose turn"), radio(1, "First player"), radio(2, "Second player")),
  h("label", { for: "editor-text" }, "As text"), text, wrong,
  h("div", { class: "row" },
    h("button", { class: "main" }, "Use this position"),
    h("button", { type: "button", onclick: () => { pieces = "-".repeat(pieces.length); turn = 1; form.elements.turn.value = "1"; draw(); } }, "Clear")));
  const box = dialog("Edit the board", form);
  box.classList.add("editing");
  draw();
}
