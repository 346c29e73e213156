// Every game on a laptop: no value lies on what must be read, and all that is needed to play is in sight.
import { after, before, test } from "node:test";
import { browser, Server } from "./harness.mjs";
import { look } from "./sight.mjs";

let server;
let chrome;

before(async () => { server = await Server.start({ games: [] }); chrome = await browser(); });
after(async () => { await chrome?.close(); await server?.stop(); });

test("on a laptop nothing is hidden, and nothing has to be scrolled for", () => look(chrome, server, { viewport: { width: 1280, height: 800 } }));
