// Pictures of all games in light, in dark and on a phone. With ZERMELO_IMAGES=FOLDER they are kept there.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { browser, Server } from "./harness.mjs";
import { MODES, sheetOf } from "./screens.mjs";

const MOST = 300_000;
const LEAST = 40_000; // pictures of blank pages take less

let server;
let chrome;

before(async () => { server = await Server.start({ options: ["--search-time", "0.3"] }); chrome = await browser(); });
after(async () => { await chrome?.close(); await server?.stop(); });

for (const [name, mode] of Object.entries(MODES)) {
  test(`a sheet of all games: ${name}`, async () => {
    const picture = await sheetOf(chrome, server, mode);
    assert.ok(picture.length > LEAST && picture.length < MOST, `${picture.length} bytes`);
    if (process.env.ZERMELO_IMAGES) writeFileSync(join(process.env.ZERMELO_IMAGES, `games-${name}.webp`), picture);
  });
}
