// What is to be seen of every game on a screen of some size.
import assert from "node:assert/strict";
import { SMALL, visit } from "./harness.mjs";

/** Plays moves from all over the list, so that there is more on the board than at the start. */
async function later(server, game, variant, plies) {
  const moves = [];
  for (let node = await server.api(`${game}/${variant}/position`); moves.length < plies && !node.over;) {
    const move = node.moves[(7 * moves.length + 3) % node.moves.length];
    const next = await server.api(`${game}/${variant}/position?p=${encodeURIComponent(move.position)}`);
    if (next.over) break;
    moves.push(move.move);
    node = next;
  }
  return moves.length ? `?m=${moves.map(encodeURIComponent).join(",")}` : "";
}

/** Values that lie on what must be read, as far as half a letter. */
const covered = (page) => page.evaluate(() => {
  const boxes = (selector) => [...document.querySelectorAll(selector)].map((one) => [one, one.getBoundingClientRect()]);
  const texts = boxes(".board :is(.pieces, .ground) text:is(.reads, .reads *), .board .pieces .reads:not(text)");
  return boxes(".board .marks .badge").flatMap(([badge, a]) => texts.filter(([, b]) => {
    // A line of text is taller than its letters.
    const [wide, tall] = [Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom - b.height * 0.18) - Math.max(a.top, b.top + b.height * 0.18)];
    return wide > 2 && tall > 2;
  }).map(([text]) => `${badge.textContent} on ${text.textContent || text.dataset.piece || text.parentNode.parentNode.className.baseVal}`));
});

const ready = (page) => page.waitForSelector(".board .move, .board .man");

/** No value of a game lies on what must be read, at the start and later, and in the middle of a move. */
async function readable(page, game) {
  assert.deepEqual(await covered(page), [], game);
  const men = await page.$$eval(".board .man", (all) => all.map((one) => one.dataset.cell));
  for (const cell of men.slice(0, 2)) {
    await page.focus(`.board .man[data-cell="${cell}"]`);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".board .move");
    assert.deepEqual(await covered(page), [], `${game}, from ${cell}`);
    await page.keyboard.press("Escape");
    await page.waitForSelector(`.board .man[data-cell="${cell}"][aria-pressed=false]`);
  }
}

/** Board, controls, players and moves of a game lie on the first screen. */
async function within(page, game, height) {
  const low = await page.evaluate(() => [".board", ".actions", ".players select", ".row-move"].map((one) => [one, Math.round(document.querySelector(one).getBoundingClientRect().bottom)]));
  assert.deepEqual(low.filter(([, bottom]) => bottom > height), [], `${game} on ${height}`);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${game} does not scroll sideways`);
}

/** The boards that people know, in full size. */
const KNOWN = { connect4: "default", othello: "default", morris: "default", quixo: "default", teeko: "default", hex: "default", quarto: "default", mnk: "rows=5,cols=5,line=4", dobutsu: "default" };

/** Looks at the well-known boards in full size, where nothing has to be scrolled for. */
export async function known(chrome, server, options) {
  await visit(chrome, server, "/", async (page) => {
    for (const [game, variant] of Object.entries(KNOWN)) {
      await page.goto(`${server.base}/${game}/${variant}`);
      await ready(page);
      await within(page, `${game}/${variant}`, options.viewport.height);
    }
  }, options);
}

/** Looks at all games. */
export async function look(chrome, server, options) {
  await visit(chrome, server, "/", async (page) => {
    for (const [game, variant] of Object.entries(SMALL)) {
      for (const plies of [0, 4]) {
        const query = plies ? await later(server, game, variant, plies) : "";
        if (plies && !query) continue;
        await page.goto(`${server.base}/${game}/${variant}${query}`);
        await ready(page);
        await readable(page, `${game}${query}`);
        if (!plies) await within(page, game, options.viewport.height);
      }
    }
  }, options);
}
