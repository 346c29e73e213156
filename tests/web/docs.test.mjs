// The page of the API: every route is there, runs, and shows what the server answers.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { browser, GAMES, Server, visit } from "./harness.mjs";

let server;
let chrome;

before(async () => { server = await Server.start({ games: [GAMES.mnk, GAMES.quixo] }); chrome = await browser(); });
after(async () => { await chrome?.close(); await server?.stop(); });

const position = "[data-route='get /api/v1/games/{game}/{variant}/position']";

test("every route of the server's description is on the page, and its example runs", async () => {
  const description = await (await fetch(`${server.base}/api/v1/openapi.json`)).json();
  const told = Object.entries(description.paths).flatMap(([path, methods]) => Object.keys(methods).filter((one) => one !== "parameters").map((method) => `${method} ${path}`));
  // Statistics are counted once, and are then there.
  for (let i = 0; i < 100 && (await fetch(`${server.base}/api/v1/games/mnk/default/statistics`)).status === 202; i += 1) await new Promise((go) => { setTimeout(go, 50); });
  await visit(chrome, server, "/docs", async (page) => {
    await page.waitForSelector("[data-route]");
    const routes = await page.$$eval("[data-route]", (all) => all.map((one) => one.dataset.route));
    assert.deepEqual(routes.toSorted(), [...told, "get /healthz", "get /metrics"].toSorted());
    for (const route of routes) {
      const one = page.locator(`[data-route="${route}"]`);
      await one.locator("[data-action=run]").click();
      await one.locator("[role=status]:not(:empty)").waitFor();
      // The variant is solved: a wish to solve it is met with a word that it is.
      assert.match(await one.locator("[role=status]").textContent(), route.startsWith("post") && route.endsWith("solve") ? /^(20\d|409) / : /^200 /, route);
    }
  }, { allow: [/status of 409/] });
});

test("a changed field changes the request for curl, and the answer is the server's", async () => {
  await visit(chrome, server, "/api", async (page) => {
    await page.waitForSelector(position);
    await page.fill(`${position} input[name=p]`, "1_xo-------");
    await page.fill(`${position} input[name=m]`, "b2,c3");
    const line = await page.textContent(`${position} .request code`);
    assert.equal(line, `curl '${server.base}/api/v1/games/mnk/default/position?p=1_xo-------&m=b2,c3'`);
    await page.focus(`${position} input[name=m]`);
    await page.click(`${position} [data-action=run]`);
    await page.waitForSelector(`${position} .answered`);
    const answer = JSON.parse(await page.textContent(`${position} .answered`));
    assert.deepEqual(answer, await (await fetch(/'(.*)'/.exec(line)[1])).json());
    assert.equal(answer.position, "1_xoo-x----");
  });
});

test("an error is shown as one, with what the server says", async () => {
  await visit(chrome, server, "/docs", async (page) => {
    await page.waitForSelector(position);
    await page.fill(`${position} input[name=p]`, "nonsense");
    await page.click(`${position} [data-action=run]`);
    await page.waitForSelector(`${position} .wrong`);
    assert.match(await page.textContent(`${position} [role=status]`), /^400 /);
    assert.match(await page.textContent(`${position} .answered`), /nonsense/);
  }, { allow: [/status of 400/] });
});

test("the examples are about the game that is chosen, and pages lead there", async () => {
  await visit(chrome, server, GAMES.quixo.path, async (page) => {
    await page.waitForSelector(".board .move");
    await page.click(".prose a:has-text('API')");
    await page.waitForSelector(position);
    assert.equal(await page.inputValue("#api-game"), "quixo");
    assert.equal(await page.inputValue("#api-variant"), "rows=3,cols=3,line=3");
    assert.match(await page.textContent(`${position} .request code`), /quixo\/rows=3,cols=3,line=3\/position\?p=1_---------/);
    await page.selectOption("#api-game", "mnk");
    await page.waitForFunction(() => document.querySelector(".request code").textContent.includes("/mnk/default/"));
    await page.goBack();
    await page.waitForFunction(() => document.querySelector("#api-game").value === "quixo");
  });
  await visit(chrome, server, "/", async (page) => {
    await page.click("footer >> text=the API");
    await page.waitForSelector(position);
  });
});
