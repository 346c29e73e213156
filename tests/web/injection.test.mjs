// Text from outside stays text: in the address, in fields, in saved games, in names of folders and in the server's
// answers. The server's policy against foreign scripts is switched off here, so that the page must hold by itself.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { browser, GAMES, Server, shows } from "./harness.mjs";

const { mnk } = GAMES;
const IMAGE = "<img src=x onerror=ran(1)>";
const TEXTS = [
  IMAGE,
  `'"><svg onload=ran(2)><b id=evil>`,
  "</title></textarea></style><script>ran(3)</script><iframe srcdoc='<script>top[`ran`](4)</script>'>",
  "javascript:ran(5)//\u0000\u202e<a href=javascript:ran(6) autofocus onfocus=ran(7)>",
  "%3Cimg src=x onerror=ran(8)%3E&lt;img src=x onerror=ran(9)&gt;",
];

let server;
let chrome;

before(async () => {
  server = await Server.start({ games: [mnk, { spec: "mnk:misere=yes" }], folder: `zermelo-web-${IMAGE}-` });
  for (const path of [`mnk/${IMAGE}`, `mnk/default;from=${IMAGE}`, `qbf/formula=${IMAGE}`, `${IMAGE}/default`]) {
    mkdirSync(join(server.data, path), { recursive: true });
    writeFileSync(join(server.data, path, "manifest.json"), IMAGE);
  }
  // The note about this one names the folder of all.
  writeFileSync(join(server.data, "mnk/misere=yes/manifest.json"), IMAGE);
  chrome = await browser();
});
after(async () => { await chrome?.close(); await server?.stop(); });

/** Runs the test on an empty page. No script of the texts may run, no window or frame may open, until the end. */
async function watched(act, { bypassCSP = true, wanted = [] } = {}) {
  const context = await chrome.newContext({ viewport: { width: 1280, height: 800 }, bypassCSP });
  const ran = [];
  await context.exposeFunction("ran", (what) => { ran.push(`script ${what}`); });
  const page = await context.newPage();
  page.setDefaultTimeout(8000);
  page.on("dialog", (dialog) => { ran.push(`dialog ${dialog.message()}`); dialog.dismiss(); });
  page.on("popup", () => { ran.push("a window"); });
  page.on("pageerror", (error) => { ran.push(`error ${error}`); });
  page.on("framenavigated", (frame) => { if (frame.parentFrame()) ran.push("a frame"); });
  try {
    await act(page);
    // What was begun has its time.
    await page.waitForLoadState("networkidle");
    assert.deepEqual(ran, wanted);
  } finally {
    await context.close();
  }
}

/** What is in the page that the page does not make: elements, handlers in attributes, links that are scripts. */
const strangers = (page) => page.evaluate(() => {
  const elements = document.querySelectorAll("iframe, frame, object, embed, base, style, math, #evil, :not(svg *):is(body title), :is(script, img):not([src^='/ui/'])");
  const leads = (name) => ["href", "xlink:href", "src", "action", "formaction"].includes(name);
  const bad = ({ name, value }) => name.startsWith("on") || leads(name) && /^[\s\u0000-\u001f]*(javascript|data|vbscript):/i.test(value);
  const handled = [...document.querySelectorAll("*")].filter((element) => [...element.attributes].some(bad));
  return [...elements, ...handled].map((element) => element.outerHTML.slice(0, 200));
});

const clean = async (page, what) => assert.deepEqual(await strangers(page), [], what);

/** Waits until something on the page has this piece of the text, as text. */
async function complains(page, selector, piece) {
  const says = ([where, text]) => [...document.querySelectorAll(where)].some((one) => one.textContent.includes(text));
  await page.waitForFunction(says, [selector, piece]).catch(async () => assert.fail(`${page.url()} does not say ${piece} but ${await page.innerText("body")}`));
}

/** The longest piece that no way of quoting changes. */
const plain = (text) => text.slice(0, 70).split(/["'\\\u0000\u202e]|, /).reduce((a, b) => (b.length > a.length ? b : a));

test("the watch sees what gets in, and the server's policy stops it too", async () => {
  const inject = (page, text) => page.evaluate((html) => { document.querySelector("#main").innerHTML = html; }, text);
  await watched(async (page) => {
    await page.goto(server.base + mnk.path);
    await shows(page, "1_---------");
    await inject(page, IMAGE);
    assert.equal((await strangers(page)).length, 2, "as an element and by its handler");
  }, { wanted: ["script 1"] });
  await watched(async (page) => {
    await page.goto(server.base + mnk.path);
    await shows(page, "1_---------");
    await inject(page, TEXTS.slice(0, 2).join(""));
    assert.equal((await strangers(page)).length, 4);
  }, { bypassCSP: false });
});

test("hostile names in the path are shown as text", async () => {
  await watched(async (page) => {
    for (const text of TEXTS) {
      const name = encodeURIComponent(text);
      for (const path of [`/${name}`, `/${name}/default`, `/${name}/default/statistics`, `/mnk/${name}`, `/mnk/rows=${name}`, `/qbf/formula=${name}`, `/qbf/file=${name}`, `/xiangqi/material=${name}`]) {
        await page.goto(server.base + path);
        await complains(page, ".problem", plain(text));
        await clean(page, path);
      }
      await page.goto(`${server.base}/mnk/${name}/statistics`);
      await page.waitForSelector(".problem");
      await clean(page, `statistics of ${text}`);
      // The last part of a path that the page does not look at.
      await page.goto(`${server.base}${mnk.path}/${name}`);
      await shows(page, "1_---------");
      await clean(page, `third part ${text}`);
    }
  });
});

test("hostile positions, moves and other parts of the query, and fragments", async () => {
  await watched(async (page) => {
    for (const text of TEXTS) {
      const name = encodeURIComponent(text);
      for (const query of [`p=${name}`, `m=${name}`, `m=b2,${name}&at=2`, `p=${name}&m=${name}&at=${name}`]) {
        await page.goto(`${server.base}${mnk.path}?${query}`);
        await complains(page, ".problem", plain(text));
        await clean(page, query);
      }
      for (const rest of [`?at=${name}`, `?${name}=${name}`, `?__proto__=${name}&constructor=${name}`, `#${name}`, `?m=b2#${text}`]) {
        await page.goto(`${server.base}${mnk.path}${rest}`);
        await page.waitForSelector(".board .move");
        await clean(page, rest);
      }
      await page.goto(`${server.base}/?${name}=${name}#${name}`);
      await page.waitForSelector(".game-card");
      await clean(page, "the list of games");
    }
  });
});

test("hostile text in every field", async () => {
  await watched(async (page) => {
    for (const text of TEXTS) {
      const typed = text.replaceAll("\u0000", "");
      await page.goto(server.base);
      await page.waitForSelector(".game-card");
      await page.fill("#search", typed);
      await page.waitForSelector(text === IMAGE ? ".variant:visible" : ".empty:visible");
      await clean(page, "search");

      await page.goto(server.base + mnk.path);
      await page.waitForSelector(".board .move");
      await page.fill("#position-text", typed);
      await page.click(".positions button:has-text('Set')");
      await complains(page, ".positions .wrong", plain(typed));
      await clean(page, "position");
      // Fields that take numbers and choices alone are made to take anything.
      await page.$eval("#random-far", (field, value) => { field.type = "text"; field.value = value; }, typed);
      await page.$eval("#random-value", (field, value) => { field.append(new Option("any", value, true, true)); }, typed);
      await page.$eval(".positions", (box) => { for (const form of box.querySelectorAll("form")) form.noValidate = true; });
      await page.click(".positions >> text=Roll");
      await page.waitForSelector(".positions .wrong:not(:empty)");
      await clean(page, "random");
      await page.click("[data-action=edit]");
      await page.fill("#editor-text", typed);
      await page.click("dialog >> text=Use this position");
      await complains(page, "dialog .wrong", plain(typed));
      await clean(page, "editor");

      await page.goto(`${server.base}/qbf`);
      await page.fill("#option-formula", typed);
      await page.click("button:has-text('Open')");
      await complains(page, ".problem", plain(typed).split(",")[0]);
      await clean(page, "option");
    }
  });
});

test("hostile saved games and hostile memory of the browser", async () => {
  await watched(async (page) => {
    const load = async (lines) => {
      await page.goto(server.base + mnk.path);
      await page.waitForSelector(".board .move");
      const text = ["Zermelo game", ...lines, ""].join("\n");
      await page.setInputFiles("input[type=file]", { name: `${IMAGE}.txt`, mimeType: "text/html", buffer: Buffer.from(text) });
    };
    for (const text of TEXTS) {
      for (const lines of [[`game: ${text}`, "variant: default"], ["game: mnk", `variant: ${text}`], ["game: mnk", "variant: default", `start: ${text}`]]) {
        await load(lines);
        await complains(page, ".problem", plain(text));
        await clean(page, lines.join());
      }
      await load(["game: mnk", "variant: default", "start: usual", `moves: ${text.replaceAll(" ", "")}`, `at: ${text}`]);
      await complains(page, ".problem", "is not legal");
      await clean(page, "moves");
    }
    await page.evaluate((text) => { for (const name of ["zermelo.theme", "zermelo.hints", "theme"]) localStorage.setItem(name, text); }, IMAGE);
    await page.goto(server.base + mnk.path);
    await page.waitForSelector(".board .move");
    await clean(page, "memory");
  });
});

test("hostile names of folders, in the list and in what the server says about a damaged database", async () => {
  await watched(async (page) => {
    await page.goto(server.base);
    await page.waitForSelector(".game-card");
    await complains(page, ".variant .note", IMAGE);
    await clean(page, "the list of games");
    for (const path of ["/mnk", "/qbf"]) {
      await page.goto(server.base + path);
      await page.waitForSelector(".variant");
      await clean(page, path);
    }
    for (const path of ["/mnk/misere=yes", "/mnk/misere=yes/statistics"]) {
      await page.goto(server.base + path);
      await complains(page, ".problem", IMAGE);
      await clean(page, path);
    }
  });
});

test("hostile answers: every text that the server may send is shown as text", async () => {
  const texts = new Set(["title", "name", "names", "summary", "note", "rules", "notation", "help", "error", "words", "variant_name"]);
  const spoil = (value, key) => {
    if (typeof value === "string") return texts.has(key) ? `${value}${TEXTS.join("")}\n\n${IMAGE}\`${IMAGE}\`` : value;
    if (Array.isArray(value)) return value.map((one) => spoil(one, key));
    if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, spoil(one, name)]));
    return value;
  };
  await watched(async (page) => {
    await page.route("**/api/v1/games**", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: spoil(await answer.json()) });
    });
    for (const [path, ready] of [["/", ".game-card"], ["/mnk", ".variant"], ["/othello", ".variant"], [mnk.path, ".board .move"], [`${mnk.path}?m=b2,a1`, ".history .node"], [`${mnk.path}/statistics`, ".figures"], ["/docs", ".api-route"], ["/xiangqi/pieces=3", ".board"], ["/chess", ".problem"], ["/mnk/misere=yes", ".problem"]]) {
      await page.goto(server.base + path);
      await page.waitForSelector(ready);
      await complains(page, "main", IMAGE);
      await clean(page, path);
    }
    // Titles and what is said to people who listen have the texts too.
    await page.goto(server.base + mnk.path);
    await page.waitForSelector(".board .move");
    assert.ok((await page.title()).includes(IMAGE));
    await page.hover(".row-move button");
    await page.keyboard.press("l");
    await page.waitForSelector(".line .step");
    await page.click("[data-action=edit]");
    await page.waitForSelector("dialog .tiles");
    await clean(page, "line and editor");
  });
});

test("answers and refusals of the API are no pages", async () => {
  await watched(async (page) => {
    for (const text of TEXTS) {
      const name = encodeURIComponent(text);
      for (const path of [`/api/v1/games/${name}`, `/api/v1/games/mnk/${name}`, `/api/v1/games/mnk/default/position?p=${name}`, `/api/${name}`, `/api/v1/games/mnk/default/random?value=${name}`, `/ui/${name}`, `/v1/${name}/${name}/positions/?p=${name}`, `/metrics?${name}`]) {
        const answer = await page.goto(server.base + path);
        const headers = answer.headers();
        // A path that is no file and no part of the API is the page itself.
        if (headers["content-type"].startsWith("text/html")) await page.waitForSelector("main .problem");
        else assert.match(headers["content-type"], /^(application\/json|text\/plain)/, path);
        assert.equal(headers["x-content-type-options"], "nosniff", path);
        assert.match(headers["content-security-policy"], /script-src 'self'(;|$)/, path);
        await clean(page, path);
      }
    }
  });
});
