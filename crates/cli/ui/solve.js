// Solving a small variant from the page, and watching it.
import * as api from "./api.js";
import { announce, h } from "./dom.js";

/** A button that starts a solve, then a bar that shows how far it is. */
export function solver(game, variant, { name, signal, done, running = false, begin = false }) {
  const box = h("div", { class: "solver" });
  const button = h("button", { type: "button", class: "main", "aria-label": `Solve ${name}`, onclick: start }, "Solve");

  async function start() {
    button.disabled = true;
    try {
      await api.solve(game, variant);
    } catch (error) {
      // 409: this or another one is being solved already; its progress tells.
      if (error.status !== 409) { wrong(error.message); return; }
    }
    await follow(true);
  }

  async function follow(started) {
    const bar = h("progress", { max: 1, value: 0, "aria-label": `Solving ${name}` });
    const text = h("span", { class: "note" }, "Solving…");
    box.replaceChildren(bar, text);
    announce(`Solving ${name}`);
    try {
      for (;;) {
        const now = await api.progress(game, variant, signal);
        if (now.state === "solved") { api.forget(); announce(`${name} is solved`); done(); return; }
        if (now.state === "failed") { wrong(now.error ?? "The solve failed."); return; }
        if (now.state === "none") {
          if (started) wrong("Another solve is running. Try again when it is done.");
          else box.replaceChildren(button);
          return;
        }
        bar.value = now.done ?? 0;
        const left = now.seconds_left == null ? "" : `, about ${Math.max(1, Math.ceil(now.seconds_left))} s left`;
        text.textContent = `${Math.floor((now.done ?? 0) * 100)} %${left}`;
        await new Promise((resolve) => { setTimeout(resolve, 300); });
      }
    } catch (error) {
      if (!api.isAbort(error)) wrong(error.message);
    }
  }

  function wrong(message) {
    button.disabled = false;
    button.textContent = "Try again";
    box.replaceChildren(h("span", { class: "wrong", role: "alert" }, message), button);
  }

  if (running) follow(false); else box.append(button);
  if (begin) start();
  return box;
}
