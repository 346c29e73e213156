// Statistics: what is drawn, and what can be kept as a file.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { strokes } from "../../crates/cli/ui/plot.js";
import { browser, GAMES, Server, visit, XIANGQI } from "./harness.mjs";

let server;
let chrome;

before(async () => { server = await Server.start({ games: [GAMES.mnk, GAMES.quixo, XIANGQI] }); chrome = await browser(); });
after(async () => { await chrome?.close(); await server?.stop(); });

const fetched = async (page, selector) => {
  const [file] = await Promise.all([page.waitForEvent("download"), page.click(selector)]);
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8") };
};

test("a line joins distances two moves apart, and no others", () => {
  assert.deepEqual(strokes([[0, 9], [1, 1], [2, 8], [4, 7], [9, 1], [11, 1]]), [[[0, 9], [2, 8], [4, 7]], [[9, 1], [11, 1]]]);
  assert.deepEqual(strokes([[3, 1]]), []);
});

test("draws are drawn and explained; losses of Quixo make no zigzag", async () => {
  await visit(chrome, server, `${XIANGQI.path}/statistics`, async (page) => {
    await page.waitForSelector(".plot .v-draw");
    const { counts } = await server.api("xiangqi/pieces=3/statistics");
    assert.equal(await page.textContent(".plot .v-draw title"), `Draw: ${counts.draw.toLocaleString("en-GB")} positions`);
    assert.match(await page.textContent(".page-statistics .legend"), /win.*draw.*loss/);
    assert.doesNotMatch(await page.textContent(".page-statistics .legend"), /tie/);
  });
  await visit(chrome, server, `${GAMES.quixo.path}/statistics`, async (page) => {
    await page.waitForSelector(".plot");
    const { counts } = await server.api("quixo/rows=3,cols=3,line=3/statistics");
    assert.ok(counts.lose[0] > counts.lose[1] && counts.lose[1] < counts.lose[2], "a loss in one move hardly occurs");
    const ways = await page.$$eval(".plot .series.v-lose polyline", (all) => all.map((one) => [...one.points].map((point) => Math.round(point.x))));
    const at = await page.$$eval(".plot .series.v-lose > g > :last-child", (all) => all.map((one) => Math.round(one.getBBox().x + one.getBBox().width / 2)));
    assert.deepEqual(ways, [at.filter((_, i) => Number(Object.keys(counts.lose)[i]) % 2 === 0)]);
  });
});

test("counts as CSV and the plot as SVG", async () => {
  await visit(chrome, server, `${XIANGQI.path}/statistics`, async (page) => {
    await page.waitForSelector(".plot");
    const { counts, canonical_counts: alike } = await server.api("xiangqi/pieces=3/statistics");
    const { name, text } = await fetched(page, "[data-action=csv]");
    assert.equal(name, "xiangqi-pieces-3.csv");
    const [head, ...rows] = text.trimEnd().split("\n").map((row) => row.split(","));
    assert.deepEqual(head, ["value", "remoteness", "positions", "up_to_symmetry"]);
    const expected = ["win", "tie", "lose"].flatMap((value) => Object.keys(counts[value]).map((far) => [value, far, String(counts[value][far]), String(alike[value][far])]));
    assert.deepEqual(rows, [...expected, ["draw", "", String(counts.draw), String(alike.draw)]]);
    const plot = await fetched(page, "[data-action=svg]");
    assert.equal(plot.name, "xiangqi-pieces-3.svg");
    assert.match(plot.text, /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/);
    // The file is drawn without the page's style sheets: in an empty document it has its colours.
    const colours = await page.evaluate((text) => {
      const box = new DOMParser().parseFromString(text, "image/svg+xml");
      return box.querySelector("parsererror") ? null : [...new Set([...box.querySelectorAll(".series > g > :last-child, .series g > :last-child")].map((one) => one.getAttribute("fill")))];
    }, plot.text);
    assert.equal(colours?.length, 3, String(colours));
    const csv = await fetched(page, "a:has-text('Positions (CSV')");
    assert.match(csv.text, /^position,tier,number,value,remoteness,copies\n/);
  });
});
