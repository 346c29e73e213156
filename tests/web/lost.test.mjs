// The server goes away and comes back.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { browser, GAMES, Server, shows, visit } from "./harness.mjs";

let server;
let chrome;

before(async () => { server = await Server.start(); chrome = await browser(); });
after(async () => { await chrome?.close(); await server?.stop(); });

test("a lost server is said to be lost, and the game goes on when it is back", async () => {
  await visit(chrome, server, GAMES.mnk.path, async (page) => {
    await page.waitForSelector(".board .move");
    assert.ok(!(await page.isVisible("#banner")));
    await server.down();
    await page.click(".row-move[data-move=b2] button");
    await page.waitForSelector("#banner:visible");
    assert.match(await page.innerText("#banner"), /does not answer/);
    await page.waitForTimeout(1500);
    await server.up();
    await page.click("#banner button");
    await shows(page, "2_----x----");
    await page.waitForSelector("#banner", { state: "hidden" });
    // Once more, without a hand.
    await server.down();
    await page.click(".row-move[data-move=a1] button");
    await page.waitForSelector("#banner:visible");
    await server.up();
    await shows(page, "1_----x-o--");
    await page.waitForSelector("#banner", { state: "hidden" });
  }, { allow: [/net::ERR_\w+/] });
});
