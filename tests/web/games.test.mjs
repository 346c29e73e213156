// Each game: values on the board, whole games by mouse and by keyboard.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { browser, GAMES, marks, Server, shown, shows, visit } from "./harness.mjs";

const LETTERS = { win: "W", tie: "T", draw: "D", lose: "L" };
const SHAPES = { win: "circle", tie: "rect", draw: "polygon", lose: "polygon" };
let server;
let chrome;

before(async () => { server = await Server.start(); chrome = await browser(); });
after(async () => { await chrome?.close(); await server?.stop(); });

async function boardAgrees(page, game) {
  const node = await server.position(game, await shown(page));
  const seen = await marks(page);
  assert.equal(Object.keys(seen).length, node.moves.length, `marks at ${node.position}`);
  for (const move of node.moves) {
    const mark = seen[move.move];
    const { value, remoteness } = move.mover;
    const text = LETTERS[value] + (value === "draw" ? "" : remoteness);
    assert.deepEqual([mark.value, mark.text, mark.shape], [value, text, SHAPES[value]], `${move.move} at ${node.position}`);
    assert.match(mark.label, new RegExp({ win: "Win in", tie: "Tie in", draw: "Draw", lose: "Loss in" }[value]));
  }
  const rows = await page.$$eval(".moves .row-move", (all) => all.map((row) => [row.dataset.move, row.lastElementChild.textContent]));
  assert.deepEqual(rows.map(([name]) => name).sort(), node.moves.map((move) => move.move).sort());
  const by = ({ mover }) => (mover.margin ? `, by ${Math.abs(mover.margin)}` : "");
  assert.deepEqual(rows.map(([, text]) => /, by \d+$/.exec(text)?.[0] ?? ""), node.moves.map(by), `margins at ${node.position}`);
  if (node.margin && !node.over) assert.match(await page.textContent(".verdict"), new RegExp(`, by ${Math.abs(node.margin)}$`));
  return node;
}

for (const [name, game] of Object.entries(GAMES)) {
  test(`${name}: every value on the board is the server's, along a whole game by mouse`, async () => {
    await visit(chrome, server, game.path, async (page) => {
      await page.waitForSelector(".board .move");
      let node = await boardAgrees(page, game);
      let plies = 0;
      for (; !node.over && plies < 40; plies += 1) {
        // The last move of the list is the worst for its player: the game sees all values.
        const move = plies % 2 ? node.moves[0] : node.moves.at(-1);
        await page.hover(`.board .move[data-move="${move.move}"] .badge`);
        await page.waitForSelector(`.row-move.hot[data-move="${move.move}"]`);
        await page.click(`.board .move[data-move="${move.move}"] .badge`);
        await shows(page, move.position);
        node = await boardAgrees(page, game);
      }
      assert.ok(node.over, "the game ends");
      assert.match(await page.textContent(".verdict"), /has won|is a tie/);
      assert.equal(await page.$$eval(".history .node", (all) => all.length), plies + 1);
      assert.match(page.url(), /[?&]m=/);
    });
  });

  test(`${name}: a whole game by keyboard`, async () => {
    await visit(chrome, server, game.path, async (page) => {
      await page.waitForSelector(".board .move");
      await page.keyboard.press("ArrowDown"); // from nowhere to the first move
      let node = await server.position(game, null);
      for (let plies = 0; !node.over && plies < 40; plies += 1) {
        const start = await page.evaluate(() => document.activeElement.dataset.move);
        assert.ok(node.moves.some((move) => move.move === start), `a move has the focus: ${start}`);
        const seen = new Set([start]);
        for (const key of ["ArrowRight", "ArrowDown", "ArrowLeft"]) {
          await page.keyboard.press(key);
          seen.add(await page.evaluate(() => document.activeElement.dataset.move));
        }
        if (plies === 0) assert.ok(seen.size > 1, "arrow keys move the focus");
        const name = await page.evaluate(() => document.activeElement.dataset.move);
        await page.keyboard.press("Enter");
        const move = node.moves.find((one) => one.move === name);
        await shows(page, move.position);
        node = await server.position(game, move.position);
      }
      assert.ok(node.over, "the game ends");
      await page.keyboard.press("u");
      await page.waitForSelector(".board .move");
      await page.keyboard.press("r");
      await shows(page, node.position);
      await page.keyboard.press("n");
      await shows(page, (await server.position(game, null)).position);
    });
  });

  test(`${name}: the sentence, the reply and the line are the server's`, async () => {
    await visit(chrome, server, game.path, async (page) => {
      const node = await server.position(game, null);
      await page.waitForSelector(".board .move");
      const words = { win: `First player wins in ${node.remoteness} moves`, tie: `Tie in ${node.remoteness} moves`, lose: `Second player wins in ${node.remoteness} moves` };
      assert.ok((await page.textContent(".verdict")).includes(words[node.value]));
      const best = node.moves[0];
      const reply = (await server.position(game, best.position)).moves[0];
      await page.hover(`.row-move[data-move="${best.move}"]`);
      await page.waitForFunction((text) => document.querySelector(".preview").textContent.includes(text), `Best reply: ${reply.move}`);
      await page.waitForSelector(`.board .move.hot[data-move="${best.move}"]`);
      await page.keyboard.press("l");
      await page.waitForSelector(".line .step");
      const { line } = await server.api(`${game.game}/${game.variant}/line?p=${encodeURIComponent(node.position)}`);
      assert.equal(await page.$$eval(".line .step", (all) => all.length), line.length);
      await page.click(".line .step >> nth=2");
      await shows(page, line[2].position);
      assert.equal(await page.$$eval(".line .step[aria-current]", (all) => all.length), 1);
    });
  });
}

test("othello: a player who moves again is said to, and does", async () => {
  const { othello } = GAMES;
  // A game in which somebody cannot move before the end: found by looking, so that no rule need be known here.
  const find = async (position, moves) => {
    const node = await server.position(othello, position);
    for (const move of node.moves) {
      const after = await server.position(othello, move.position);
      if (!after.over && after.turn === node.turn) return { node, move, after, moves };
    }
    for (const move of node.moves) {
      const found = await find(move.position, [...moves, move.move]);
      if (found) return found;
    }
    return null;
  };
  const { node, move, after, moves } = await find(null, []);
  await visit(chrome, server, `${othello.path}?m=${moves.join(",")}`, async (page) => {
    await shows(page, node.position);
    await page.hover(`.row-move[data-move="${move.move}"]`);
    await page.waitForFunction((text) => document.querySelector(".preview").textContent.includes(text), `Best next move: ${after.moves[0].move}`);
    await page.click(`.board .move[data-move="${move.move}"] .badge`);
    await shows(page, after.position);
    const who = after.turn === 1 ? "First player" : "Second player";
    assert.match(await page.textContent(".turn"), new RegExp(`^${who} .*to move`));
    await page.waitForFunction((text) => document.querySelector("#live").textContent.includes(text), `${who} played ${move.move}. ${who} to move.`);
    await boardAgrees(page, othello);
  });
});
