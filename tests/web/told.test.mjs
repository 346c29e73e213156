// What the page says is true, and said as people say it: banners, help, signs of the history, large numbers.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { browser, GAMES, Server, visit } from "./harness.mjs";

let server;
let chrome;

before(async () => { server = await Server.start({ games: [GAMES.mnk, GAMES.quixo] }); chrome = await browser(); });
after(async () => { await chrome?.close(); await server?.stop(); });

test("the history has one sign along a line that one side wins, with the distance that the page tells there", async () => {
  const lost = "1_-o-ox----"; // in eight moves
  const best = (await server.position(GAMES.quixo, lost)).moves[0];
  const next = (await server.position(GAMES.quixo, best.position)).moves[0];
  for (const [path, sign] of [[`${GAMES.mnk.path}?m=b2,b1,a1,c3,a3`, "W"], [`${GAMES.quixo.path}?p=${lost}&m=${best.move},${next.move}`, "L"]]) {
    await visit(chrome, server, path, async (page) => {
      await page.waitForSelector(".history .node .badge");
      const nodes = await page.$$eval(".history .node", (all) => all.map((one) => [one.querySelector(".badge text").textContent, one.getAttribute("aria-label")]));
      const won = nodes.filter(([text]) => !text.startsWith("T"));
      assert.ok(won.length > 0 && won.every(([text]) => text.startsWith(sign)), JSON.stringify(nodes));
      for (const [text, label] of won) assert.ok(label.includes(`in ${text.slice(1)} move`), label);
    });
  }
});

test("banners say what is known of the position that is shown", async () => {
  for (const [values, value, says] of [
    [[null, null], "lose", /value of this position is known, found by search; those of its moves are not/],
    [[null, null], null, /No values are known here/],
    [["win", "lose"], "win", /All values here are known, found by search\. Solve it here to know the rest/],
    [["win", null], "win", /1 of 2 values here are known/],
  ]) {
    const moves = values.map((one, i) => ({ move: `m${i}`, position: "2_x---", value: null, remoteness: null, mover: one && { value: one, remoteness: 3 }, drawing: { cell: i } }));
    const node = { position: "1_----", turn: 1, pieces: "----", over: false, value, remoteness: value && 12, source: value ? "search" : "none", moves };
    const info = { game: "new", variant: "default", title: "New", name: "a", rules: "About 4.5 * 10^12 positions, or 10^19.", notation: "", state: "unsolved", solvable: true, start: "1_----",
      board: { width: 2, height: 2, cells: [[0.5, 0.5], [1.5, 0.5], [0.5, 1.5], [1.5, 1.5]], names: ["a", "b", "c", "d"] }, database: null };
    await visit(chrome, server, "/", async (page) => {
      await page.route("**/api/v1/games/new/**", (route) => route.fulfill({ json: /position/.test(route.request().url()) ? node : info }));
      await page.goto(`${server.base}/new/default`);
      await page.waitForSelector(".board .move");
      assert.match(await page.textContent(".notice"), says);
      assert.match(await page.textContent(".prose"), /About 4\.5 × 10¹² positions, or 10¹⁹\./);
    });
  }
});

test("no page writes powers of ten with a caret", async () => {
  for (const path of ["/", "/connect4", "/pentago", "/connect4/default"]) {
    await visit(chrome, server, path, async (page) => {
      await page.waitForSelector("h1");
      await page.waitForLoadState("networkidle");
      assert.doesNotMatch(await page.textContent("main"), /10\^/, path);
      if (path === "/connect4") assert.match(await page.textContent("main"), /4\.5 × 10¹² positions/);
    });
  }
});

test("help begins with the signs, and its paragraphs are short", async () => {
  await visit(chrome, server, GAMES.mnk.path, async (page) => {
    await page.waitForSelector(".board .move");
    await page.click("#help");
    await page.waitForSelector("dialog .keys");
    assert.equal(await page.$eval(".dialog-body", (one) => one.firstElementChild.className), "legend");
    const long = await page.$$eval(".dialog-body p", (all) => all.map((one) => one.textContent.split(/\s+/).length).filter((n) => n > 40));
    assert.deepEqual(long, []);
    assert.match(await page.textContent(".dialog-body"), /swap sides/);
  });
});

test("a puzzle has one player and nothing to swap", async () => {
  await visit(chrome, server, "/slide/rows=2,cols=3", async (page) => {
    await page.waitForSelector(".board .move, .board .man");
    assert.equal(await page.textContent("#players-title"), "Player");
    assert.equal(await page.$$eval(".players select", (all) => all.length), 1);
    assert.equal(await page.$$eval("[data-action=swap]", (all) => all.length), 0);
    await page.keyboard.press("s");
    assert.equal(await page.inputValue("#seat-0"), "human");
    await page.click("#help");
    await page.waitForSelector("dialog .keys");
    assert.doesNotMatch(await page.textContent(".dialog-body"), /swap sides/);
  });
});
