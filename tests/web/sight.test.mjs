// Every game on a laptop: no value lies on what must be read, and all that is needed to play is in sight.
import { after, before, test } from "node:test";
import { browser, Server } from "./harness.mjs";
import { known, look } from "./sight.mjs";

let server;
let chrome;

before(async () => { server = await Server.start({ games: [], options: ["--search-time", "0.3"] }); chrome = await browser(); });
after(async () => { await chrome?.close(); await server?.stop(); });

test("on a laptop nothing is hidden, and nothing has to be scrolled for", () => look(chrome, server, { viewport: { width: 1280, height: 800 } }));

test("boards in full size on a laptop need no scrolling either", () => known(chrome, server, { viewport: { width: 1280, height: 800 } }));
