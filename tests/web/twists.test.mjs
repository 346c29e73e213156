// Pentago: a stone is put and then a quadrant turned; until the turn the stone can be taken back.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { browser, marks, PENTAGO, Server, shown, shows, visit } from "./harness.mjs";

const LATE = "5495561121343750226"; // 30 stones; black to move
const WON = "4688049120324758059"; // white wins with a stone on d3
let server;
let chrome;

before(async () => { server = await Server.start(); chrome = await browser(); });
after(async () => { await chrome?.close(); await server?.stop(); });

const open = (position) => `${PENTAGO.path}?p=${position}`;
const cell = (name) => (6 - Number(name[1])) * 6 + "abcdef".indexOf(name[0]);
const man = (name) => `.board .man[data-cell="${cell(name)}"]`;
const move = (name) => `.board .move[data-move="${name}"]`;
const ghosts = (page) => page.$$eval(".board .ghost", (all) => all.map((one) => [Number(one.dataset.cell), one.querySelector(".stone").classList.value]));
/** What stands on the board, a letter a cell. */
const standing = (page) => page.$$eval(".board .pieces [data-cell]", (all) => {
  const cells = Array(36).fill("-");
  for (const one of all) cells[one.dataset.cell] = one.querySelector(".black") ? "x" : "o";
  return cells.join("");
});

/** Plays from a position until the game is over; `step(node)` makes a move on the page and gives its name. */
async function playOut(page, step) {
  let node = await server.position(PENTAGO, await shown(page));
  for (let plies = 0; !node.over && plies < 40; plies += 1) {
    const made = await step(node);
    await shows(page, made.position);
    node = await server.position(PENTAGO, made.position);
    assert.equal(await standing(page), node.pieces, `the board after ${made.move}`);
  }
  assert.ok(node.over, "the game ends");
}

test("a stone and then a turn make a move by mouse, and the board turns", async () => {
  await visit(chrome, server, open(LATE), async (page) => {
    await shows(page, LATE);
    const node = await server.position(PENTAGO, LATE);
    assert.equal(await standing(page), node.pieces);
    assert.equal(await page.$$eval(".board .plates rect", (all) => all.length), 4, "quadrants");
    assert.equal(await page.$$eval(".board .plates .curl", (all) => all.length), 8, "two arrows each");
    assert.deepEqual(await marks(page), {}, "no turn is offered before a stone is put");
    assert.match(await page.textContent(".turn"), /^Black to move/);

    await page.click(man("a6"));
    assert.deepEqual(await ghosts(page), [[cell("a6"), "piece stone black"]], "the stone in the mover's colour");
    const offered = Object.entries(await marks(page)).map(([name, mark]) => [name, mark.value]).sort();
    const want = node.moves.filter((one) => one.move.startsWith("a6")).map((one) => [one.move, one.mover.value]).sort();
    assert.equal(want.length, 8);
    assert.deepEqual(offered, want, "the turns, with their values");
    assert.match(await page.textContent(".preview"), /a6.*pick a turn/);
    assert.equal(await page.$$eval(".row-move", (all) => all.length), 8, "the list follows");
    assert.equal(await shown(page), LATE, "nothing is played yet");

    await page.hover(move("a6-ul-l"));
    await page.waitForSelector(".plates rect.hot");
    await page.click(move("a6-ul-l"));
    const { position } = node.moves.find((one) => one.move === "a6-ul-l");
    await shows(page, position);
    const next = await server.position(PENTAGO, position);
    assert.equal(await standing(page), next.pieces);
    assert.notEqual(next.pieces, `x${node.pieces.slice(1)}`, "the quadrant has turned");
    assert.deepEqual(await ghosts(page), []);
    assert.equal(await page.$$eval(".plates rect.hot", (all) => all.length), 0);
    const last = await page.$$eval(".board .tiles > *", (all) => all.flatMap((one, at) => (one.classList.contains("last") ? [at] : [])));
    assert.deepEqual(last, [cell("a4")], "the new stone went along with its quadrant");
    await page.waitForSelector(".curl.last");
    if (!next.over) assert.match(await page.textContent(".turn"), /^White to move/);
    await page.keyboard.press("u");
    await shows(page, LATE);
    assert.equal(await standing(page), node.pieces);
  });
});

test("a stone can be taken back before its turn", async () => {
  await visit(chrome, server, open(LATE), async (page) => {
    await shows(page, LATE);
    const none = async (why) => {
      assert.deepEqual(await ghosts(page), [], why);
      assert.deepEqual(await marks(page), {}, why);
      assert.equal(await page.$$eval(".row-move", (all) => all.length), 48, why);
      assert.equal(await page.textContent(".preview"), "", why);
    };
    const ways = [
      ["Escape", () => page.keyboard.press("Escape")],
      ["a press on the stone", () => page.click(man("a6"))],
      ["a press on another stone", () => page.click(`.board .tiles > :nth-child(${cell("b6") + 1})`)],
      ["a press beside the cells", () => page.click(".board .plates rect >> nth=0", { position: { x: 4, y: 60 } })],
      ["the button of the list", () => page.click(".moves [aria-label='All moves']")],
    ];
    for (const [why, way] of ways) {
      await page.click(man("a6"));
      assert.equal((await ghosts(page)).length, 1, why);
      await way();
      await none(why);
    }
    await page.click(man("a6"));
    await page.click(man("d6"));
    assert.deepEqual(await ghosts(page), [[cell("d6"), "piece stone black"]], "a press on another cell puts it there");
    assert.ok(Object.keys(await marks(page)).every((name) => name.startsWith("d6")));
    assert.equal(await shown(page), LATE);
  });
});

test("a stone that wins is one click", async () => {
  await visit(chrome, server, open(WON), async (page) => {
    await shows(page, WON);
    const node = await server.position(PENTAGO, WON);
    assert.deepEqual(Object.keys(await marks(page)), ["d3"]);
    await page.click(move("d3"));
    await shows(page, node.moves.find((one) => one.move === "d3").position);
    assert.equal(await page.textContent(".verdict"), "White has won");
    assert.equal((await standing(page))[cell("d3")], "o");
  });
});

test("a whole game by keyboard", async () => {
  await visit(chrome, server, open(LATE), async (page) => {
    await shows(page, LATE);
    const focus = () => page.evaluate(() => ({ ...document.activeElement.dataset }));
    await page.keyboard.press("ArrowUp");
    await playOut(page, async (node) => {
      let at = await focus();
      if (at.cell) {
        await page.keyboard.press("Enter");
        at = await focus();
        assert.ok(at.move, "a turn has the focus");
        await page.keyboard.press("Escape");
        assert.ok((await focus()).cell, "and the cell again when the stone is taken back");
        await page.keyboard.press("Enter");
        const seen = new Set();
        for (const key of ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"]) {
          await page.keyboard.press(key);
          seen.add((await focus()).move);
        }
        assert.ok(seen.size > 1, "arrow keys go among the turns");
        while (!(await focus()).move) await page.keyboard.press("ArrowUp");
        at = await focus();
      }
      await page.keyboard.press("Enter");
      return node.moves.find((one) => one.move === at.move);
    });
    assert.match(await page.textContent(".verdict"), /has won|is a tie/);
  });
});

test("288 moves are a row a cell, and a row puts the stone", async () => {
  await visit(chrome, server, PENTAGO.path, async (page) => {
    await shows(page, "0");
    assert.match(await page.textContent("#moves-title"), /^Moves 288/);
    assert.equal(await page.$$eval(".row-move", (all) => all.length), 36);
    await page.click(`.row-move[data-start="${cell("c4")}"]`);
    assert.deepEqual(await ghosts(page), [[cell("c4"), "piece stone black"]]);
    assert.match(await page.textContent("#moves-title"), /^Moves from c4 8/);
    await page.click(".row-move[data-move='c4-lr-r']");
    await page.waitForFunction(() => document.querySelector("[data-position]").dataset.position !== "0");
    assert.equal((await standing(page))[cell("c4")], "x", "another quadrant has turned");
    assert.equal(await page.$$eval(".row-move", (all) => all.length), 35);
  });
});

test("hidden hints tell nothing", async () => {
  await visit(chrome, server, open(LATE), async (page) => {
    await shows(page, LATE);
    await page.keyboard.press("h");
    await page.waitForFunction(() => !document.querySelector(".board .badge"));
    await page.click(man("a6"));
    const told = await page.$$eval(".board .man, .board .move, .board .move *", (all) => all.map((one) => `${one.getAttribute("aria-label")} ${one.getAttribute("class")} ${JSON.stringify(one.dataset)}`));
    assert.ok(told.length > 10);
    assert.doesNotMatch(told.join(), /win|tie|loss|lose/i);
  });
});

test("the editor has the cells and no arrows", async () => {
  await visit(chrome, server, open(LATE), async (page) => {
    await shows(page, LATE);
    const { pieces } = await server.position(PENTAGO, LATE);
    await page.click("[data-action=edit]");
    assert.equal(await page.inputValue("#editor-text"), `1_${pieces}`);
    assert.equal(await page.$$eval("dialog .tiles > [role=button]", (all) => all.length), 36);
    assert.equal(await page.$$eval("dialog .curl", (all) => all.length), 0);
    const tile = (name) => `dialog .tiles > :nth-child(${cell(name) + 1})`;
    assert.equal(await page.getAttribute(tile("b6"), "aria-label"), "b6: white stone");
    // After white comes nothing, after black white.
    await page.click(tile("b6"));
    await page.click(tile("c6"));
    await page.click(tile("c6"));
    await page.click("dialog >> text=Use this position");
    const want = `${pieces[0]}--${pieces.slice(3)}`;
    await page.waitForFunction((before) => document.querySelector("[data-position]").dataset.position !== before, LATE);
    assert.equal((await server.position(PENTAGO, await shown(page))).pieces, want);
  });
});

test("on a phone nothing scrolls sideways, and cells and arrows can be touched", async () => {
  await visit(chrome, server, open(LATE), async (page) => {
    await shows(page, LATE);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 390);
    await page.tap(man("a6"));
    await page.waitForSelector(move("a6-ul-l"));
    const small = await page.$$eval(".board .hit", (all) => all.map((one) => one.getBoundingClientRect()).filter((box) => Math.min(box.width, box.height) < 34).length);
    assert.equal(small, 0);
    await page.tap(move("a6-ul-l"));
    await page.waitForFunction((before) => document.querySelector("[data-position]").dataset.position !== before, LATE);
  }, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
});

test("stones stand out from empty cells, in both themes", async () => {
  for (const colorScheme of ["light", "dark"]) {
    await visit(chrome, server, open(LATE), async (page) => {
      await shows(page, LATE);
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
        const tile = style(".tiles > :not(.last)", "fill");
        // A stone is told by its face or by its edge.
        return ["black", "white"].map((side) => Math.max(...["fill", "stroke"].map((part) => ratio(style(`.stone.${side}`, part), tile))))
          .concat(ratio(style(".curl path", "stroke"), style(".card", "backgroundColor")));
      });
      assert.ok(Math.min(...ratios) >= 3, `${colorScheme}: ${ratios}`);
    }, { colorScheme });
  }
});
