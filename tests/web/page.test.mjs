// What the page does around a game.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { HIDDEN } from "../../crates/cli/ui/names.js";
import { browser, GAMES, marks, Server, shown, shows, visit } from "./harness.mjs";

const { mnk, quixo, connect4 } = GAMES;
let server;
let chrome;

before(async () => { server = await Server.start(); chrome = await browser(); });
after(async () => { await chrome?.close(); await server?.stop(); });

const play = async (page, move) => {
  await page.click(`.row-move[data-move="${move}"] button`);
};

test("a link holds the whole game", async () => {
  await visit(chrome, server, `${mnk.path}?m=b2,a1,c3&at=2`, async (page) => {
    await shows(page, "1_----x-o--");
    assert.equal(await page.$$eval(".history .node", (all) => all.length), 4);
    await page.click("[data-action=redo]");
    await shows(page, "2_--x-x-o--");
    await page.click(".history .node[data-ply='1']");
    await shows(page, "2_----x----");
    assert.match(page.url(), /at=1/);
  });
  await visit(chrome, server, `${connect4.path}?p=2_------------x---&m=1`, (page) => shows(page, "1_--------o---x---"));
});

test("the back button goes through the game", async () => {
  await visit(chrome, server, mnk.path, async (page) => {
    await shows(page, "1_---------");
    await play(page, "b2");
    await shows(page, "2_----x----");
    await play(page, "a1");
    await shows(page, "1_----x-o--");
    await page.goBack();
    await shows(page, "2_----x----");
    await page.goBack();
    await shows(page, "1_---------");
    await page.goForward();
    await shows(page, "2_----x----");
  });
});

test("undo, redo, restart; an alternative of the history", async () => {
  await visit(chrome, server, `${mnk.path}?m=b2,b1`, async (page) => {
    await shows(page, "1_----x--o-");
    await page.click("[data-action=undo]");
    await shows(page, "2_----x----");
    await page.click("[data-action=redo]");
    await shows(page, "1_----x--o-");
    await page.click(".history .other.v-tie[data-ply='2']");
    await page.waitForFunction(() => !document.querySelector("[data-position='1_----x--o-']"));
    assert.match(await shown(page), /^1_.*o/);
    await page.click("[data-action=restart]");
    await shows(page, "1_---------");
  });
});

test("hidden hints tell nothing", async () => {
  await visit(chrome, server, `${mnk.path}?m=b2,b1`, async (page) => {
    await shows(page, "1_----x--o-");
    await page.keyboard.press("h");
    await page.waitForSelector(".board .plain");
    assert.equal(await page.$$eval(".badge", (all) => all.filter((one) => one.checkVisibility()).length), 0);
    assert.ok(!(await page.isVisible(".history")));
    const text = await page.innerText(".stage .play") + await page.innerText(".moves") + await page.innerText("#live");
    assert.doesNotMatch(text, /\b(win|wins|tie|loss|lose)\b/i);
    const labels = await page.$$eval(".board .move", (all) => all.map((one) => `${one.getAttribute("aria-label")} ${JSON.stringify(one.dataset)}`));
    assert.doesNotMatch(labels.join(), /win|tie|loss|lose/i);
    const rows = await page.$$eval(".row-move", (all) => all.map((row) => row.dataset.move));
    assert.deepEqual(rows, [...rows].sort(), "the order of the moves does not tell");
    await page.keyboard.press("h");
    await page.waitForSelector(".board .badge");
  });
});

test("a position by text", async () => {
  await visit(chrome, server, quixo.path, async (page) => {
    await page.waitForSelector(".board .move");
    await page.fill("#position-text", "1_o-x---x-o");
    await page.click(".positions button:has-text('Set')");
    await shows(page, "1_o-x---x-o");
    const node = await server.position(quixo, "1_o-x---x-o");
    assert.equal(Object.keys(await marks(page)).length, node.moves.length);
    assert.match(page.url(), /p=1_o-x---x-o/);
  });
});

test("a position by the editor, with mouse and keys", async () => {
  await visit(chrome, server, mnk.path, async (page) => {
    await page.waitForSelector(".board .move");
    await page.click("[data-action=edit]");
    await page.click("dialog .tiles > :nth-child(1)");
    await page.focus("dialog .tiles > :nth-child(5)");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    assert.equal(await page.inputValue("#editor-text"), "1_x---o----");
    await page.click("dialog >> text=Use this position");
    await shows(page, "1_x---o----");
    // Two stones of one player more than of the other: the server refuses and says why.
    await page.keyboard.press("p");
    await page.click("dialog .tiles > :nth-child(2)");
    await page.click("dialog >> text=Use this position");
    await page.waitForSelector("dialog .wrong:not(:empty)");
    await page.click("dialog >> text=Second player");
    await page.click("dialog >> text=Use this position");
    await shows(page, "2_xx--o----");
  }, { allow: [/status of 400/] });
});

test("a bad position, a bad move and an unknown game are explained", async () => {
  const allow = [/status of 40[04]/];
  await visit(chrome, server, `${mnk.path}?p=1_xxxxxxxxx`, async (page) => {
    const { error } = await server.position(mnk, "1_xxxxxxxxx");
    assert.ok(error);
    assert.ok((await page.innerText(".problem")).includes(error));
    await page.click(".problem >> text=Usual start");
    await shows(page, "1_---------");
    await page.waitForSelector(".board .move");
  }, { allow });
  await visit(chrome, server, `${mnk.path}?m=b2,b2`, async (page) => {
    assert.match(await page.innerText(".problem"), /Move 2.*b2.*not legal/);
    await page.click(".problem >> text=before it");
    await shows(page, "2_----x----");
  });
  await visit(chrome, server, "/chess/default", async (page) => {
    assert.match(await page.innerText(".problem"), /chess/);
    await page.click(".problem >> text=All games");
    await page.waitForSelector(".game-card");
  }, { allow });
  await visit(chrome, server, mnk.path, async (page) => {
    await page.waitForSelector(".board .move");
    await page.fill("#position-text", "nonsense");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".positions .wrong:not(:empty)");
    assert.equal(await shown(page), "1_---------", "the game goes on");
  }, { allow });
});

test("a random position of a wanted value", async () => {
  await visit(chrome, server, mnk.path, async (page) => {
    await page.waitForSelector(".board .move");
    await page.selectOption("#random-value", "lose");
    await page.fill("#random-far", "4");
    await page.click(".positions >> text=Roll");
    await page.waitForFunction(() => document.querySelector(".verdict").textContent.includes("in 4 moves"));
    const node = await server.position(mnk, await shown(page));
    assert.deepEqual([node.value, node.remoteness], ["lose", 4]);
    await page.fill("#random-far", "777");
    await page.click(".positions >> text=Roll");
    await page.waitForSelector(".positions .wrong:not(:empty)");
  }, { allow: [/status of 40[04]/] });
});

test("the computer plays perfectly, undo skips its move, sides can be swapped", async () => {
  await visit(chrome, server, mnk.path, async (page) => {
    await page.waitForSelector(".board .move");
    await page.selectOption("#seat-1", "computer");
    await play(page, "b1");
    await page.waitForFunction(() => document.querySelectorAll(".history .node").length === 3);
    const moves = (await server.position(mnk, "2_-------x-")).moves;
    const answer = moves.find((move) => page.url().endsWith(`,${move.move}`));
    assert.deepEqual(answer.mover, moves[0].mover, "a best move");
    await page.keyboard.press("u");
    await shows(page, "1_---------");
    await page.keyboard.press("s");
    assert.equal(await page.inputValue("#seat-0"), "computer");
    await page.keyboard.press("n");
    await page.waitForFunction(() => document.querySelectorAll(".history .node").length === 2);
    // Both computers: a perfect game of tic-tac-toe is a tie.
    await page.selectOption("#seat-1", "computer");
    await page.waitForFunction(() => /is a tie/.test(document.querySelector(".verdict").textContent), null, { timeout: 20000 });
  });
});

test("strength and the stubborn loser", async () => {
  await visit(chrome, server, mnk.path, async (page) => {
    await page.waitForSelector(".board .move");
    const found = await page.evaluate(async () => {
      const { choose } = await import("/ui/player.js");
      const moves = [["a", "win", 3], ["b", "lose", 2], ["c", "lose", 6], ["d", "win", 1], ["e", "tie", 4]]
        .map(([move, value, remoteness]) => ({ move, mover: { value, remoteness } }));
      const often = (player) => {
        const seen = {};
        for (let i = 0; i < 2000; i += 1) { const { move } = choose(moves, player); seen[move] = (seen[move] ?? 0) + 1; }
        return seen;
      };
      return { perfect: often({ kind: "computer", strength: 1 }), random: often({ kind: "computer", strength: 0 }), half: often({ kind: "computer", strength: 0.5 }), loser: often({ kind: "loser", strength: 1 }) };
    });
    assert.deepEqual(found.perfect, { d: 2000 });
    assert.deepEqual(found.loser, { c: 2000 });
    assert.equal(Object.keys(found.random).length, 5);
    assert.ok(found.random.d < 600 && found.half.d > 1000 && found.half.d < 1400, JSON.stringify(found.half));
  });
});

test("save and load", async () => {
  await visit(chrome, server, `${quixo.path}?m=a3-c3,b3-b1&at=1`, async (page) => {
    await page.waitForSelector(".board .move");
    const position = await shown(page);
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("[data-action=save]")]);
    const file = await download.path();
    assert.match(readFileSync(file, "utf8"), /^Zermelo game\ngame: quixo\nvariant: rows=3,cols=3,line=3\n[^]*moves: a3-c3 b3-b1\nat: 1\n/);
    await page.click("[data-action=restart]");
    await shows(page, "1_---------");
    await page.setInputFiles("input[type=file]", file);
    await shows(page, position);
    assert.match(page.url(), /m=a3-c3,b3-b1&at=1/);
    await page.setInputFiles("input[type=file]", { name: "x.txt", mimeType: "text/plain", buffer: Buffer.from("hello") });
    await page.waitForSelector(".positions .wrong:not(:empty)");
  });
});

test("statistics: the plot and the table have the server's figures", async () => {
  await visit(chrome, server, `${mnk.path}/statistics`, async (page) => {
    await page.waitForSelector(".plot");
    const figures = await server.api("mnk/default/statistics");
    const points = Object.values(figures.counts).reduce((all, row) => all + (typeof row === "object" ? Object.keys(row).length : 0), 0);
    assert.equal(await page.$$eval(".plot .series > g", (all) => all.length), points);
    assert.equal(await page.$$eval(".plot .v-draw", (all) => all.length), 0, "tic-tac-toe has no draws");
    const cells = await page.$$eval(".figures tbody tr", (all) => Object.fromEntries(all.map((row) => [row.children[0].textContent, [...row.children].slice(1).map((cell) => Number(cell.textContent.replaceAll(",", "")))])));
    for (const [i, value] of ["win", "tie", "lose"].entries()) {
      for (const [far, n] of Object.entries(figures.counts[value])) assert.equal(cells[far][i], n, `${value} in ${far}`);
    }
    await page.click(".longest a >> nth=0");
    await shows(page, figures.longest.win.position);
  });
});

test("home: states, search, and a solve from the page", async () => {
  await visit(chrome, server, "/", async (page) => {
    await page.waitForSelector(".game-card");
    const games = await (await fetch(`${server.base}/api/v1/games`)).json();
    const told = games.filter((game) => !HIDDEN.includes(game.id));
    assert.equal(await page.$$eval(".variant", (all) => all.length), told.flatMap((game) => game.variants).length);
    assert.match(await page.textContent("[data-game=mnk] [data-variant=default]"), /Solved/);
    await page.fill("#search", "quixo");
    assert.deepEqual(await page.$$eval(".game-card", (all) => all.filter((card) => !card.hidden).map((card) => card.dataset.game)), ["quixo"]);
    await page.fill("#search", "zzz");
    assert.ok(await page.isVisible("text=No game matches"));
    await page.fill("#search", "");
    const row = page.locator(".variant:has(.solver)").first();
    await row.evaluate((one) => { one.closest("details").open = true; });
    const [game, variant] = await row.evaluate((one) => [one.closest("[data-game]").dataset.game, one.dataset.variant]);
    await row.locator("button").click();
    const same = `[data-game="${game}"] [data-variant="${variant}"]`;
    await page.waitForSelector(`${same} .state.solved`, { timeout: 60000 });
    await page.click(`${same} .variant-name`);
    await page.waitForSelector(".board .badge:not(.v-unknown)");
    assert.equal((await server.position({ game, variant })).source, "database");
  });
});

test("a game's card opens another size, which can be solved there", async () => {
  await visit(chrome, server, "/mnk", async (page) => {
    await page.fill("#option-rows", "2");
    await page.fill("#option-cols", "4");
    await page.click("text=Open");
    await page.waitForSelector(".board .move");
    assert.equal(await page.$$eval(".board .tiles > *", (all) => all.length), 8);
    await page.click(".notice button");
    await page.waitForSelector(".notice", { state: "detached" });
    await page.waitForSelector(".board .badge:not(.v-unknown)");
  });
});

// A game that does not exist, so that nothing on the page leans on the three that do: hexagonal cells,
// pieces with letters, arrows of several lengths in one direction, a move that is not drawn.
test("an invented game is drawn from its description alone", async () => {
  const cells = Array.from({ length: 20 }, (_, i) => [0.5 + (i % 5) + Math.floor(i / 5) * 0.5, 0.5 + Math.floor(i / 5) * 0.866]);
  const pieces = "k--q-----------Q-7-x";
  const moves = [["Ka", "win", 9, { arrow: [cells[0], cells[1]] }], ["Kb", "tie", 12, { arrow: [cells[0], cells[2]] }], ["Qa", "draw", null, { arrow: [cells[15], cells[10]] }],
    ["drop", "lose", 101, { cell: 12 }], ["pass", null, null, null]]
    .map(([move, value, remoteness, drawing]) => ({ move, position: `2_${pieces}`, value, remoteness, mover: value && { value, remoteness }, drawing }));
  const node = (turn) => ({ position: `${turn}_${pieces}`, turn, pieces, over: false, value: "win", remoteness: 9, source: "database", moves });
  const info = { game: "new", variant: "default", title: "New", name: "a", rules: "", notation: "", state: "solved", solvable: false, start: `1_${pieces}`,
    board: { width: 6.5, height: 3.6, cells, names: cells.map((_, i) => `#${i}`) }, database: null };
  await visit(chrome, server, "/", async (page) => {
    await page.route("**/api/v1/games/new/**", (route) => route.fulfill({ json: /position/.test(route.request().url()) ? node(/p=2_/.test(route.request().url()) ? 2 : 1) : info }));
    await page.goto(`${server.base}/new/default`);
    await page.waitForSelector(".board .move");
    assert.deepEqual(Object.values(await marks(page)).map((mark) => mark.text).sort(), ["D", "L101", "T12", "W9"]);
    assert.equal(await page.$$eval(".pieces .letter", (all) => all.length), 4);
    await page.hover(".board .move[data-move=Kb] .badge");
    await page.waitForSelector(".guide .arrow");
    await page.click(".board .move[data-move=Kb] .badge");
    await shows(page, `2_${pieces}`);
    await play(page, "pass");
    await page.waitForFunction(() => document.querySelectorAll(".history .node").length === 3);
  });
});
