// What is known of a variant that is not solved, and a way to solve it.
import { h } from "./dom.js";

const FROM = { search: "found by search", slices: "from the published files", book: "from the book", database: "from a solved part" };

export class Known {
  constructor({ info, route, signal, reload }) {
    Object.assign(this, { info, route, signal, reload });
    this.text = h("p");
    this.element = info.state === "solved" ? "" : h("div", { class: "card notice" }, this.text);
    if (info.solvable && info.state !== "solved") this.offer();
  }

  async offer() {
    const { info, route, signal, reload } = this;
    const { solver } = await import("./solve.js");
    this.element.append(solver(route.game, route.variant, { name: `${info.title} ${info.name}`, signal, done: reload, running: info.state === "begun" }));
  }

  /** Says what is true of the present position. */
  show({ moves, over, source, value }) {
    const { solvable, state } = this.info;
    if (state === "solved") return;
    const values = moves.filter((move) => move.mover?.value).length;
    const how = values && FROM[source] ? `, ${FROM[source]}` : "";
    const all = values === moves.length;
    const here = over ? "" : all ? ` All values here are known${how}.` : values ? ` ${values} of ${moves.length} values here are known${how}.` : value ? ` The value of this position is known${FROM[source] ? `, ${FROM[source]}` : ""}; those of its moves are not.` : " No values are known here.";
    this.text.textContent = `This variant is not solved as a whole.${here}${solvable ? ` Solve it here to know ${all ? "the rest" : "all"}.` : " It is too large to be solved from this page."}`;
  }
}
