// What is said of players: one alone in a puzzle, and several on a side.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { browser, Server, visit } from "./harness.mjs";

let server;
let chrome;

before(async () => { server = await Server.start(); chrome = await browser(); });
after(async () => { await chrome?.close(); await server?.stop(); });

const axis = (page) => page.$$eval(".history .axis text", (all) => all.map((one) => one.textContent));

test("the history of a puzzle tells what can be solved", async () => {
  await visit(chrome, server, "/slide/rows=2,cols=3", async (page) => {
    await page.waitForSelector(".history .node");
    assert.deepEqual(await axis(page), ["◂ Solvable", "Unsolvable ▸"]);
    const titles = await page.$$eval(".history title", (all) => all.map((one) => one.textContent));
    assert.ok(titles.every((title) => !/ for | wins?\b/.test(title)), titles.join("; "));
  });
});

test("crows win and a vulture wins", async () => {
  await visit(chrome, server, "/kaooa/default", async (page) => {
    await page.waitForSelector(".history .node");
    assert.deepEqual(await axis(page), ["◂ Crows win", "even", "Vulture wins ▸"]);
    assert.doesNotMatch(await page.innerText("main"), /Crows wins|Vulture win\b/);
  });
});
