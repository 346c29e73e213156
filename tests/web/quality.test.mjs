// Weight, width, themes, names of controls, contrast.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { browser, GAMES, PENTAGO, Server, visit, XIANGQI } from "./harness.mjs";

const PATHS = ["/", "/quixo", ...Object.values(GAMES).map((game) => game.path), `${GAMES.connect4.path}?m=1,2,2`, `${GAMES.quixo.path}/statistics`, "/docs"];
let server;
let chrome;

before(async () => { server = await Server.start(); chrome = await browser(); });
after(async () => { await chrome?.close(); await server?.stop(); });

const ready = async (page) => {
  await page.waitForSelector("h1, .board .move, .board .man");
  await page.waitForLoadState("networkidle");
};

test("no page scrolls sideways on a phone, and moves are large enough to touch", async () => {
  for (const path of PATHS) {
    await visit(chrome, server, path, async (page) => {
      await ready(page);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= 390, `${path} is ${wide} px wide`);
      const small = await page.$$eval(".board .move .hit, .actions button, .row-move button", (all) => all.map((one) => one.getBoundingClientRect())
        .filter((box) => Math.max(box.width, box.height) < 40 || Math.min(box.width, box.height) < 34).map((box) => `${box.width}x${box.height}`));
      assert.deepEqual(small, [], path);
    }, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  }
});

test("dark by the system and by the button, which is remembered", async () => {
  const light = (page) => page.evaluate(() => {
    const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/[\d.]+/g).map(Number);
    return (r + g + b) / 3 > 128;
  });
  await visit(chrome, server, GAMES.mnk.path, async (page) => {
    await ready(page);
    assert.equal(await light(page), false);
    await page.click("#theme");
    assert.equal(await light(page), true);
    await page.reload();
    assert.equal(await light(page), true);
    await page.click("#theme");
    assert.equal(await light(page), false);
  }, { colorScheme: "dark" });
  await visit(chrome, server, GAMES.mnk.path, async (page) => assert.equal(await light(page), true), { colorScheme: "light" });
});

test("first load: under 100 kB, a game under 150 kB, nothing from elsewhere, first paint", async () => {
  const games = [GAMES.mnk.path, GAMES.connect4.path, XIANGQI.path, "/quarto/rows=3,attributes=3", "/dobutsu/elephants=0,giraffes=0"];
  for (const [path, most] of [["/", 100_000], ...games.map((game) => [game, 150_000]), [`${GAMES.quixo.path}/statistics`, 100_000], ["/docs", 100_000]]) {
    let weight = 0;
    const context = await chrome.newContext();
    const page = await context.newPage();
    const loads = [];
    page.on("response", (response) => loads.push(response.body().then((body) => {
      assert.ok(response.url().startsWith(server.base), response.url());
      weight += body.length;
    }, () => {})));
    await page.goto(server.base + path);
    await ready(page);
    await Promise.all(loads);
    const times = await page.evaluate(() => Object.fromEntries(performance.getEntriesByType("paint").map((entry) => [entry.name, Math.round(entry.startTime)])));
    console.log(`${path}: ${weight} bytes, first contentful paint ${times["first-contentful-paint"]} ms`);
    assert.ok(weight < most, `${path} weighs ${weight} bytes`);
    assert.ok(times["first-contentful-paint"] < 3000);
    await context.close();
  }
});

test("every control has a name, every field a label, and headings begin at the top", async () => {
  for (const path of PATHS) {
    await visit(chrome, server, path, async (page) => {
      await ready(page);
      const check = () => page.evaluate(() => {
        const name = (one) => one.getAttribute("aria-label") || (one.labels?.length && one.labels[0].textContent.trim()) || (!one.matches("select") && one.textContent.trim());
        // The text of a select or a slider's value is no name.
        const all = document.querySelectorAll("button, a[href], input, select, textarea, summary, [role=button], [role=group]");
        return [...all].filter((one) => !name(one)).map((one) => one.outerHTML.slice(0, 120));
      });
      assert.deepEqual(await check(), [], path);
      assert.equal(await page.$$eval("h1", (all) => all.length), 1, `one h1 on ${path}`);
      if (path === GAMES.mnk.path) {
        await page.selectOption("#seat-1", "computer");
        assert.deepEqual(await check(), [], "the computer's strength");
        await page.click("[data-action=edit]");
        await page.waitForSelector("dialog.editing[open]");
        assert.deepEqual(await check(), [], "the editor");
        await page.keyboard.press("Escape");
        await page.keyboard.press("?");
        await page.waitForSelector("dialog .keys");
        await page.click("dialog button[aria-label=Close]");
        await page.waitForSelector("dialog", { state: "hidden" });
        assert.match(await page.textContent("#live"), /to move/);
      }
    });
  }
});

test("text has a contrast of 4.5 or more, in both themes", async () => {
  for (const colorScheme of ["light", "dark"]) {
    for (const path of PATHS) {
      await visit(chrome, server, path, async (page) => {
        await ready(page);
        const poor = await page.evaluate(() => {
          // The canvas turns any colour into numbers.
          const brush = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
          const numbers = (colour) => { brush.clearRect(0, 0, 1, 1); brush.fillStyle = colour; brush.fillRect(0, 0, 1, 1); return [...brush.getImageData(0, 0, 1, 1).data]; };
          const shine = (rgb) => rgb.slice(0, 3).map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
          const behind = (one) => {
            for (let at = one; at; at = at.parentElement) {
              const found = numbers(getComputedStyle(at).backgroundColor);
              if (found[3] === 255) return found;
            }
            return [255, 255, 255, 255];
          };
          const ratio = (a, b) => { const [x, y] = [shine(a), shine(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
          const found = [];
          for (const one of document.querySelectorAll("h1, h2, p, a, button, label, td, th, span, b, summary, li, .badge text, .labels text, .axis text")) {
            if (!one.checkVisibility() || one.closest(":disabled, .unseen, .skip") || ![...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
            const style = getComputedStyle(one);
            const svg = one instanceof SVGElement;
            const back = svg && one.closest(".badge") ? numbers(getComputedStyle(one.previousElementSibling).fill) : behind(one.closest("svg")?.parentElement ?? one);
            const value = ratio(numbers(svg ? style.fill : style.color), back);
            if (value < 4.5) found.push(`${one.tagName} “${one.textContent.trim().slice(0, 30)}” ${value.toFixed(2)}`);
          }
          return [...new Set(found)];
        });
        assert.deepEqual(poor, [], `${path} ${colorScheme}`);
      }, { colorScheme });
    }
  }
});

test("reduced motion is respected", async () => {
  await visit(chrome, server, `${GAMES.mnk.path}?m=b2`, async (page) => {
    await ready(page);
    await page.click(".row-move button >> nth=0");
    await page.waitForSelector(".piece.fresh");
    assert.equal(await page.$eval(".piece.fresh", (one) => getComputedStyle(one).animationName), "none");
    assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
  }, { reducedMotion: "reduce" });
});

test("axe finds nothing to complain of, in both themes", async () => {
  const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  const paths = [...PATHS, "/slide/rows=2,cols=3", "/kalah/default", "/quarto/rows=3,attributes=3", "/dobutsu/elephants=0,giraffes=0", PENTAGO.path, XIANGQI.path, `${XIANGQI.path}/statistics`, "/mnk/rows=2,cols=4"];
  for (const colorScheme of ["light", "dark"]) {
    for (const path of paths) {
      await visit(chrome, server, path, async (page) => {
        await ready(page);
        if (path === "/slide/rows=2,cols=3") {
          await page.keyboard.press("?");
          await page.waitForSelector("dialog .keys");
        }
        if (path === "/docs") {
          await page.click("[data-route='get /api/v1/games/{game}/{variant}/position'] [data-action=run]");
          await page.waitForSelector(".answered");
        }
        await page.evaluate(axe);
        const found = await page.evaluate(async () => {
          const { violations } = await window.axe.run(document, {
            runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"], rules: { "label-content-name-mismatch": { enabled: true } },
          });
          return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join("; ")}`);
        });
        assert.deepEqual(found, [], `${path} ${colorScheme}`);
      }, { colorScheme });
    }
  }
});
