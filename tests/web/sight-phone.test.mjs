// Every game on a phone: no value lies on what must be read, and all that is needed to play is in sight.
import { after, before, test } from "node:test";
import { browser, Server } from "./harness.mjs";
import { known, look } from "./sight.mjs";

let server;
let chrome;

before(async () => { server = await Server.start({ games: [], options: ["--search-time", "0.3"] }); chrome = await browser(); });
after(async () => { await chrome?.close(); await server?.stop(); });

test("on a phone nothing is hidden, and nothing has to be scrolled for", () => look(chrome, server, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }));

test("boards in full size on a phone need no scrolling either", () => known(chrome, server, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }));
