// Xiangqi: men on points, picked and then put; the names of men and players; the editor.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { browser, marks, Server, shown, shows, visit, XIANGQI } from "./harness.mjs";

const ROOK = "4k4/9/9/9/9/9/9/9/R8/3K5 w";
const TAKE = "4k4/9/9/9/9/9/9/9/3r5/3K5 w";
const OTHER = "3k5/9/9/9/9/9/9/r8/9/4K4 b";
let server;
let chrome;

before(async () => { server = await Server.start(); chrome = await browser(); });
after(async () => { await chrome?.close(); await server?.stop(); });

const open = (position) => `${XIANGQI.path}?p=${encodeURIComponent(position)}`;
const cell = (name) => (9 - Number(name[1])) * 9 + "abcdefghi".indexOf(name[0]);
const man = (name) => `.board .man[data-cell="${cell(name)}"]`;
const move = (name) => `.board .move[data-move="${name}"]`;
const standing = (page) => page.$$eval(".board .pieces > [role=img]", (all) => all.map((one) => one.getAttribute("aria-label")).sort());
const child = (node, name) => node.moves.find((one) => one.move === name);

test("a man is picked and put on a point by mouse", async () => {
  await visit(chrome, server, open(ROOK), async (page) => {
    await shows(page, ROOK);
    const node = await server.position(XIANGQI, ROOK);
    assert.deepEqual(await standing(page), ["black king on e9", "red king on d0", "red rook on a1"]);
    assert.equal(await page.$$eval(".board .lines line", (all) => all.length), 10 + 2 + 14 + 4, "ranks, files, palaces");
    assert.deepEqual(await marks(page), {}, "no man is picked");
    const from = new Set(node.moves.map((one) => one.move.slice(0, 2)));
    assert.equal(await page.$$eval(".board .man", (all) => all.length), from.size);

    await page.click(man("a1"));
    const offered = Object.entries(await marks(page)).map(([name, mark]) => [name, mark.value, mark.remoteness]).sort();
    const want = node.moves.filter((one) => one.move.startsWith("a1")).map((one) => [one.move, one.mover.value, one.mover.remoteness == null ? null : String(one.mover.remoteness)]).sort();
    assert.deepEqual(offered, want, "the moves of the rook, with their values");
    assert.equal(await page.getAttribute(man("a1"), "aria-pressed"), "true");

    await page.click(man("d0"));
    assert.ok(Object.keys(await marks(page)).every((name) => name.startsWith("d0")), "another man instead");
    await page.click(man("d0"));
    assert.deepEqual(await marks(page), {}, "pressed again it is put back");
    await page.click(man("a1"));
    await page.click(move("a1f1"));
    await shows(page, child(node, "a1f1").position);
    assert.deepEqual(await standing(page), ["black king on e9", "red king on d0", "red rook on f1"]);
    const last = await page.$$eval(".board .tiles > *", (all) => all.flatMap((one, at) => (one.classList.contains("last") ? [at] : [])));
    assert.deepEqual(last, [cell("a1"), cell("f1")].sort((a, b) => a - b), "the last move is marked");
    assert.match(await page.textContent(".turn"), /^Black to move/);
  });
});

test("a man is picked and put on a point by keyboard", async () => {
  await visit(chrome, server, open(ROOK), async (page) => {
    await shows(page, ROOK);
    const focus = () => page.evaluate(() => ({ ...document.activeElement.dataset }));
    const { moves } = await server.position(XIANGQI, ROOK);
    await page.keyboard.press("ArrowUp");
    assert.deepEqual(await focus(), { cell: String(cell(moves[0].move)) }, "the man with the best move");
    await page.keyboard.press("Enter");
    assert.equal((await focus()).move, moves[0].move, "where it best goes");
    await page.keyboard.press("Escape");
    assert.deepEqual(await focus(), { cell: String(cell(moves[0].move)) }, "back on the man");
    assert.deepEqual(await marks(page), {});
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await shows(page, moves[0].position);
  });
});

test("the sides have names, in every part of the page", async () => {
  await visit(chrome, server, open(ROOK), async (page) => {
    await shows(page, ROOK);
    const node = await server.position(XIANGQI, ROOK);
    assert.equal(node.value, "win");
    assert.ok((await page.textContent(".verdict")).includes(`Red wins in ${node.remoteness} moves`));
    assert.deepEqual(await page.$$eval(".players label", (all) => all.map((one) => one.textContent)), ["Red", "Black"]);
    assert.match(await page.textContent(".history"), /Red wins.*Black wins/);
    assert.doesNotMatch(await page.innerText("main"), /(First|Second) player/);
    // A game without names has none left over from this one.
    await page.goto(`${server.base}/mnk/default`);
    await shows(page, "1_---------");
    assert.match(await page.textContent(".turn"), /^First player/);
  });
});

test("a man that can be taken stays in sight, and is taken", async () => {
  await visit(chrome, server, open(TAKE), async (page) => {
    await shows(page, TAKE);
    await page.click(man("d0"));
    await page.waitForSelector(`${move("d0d1")} .taken`);
    await page.click(move("d0d1"));
    await page.waitForFunction(() => document.querySelectorAll(".board .pieces > *").length === 2);
    assert.deepEqual(await standing(page), ["black king on e9", "red king on d1"]);
  });
});

test("hidden hints tell nothing, and men show what is written on them", async () => {
  await visit(chrome, server, open(ROOK), async (page) => {
    await shows(page, ROOK);
    // Where the machine has no letters for the signs, men show those of the notation.
    const written = await page.$$eval(".board .disc text", (all) => all.map((one) => one.textContent).join(""));
    assert.match(written, /^(將俥帥|KRK)$/);
    await page.keyboard.press("h");
    await page.waitForFunction(() => !document.querySelector(".board .badge"));
    await page.click(man("a1"));
    await page.waitForSelector(`${move("a1f1")} .plain`);
    const labels = await page.$$eval(".board .man, .board .move", (all) => all.map((one) => `${one.getAttribute("aria-label")} ${JSON.stringify(one.dataset)}`));
    assert.ok(labels.length > 10);
    assert.doesNotMatch(labels.join(), /win|draw|loss|lose/i);
  });
});

test("the editor takes a position apart, puts it together, and reads a FEN", async () => {
  await visit(chrome, server, open(ROOK), async (page) => {
    await shows(page, ROOK);
    const { pieces } = await server.position(XIANGQI, ROOK);
    const tile = (name) => `dialog .tiles > :nth-child(${cell(name) + 1})`;
    await page.click("[data-action=edit]");
    assert.equal(await page.inputValue("#editor-text"), `1_${pieces}`);
    assert.equal(await page.getAttribute(tile("a1"), "aria-label"), "a1: red rook");
    // A rook is followed by a pawn, which may not stand there; the last letter by an empty point.
    await page.click(tile("a1"));
    assert.equal(await page.getAttribute(tile("a1"), "aria-label"), "a1: red pawn");
    await page.click("dialog >> text=Use this position");
    await page.waitForSelector("dialog .wrong:not(:empty)");
    assert.match(await page.textContent("dialog .wrong"), /red pawn can never stand on a1/);
    for (let presses = 0; presses < 6; presses += 1) await page.click(tile("a1"));
    assert.equal(await page.getAttribute(tile("a1"), "aria-label"), "a1: black rook");
    await page.click("dialog >> text=Use this position");
    await shows(page, "4k4/9/9/9/9/9/9/9/r8/3K5 w");
    await page.keyboard.press("p");
    await page.click("dialog [data-piece=R]");
    await page.click(tile("c4"));
    await page.click("dialog [data-piece='-']");
    await page.click(tile("a1"));
    await page.click("dialog >> text=Use this position");
    await shows(page, "4k4/9/9/9/9/2R6/9/9/9/3K5 w");
    await page.keyboard.press("p");
    await page.fill("#editor-text", OTHER);
    await page.press("#editor-text", "Tab");
    await page.waitForSelector(`${tile("e0")}[aria-label="e0: red king"]`);
    assert.equal(await page.inputValue("dialog input[name=turn]:checked"), "2");
    await page.click("dialog >> text=Use this position");
    await shows(page, OTHER);
  }, { allow: [/status of 400/] });
});

test("the card opens a variant that is named by its men", async () => {
  await visit(chrome, server, "/xiangqi", async (page) => {
    await page.fill("#option-material", "KRk");
    await page.click("text=Open");
    await page.waitForSelector(".board .man");
    assert.match(page.url(), /\/xiangqi\/material=KRk$/);
    assert.match(await page.innerText("#crumbs"), /material KRk$/);
  });
});

test("on a phone nothing scrolls sideways and every point can be touched", async () => {
  await visit(chrome, server, open(ROOK), async (page) => {
    await shows(page, ROOK);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 390);
    await page.tap(man("a1"));
    await page.waitForSelector(move("a1f1"));
    // Nine files on 390 pixels leave less than the 40 of smaller boards.
    const small = await page.$$eval(".board .hit", (all) => all.map((one) => one.getBoundingClientRect()).filter((box) => Math.min(box.width, box.height) < 32).length);
    assert.equal(small, 0);
    await page.tap(move("a1f1"));
    await page.waitForFunction((before) => document.querySelector("[data-position]").dataset.position !== before, ROOK);
    assert.equal(await shown(page), "4k4/9/9/9/9/9/9/9/5R3/3K5 b");
  }, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
});

test("men and lines have contrast, in both themes", async () => {
  for (const colorScheme of ["light", "dark"]) {
    await visit(chrome, server, open(ROOK), async (page) => {
      await shows(page, ROOK);
      const ratios = await page.evaluate(() => {
        const brush = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
        const shine = (colour) => {
          brush.fillStyle = colour;
          brush.fillRect(0, 0, 1, 1);
          return [...brush.getImageData(0, 0, 1, 1).data].slice(0, 3).map((c) => c / 255)
            .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
        };
        const ratio = (a, b) => { const [x, y] = [shine(a), shine(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
        const style = (selector, name) => getComputedStyle(document.querySelector(selector))[name];
        return [
          ratio(style(".disc.red text", "fill"), style(".disc.red circle", "fill")),
          ratio(style(".disc.black text", "fill"), style(".disc.black circle", "fill")),
          ratio(style(".lines line", "stroke"), style(".lines rect", "fill")),
        ];
      });
      assert.ok(Math.min(...ratios) >= 4.5, `${colorScheme}: ${ratios}`);
    }, { colorScheme });
  }
});
