// A server with fresh databases and a browser, for the tests.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const BIN = resolve(process.env.ZERMELO_BIN ?? join(ROOT, "target/release/zermelo"));

export const GAMES = {
  mnk: { spec: "mnk", path: "/mnk/default", game: "mnk", variant: "default" },
  quixo: { spec: "quixo:rows=3,cols=3,line=3", path: "/quixo/rows=3,cols=3,line=3", game: "quixo", variant: "rows=3,cols=3,line=3" },
  connect4: { spec: "connect4:rows=4,cols=4", path: "/connect4/rows=4,cols=4", game: "connect4", variant: "rows=4,cols=4" },
  othello: {
    spec: "othello:rows=4,cols=4", path: "/othello/rows=4,cols=4", game: "othello", variant: "rows=4,cols=4",
    objectives: ["remoteness", "margin"],
  },
};

// Their moves are picked in two steps, so they have tests of their own. Pentago is searched, not solved.
export const PENTAGO = { path: "/pentago/default", game: "pentago", variant: "default" };
export const XIANGQI = { spec: "xiangqi:pieces=3", path: "/xiangqi/pieces=3", game: "xiangqi", variant: "pieces=3" };

// A small variant of each game; none needs to be solved.
export const SMALL = {
  allqueens: "rows=4,cols=4,queens=4", connect4: "rows=4,cols=4", dawson: "pins=7", dobutsu: "elephants=0,giraffes=0", domineering: "rows=3,cols=4",
  fairshares: "default", hex: "rows=3,cols=3", kalah: "default", kaooa: "default", kayles: "default", mnk: "default", morris: "men=6", nim: "default",
  othello: "rows=4,cols=4", pegs: "default", pentago: "default", qbf: "default", quarto: "rows=3,attributes=3", quixo: "rows=3,cols=3,line=3",
  slide: "rows=2,cols=3", teeko: "rows=4,cols=4", tento0: "default", toot: "rows=3,cols=4,each=3", xiangqi: "pieces=3",
};

function freePort() {
  return new Promise((done, failed) => {
    const probe = createServer().once("error", failed).listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => done(port));
    });
  });
}

export class Server {
  /** Solves `games` into a fresh folder whose name begins with `folder`, and serves it, with more `options` of the command. */
  static async start({ games = [...Object.values(GAMES), XIANGQI], folder = "zermelo-web-", options = [] } = {}) {
    const server = new Server();
    server.options = options;
    if (!existsSync(BIN)) throw new Error(`no program at ${BIN}: build it, or name another by ZERMELO_BIN`);
    server.data = mkdtempSync(join(tmpdir(), folder));
    try {
      for (const { spec, objectives = ["remoteness"] } of games) {
        for (const objective of objectives) {
          execFileSync(BIN, ["solve", spec, "--objective", objective, "--data", server.data], { stdio: "ignore" });
        }
      }
      server.port = await freePort();
      await server.up();
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  get base() { return `http://127.0.0.1:${this.port}`; }

  async up() {
    const args = ["serve", "--listen", `127.0.0.1:${this.port}`, "--data", this.data, "--quiet", ...this.options];
    if (process.env.ZERMELO_UI) args.push("--ui", resolve(process.env.ZERMELO_UI));
    this.child = spawn(BIN, args, { stdio: ["ignore", "ignore", "inherit"] });
    const dead = new Promise((_, fail) => { this.child.once("exit", (code) => fail(new Error(`the server ended with ${code}`))); });
    dead.catch(() => {});
    for (let i = 0; i < 200; i += 1) {
      const well = await Promise.race([dead, fetch(`${this.base}/api/v1/health`).then((answer) => answer.ok, () => false)]);
      if (well) return;
      await new Promise((go) => { setTimeout(go, 50); });
    }
    throw new Error("the server does not answer");
  }

  async down() {
    if (!this.child || this.child.exitCode !== null || this.child.signalCode) return;
    const gone = new Promise((done) => { this.child.once("exit", done); });
    this.child.kill("SIGKILL");
    await gone;
  }

  async stop() {
    await this.down();
    rmSync(this.data, { recursive: true, force: true });
  }

  async api(path) {
    const answer = await fetch(`${this.base}/api/v1/games/${path}`);
    return answer.json();
  }

  position({ game, variant }, p) {
    return this.api(`${game}/${variant}/position${p ? `?p=${encodeURIComponent(p)}` : ""}`);
  }
}

export function browser() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"],
  });
}

/** Opens a page, runs the test, and fails if the page complained. `allow` are complaints to expect. */
export async function visit(chrome, server, path, act, { allow = [], ...options } = {}) {
  const context = await chrome.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => { if (message.type() === "error") complaints.push(message.text()); });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.setDefaultTimeout(8000);
  try {
    await page.goto(server.base + path);
    await act(page);
    assert.deepEqual(complaints.filter((text) => !allow.some((known) => known.test(text))), [], "errors in the console");
  } finally {
    await context.close();
  }
}

/** Waits until the page shows a position. */
export const shows = (page, position) => page.waitForSelector(`[data-position="${position}"]`);
export const shown = (page) => page.getAttribute("[data-position]", "data-position");

/** What the marks on the board say, by move. */
export function marks(page) {
  return page.$$eval(".board .move", (all) => Object.fromEntries(all.map((mark) => [mark.dataset.move, {
    value: mark.dataset.value, remoteness: mark.dataset.remoteness ?? null, text: mark.querySelector(".badge text")?.textContent, label: mark.getAttribute("aria-label"),
    shape: mark.querySelector(".badge")?.firstElementChild.tagName,
  }])));
}
