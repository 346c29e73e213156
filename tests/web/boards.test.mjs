// Boards and pieces: every game has its own, moves and wins are seen; and the first page, which shows them all.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { HIDDEN } from "../../crates/cli/ui/names.js";
import { browser, GAMES, Server, shown, shows, SMALL, visit } from "./harness.mjs";

let server;
let chrome;

before(async () => { server = await Server.start({ games: [GAMES.mnk, GAMES.connect4, GAMES.othello] }); chrome = await browser(); });
after(async () => { await chrome?.close(); await server?.stop(); });

const ready = (page) => page.waitForSelector(".board .move, .board .man");
/** The moves of what is drawn on the board that have not ended. */
const moving = (page) => page.evaluate(() => document.getAnimations().filter((one) => one.effect.target.closest?.(".board .pieces, .board .leaving, .board .win") && one.playState === "running").length);
const stillness = (page) => page.evaluate(() => Promise.all(document.getAnimations().map((one) => one.finished.catch(() => {}))));

test("every game has a board of its own", async () => {
  const games = await (await fetch(`${server.base}/api/v1/games`)).json();
  assert.deepEqual(games.map((game) => game.id).filter((id) => !HIDDEN.includes(id)).sort(), Object.keys(SMALL).sort());
  for (const [game, variant] of Object.entries(SMALL)) {
    await visit(chrome, server, `/${game}/${variant}`, async (page) => {
      await ready(page);
      assert.equal(await page.getAttribute(".board", "data-look"), game);
      assert.equal(await page.$$eval(".board .p1, .board .p2, .board .letter", (all) => all.length), 0, `${game} has no pieces of the general kind`);
      const node = await server.api(`${game}/${variant}/position`);
      const pieces = await page.$$eval(".board .pieces > [data-cell]", (all) => all.length);
      assert.ok(pieces >= (/[^-]/.test(node.pieces) ? 1 : 0), `${game} shows its pieces`);
    });
  }
});

test("counts and numbers of pieces can be read", async () => {
  await visit(chrome, server, "/kalah/default", async (page) => {
    await ready(page);
    const { pieces } = await server.api("kalah/default/position");
    const counts = await page.$$eval(".board .pieces [data-cell]", (all) => all.map((one) => one.querySelector("text").textContent));
    assert.deepEqual(counts, [...pieces].map((one) => (one === "-" ? "0" : one)));
  });
  await visit(chrome, server, "/slide/default", async (page) => {
    await ready(page);
    const { pieces } = await server.api("slide/default/position");
    assert.equal(await page.$$eval(".board .tile text", (all) => all.map((one) => one.textContent).join("")), pieces.replace("-", ""));
  });
  await visit(chrome, server, "/quarto/rows=3,attributes=3", async (page) => {
    await ready(page);
    const drawn = await page.$$eval(".board .quarto", (all) => all.map((one) => one.firstElementChild.innerHTML));
    assert.equal(new Set(drawn).size, 8, "no two pieces look alike");
  });
});

test("discs drop and turn over, and come to rest", async () => {
  await visit(chrome, server, `${GAMES.connect4.path}?m=1`, async (page) => {
    await ready(page);
    await page.click(".board .move[data-move='3'] .badge");
    await page.waitForSelector(".board .pieces [data-cell='14']");
    assert.ok(await moving(page) >= 1, "a disc drops");
    await stillness(page);
    const [disc, hole] = await page.evaluate(() => [".pieces [data-cell='14']", ".tiles > :nth-child(15)"].map((one) => {
      const box = document.querySelector(`.board ${one}`).getBoundingClientRect();
      return [box.x + box.width / 2, box.y + box.height / 2];
    }));
    assert.ok(Math.hypot(disc[0] - hole[0], disc[1] - hole[1]) < 2, "and lies in its hole");
  });
  await visit(chrome, server, GAMES.othello.path, async (page) => {
    await ready(page);
    const { moves } = await server.position(GAMES.othello, null);
    await page.click(`.board .move[data-move="${moves[0].move}"] .badge`);
    await shows(page, moves[0].position);
    assert.ok(await moving(page) >= 2, "a disc turns over");
    await stillness(page);
    await page.waitForFunction(() => [...document.querySelectorAll(".board .pieces > *")].every((one) => one.children.length === 1));
    const { pieces } = await server.position(GAMES.othello, moves[0].position);
    const faces = await page.$$eval(".board .pieces > *", (all) => all.map((one) => [one.dataset.cell, one.querySelector("circle").getAttribute("fill")]));
    assert.equal(new Set(faces.filter(([cell]) => pieces[cell] === "x").map(([, face]) => face)).size, 1);
    assert.equal(faces.length, 5);
  });
});

test("nothing moves for those who prefer reduced motion", async () => {
  for (const [path, move] of [[GAMES.connect4.path, "2"], [GAMES.mnk.path, "b2"], [GAMES.othello.path, null]]) {
    await visit(chrome, server, path, async (page) => {
      await ready(page);
      const before = await shown(page);
      await page.click(move ? `.board .move[data-move="${move}"] .badge` : ".board .move .badge >> nth=0");
      await page.waitForFunction((text) => document.querySelector("[data-position]").dataset.position !== text, before);
      assert.equal(await page.evaluate(() => document.getAnimations().length), 0, path);
      assert.equal(await page.$$eval(".board .leaving *", (all) => all.length), 0);
    }, { reducedMotion: "reduce" });
  }
});

test("the line that won is shown, and none while the game goes on or is a tie", async () => {
  const won = async (path, cells) => {
    await visit(chrome, server, path, async (page) => {
      await page.waitForFunction(() => /has won/.test(document.querySelector(".verdict")?.textContent));
      const points = await page.$$eval(".board .win-line:not(.casing)", (all) => all.map((one) => one.getAttribute("points").split(" ").length));
      assert.deepEqual(points, [cells], path);
      const ends = await page.evaluate(() => {
        const line = document.querySelector(".board .win-line").points;
        const places = [...document.querySelectorAll(".board .pieces > [transform]")].map((one) => one.transform.baseVal[0].matrix);
        return [0, line.length - 1].every((n) => places.some(({ e, f }) => Math.hypot(e - line[n].x, f - line[n].y) < 1));
      });
      assert.ok(ends, `${path}: from piece to piece`);
    });
  };
  await won(`${GAMES.mnk.path}?m=b2,a1,b1,a3,b3`, 3);
  await won(`${GAMES.connect4.path}?m=1,2,1,2,1,2,1`, 4);
  await won("/hex/rows=3,cols=3?m=b2,a1,b1,a2,b3", 3);
  await visit(chrome, server, `${GAMES.mnk.path}?m=b2,a1,b1`, async (page) => {
    await ready(page);
    assert.equal(await page.$$eval(".win > *", (all) => all.length), 0);
  });
  await visit(chrome, server, `${GAMES.mnk.path}?m=b2,a1,a2,c2,b1,b3,a3,c1,c3`, async (page) => {
    await page.waitForFunction(() => /tie/.test(document.querySelector(".verdict")?.textContent));
    assert.equal(await page.$$eval(".win > *", (all) => all.length), 0);
  });
});

test("dominoes are drawn as they were laid", async () => {
  await visit(chrome, server, "/domineering/rows=3,cols=4?m=a3-a2,b3-c3,d3-d2", async (page) => {
    await ready(page);
    await page.waitForFunction(() => document.querySelectorAll(".history .node").length === 4);
    const dominoes = await page.$$eval(".board .pieces .domino", (all) => all.map((one) => { const box = one.getBoundingClientRect(); return box.width > box.height ? "lies" : "stands"; }));
    assert.deepEqual(dominoes.sort(), ["lies", "stands", "stands"]);
  });
});

test("a long link shows its position first and its history afterwards", async () => {
  const moves = "1,2,1,2,2,1,3,3,4";
  const end = (await server.api(`${GAMES.connect4.game}/${GAMES.connect4.variant}/position?m=${moves}`)).position;
  await visit(chrome, server, "/", async (page) => {
    let held = 0;
    await page.route("**/position*", async (route) => {
      if (!/[?&]m=/.test(route.request().url())) { held += 1; await new Promise((go) => { setTimeout(go, 250); }); }
      await route.continue();
    });
    await page.goto(`${server.base}${GAMES.connect4.path}?m=${moves}`);
    await shows(page, end);
    assert.equal(await page.$$eval(".history .node", (all) => all.length), 0, "the history is not there yet");
    assert.equal(await page.$$eval(".board .pieces > *", (all) => all.length), 9);
    // It can be played on before that.
    await page.click(".board .move >> nth=0");
    await page.waitForFunction((text) => document.querySelector("[data-position]").dataset.position !== text, end);
    await page.goBack();
    await shows(page, end);
    await page.waitForFunction(() => document.querySelectorAll(".history .node").length === 10);
    assert.ok(held > 5);
    assert.equal(await shown(page), end);
    await page.keyboard.press("u");
    await page.waitForFunction((text) => document.querySelector("[data-position]").dataset.position !== text, end);
  });
});

test("what is said of a variant that is not solved is true", async () => {
  await visit(chrome, server, "/mnk/rows=2,cols=4", async (page) => {
    await ready(page);
    assert.match(await page.textContent(".notice"), /not solved as a whole\. All values here are known, found by search\. Solve it here/);
  });
  await visit(chrome, server, "/quixo/default", async (page) => {
    await ready(page);
    assert.match(await page.textContent(".notice"), /No values are known here\. It is too large to be solved from this page/);
  });
  await visit(chrome, server, GAMES.mnk.path, async (page) => {
    await ready(page);
    assert.equal(await page.$(".notice"), null);
  });
  await visit(chrome, server, "/slide/default", async (page) => {
    await ready(page);
    assert.equal(await page.$("[data-action=swap]"), null, "a puzzle has nobody to swap with");
  });
});

test("home: pictures, games people know first, and the names people look for", async () => {
  await visit(chrome, server, "/", async (page) => {
    await page.waitForSelector(".thumb[data-game=connect4] .picture");
    const first = await page.$$eval(".shelf:first-of-type .game-card h3", (all) => all.map((one) => one.textContent));
    assert.deepEqual(first.slice(0, 3), ["Connect 4", "Tic-tac-toe", "Othello"]);
    assert.doesNotMatch(await page.textContent("main"), /m,n,k|meaningless/);
    const names = await page.$$eval("[data-game=connect4] .variant-name", (all) => all.map((one) => one.textContent));
    assert.deepEqual(names.sort(), ["4 x 4", "5 x 4", "6 x 7"]);
    const found = async (text) => {
      await page.fill("#search", text);
      return page.$$eval(".game-card", (all) => all.filter((card) => !card.hidden).map((card) => card.dataset.game));
    };
    for (const [text, game] of [["reversi", "othello"], ["mancala", "kalah"], ["noughts", "mnk"], ["tictactoe", "mnk"], ["tic tac", "mnk"], ["tic", "mnk"],
      ["connect-4", "connect4"], ["mill", "morris"], ["8-puzzle", "slide"], ["chinese chess", "xiangqi"], ["animal", "dobutsu"]]) {
      assert.ok((await found(text)).includes(game), text);
    }
    assert.deepEqual(await found("reversi"), ["othello"]);
    const square = await found("4 x 4");
    assert.ok(square.includes("connect4") && square.includes("mnk") && !square.includes("xiangqi"), square.join());
    assert.deepEqual(await found("4x4"), square);
    assert.deepEqual(await page.$$eval("[data-game=connect4] .variant", (all) => all.filter((row) => !row.hidden).map((row) => row.dataset.variant)), ["rows=4,cols=4"]);
    assert.deepEqual(await found("tic"), ["mnk"], "not every game with the letters somewhere");
    assert.deepEqual(await found("meaningless"), []);
    await page.fill("#search", "");
    // Every picture comes when it is looked at.
    for (const game of Object.keys(SMALL)) {
      await page.locator(`.thumb[data-game=${game}]`).scrollIntoViewIfNeeded();
      await page.waitForSelector(`.thumb[data-game=${game}] .picture[data-picture=${game}]`);
    }
    await page.click("[data-game=mnk] >> text=Play");
    await page.waitForSelector(".board[data-look=mnk]");
    assert.match(await page.title(), /Tic-tac-toe · 3 x 3/);
  });
});
