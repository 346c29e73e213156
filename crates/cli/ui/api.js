// The server. A request that finds no server waits until there is one again and is then
// repeated, so that pages need not know; `onLost` tells when it is away. Answers about
// positions are kept, the oldest are dropped.
const BASE = "/api/v1";
const KEPT = 600;
const AWAY = [429, 502, 503, 504];

export class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

const kept = new Map();
let listener = () => {};
let away = null;
let hurry = () => {};

/** `listen` is called with the seconds until the next try (0: trying), or null when all is well. */
export function onLost(listen) { listener = listen; }

/** Tries now instead of at the end of the wait. */
export function retryNow() { hurry(); }

export const isAbort = (error) => error?.name === "AbortError";

async function alive() {
  try {
    const answer = await fetch(`${BASE}/health`, { cache: "no-store", signal: AbortSignal.timeout(5000) });
    return answer.ok;
  } catch {
    return false;
  }
}

/** Resolves when the server answers again. One loop serves all who wait. */
function back() {
  away ??= (async () => {
    for (let wait = 1; ; wait = Math.min(wait * 2, 16)) {
      for (let left = wait; left > 0; left -= 1) {
        listener(left);
        const hurried = await new Promise((resolve) => {
          hurry = () => resolve(true);
          setTimeout(resolve, 1000, false);
        });
        if (hurried) { wait = 1; break; }
      }
      listener(0);
      if (await alive()) break;
    }
    away = null;
    listener(null);
  })();
  return away;
}

function unlessAborted(promise, signal) {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const stop = () => reject(new DOMException("no longer wanted", "AbortError"));
    if (signal.aborted) { stop(); return; }
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject);
  });
}

export async function request(path, { signal, body, method = "GET" } = {}) {
  for (;;) {
    let answer;
    try {
      const limit = AbortSignal.timeout(60000);
      answer = await fetch(BASE + path, {
        method,
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
        headers: body ? { "content-type": "application/json" } : {},
        body: body && JSON.stringify(body),
      });
      if (!AWAY.includes(answer.status)) {
        const text = await answer.text();
        return read(answer, text);
      }
    } catch (error) {
      if (signal?.aborted || error instanceof ApiError) throw error;
    }
    await unlessAborted(back(), signal);
  }
}

function read(answer, text) {
  let json;
  try { json = JSON.parse(text); } catch { json = null; }
  if (!answer.ok) throw new ApiError(answer.status, json?.error || `The server answered ${answer.status}.`);
  if (json === null) throw new ApiError(answer.status, "The server's answer is not JSON.");
  return json;
}

/** Looks now and then whether the server is there, so that a quiet page notices too. */
export function watch(seconds = 20) {
  setInterval(async () => {
    if (!document.hidden && !away && !(await alive())) back();
  }, seconds * 1000);
}

/** A part of a path: like encodeURIComponent, but `=` and `,` stay readable. */
export const part = (text) => encodeURIComponent(text).replaceAll("%3D", "=").replaceAll("%2C", ",");

const at = (game, variant) => `/games/${part(game)}/${part(variant)}`;

export const games = (signal) => request("/games", { signal });
export const card = (game, signal) => request(`/games/${part(game)}`, { signal });
export const variant = (game, name, signal) => request(at(game, name), { signal });
export const line = (game, name, p, signal) => request(`${at(game, name)}/line?p=${encodeURIComponent(p)}`, { signal });
export const statistics = (game, name, signal) => request(`${at(game, name)}/statistics`, { signal });
export const progress = (game, name, signal) => request(`${at(game, name)}/solve`, { signal });
export const solve = (game, name) => request(`${at(game, name)}/solve`, { method: "POST" });

export function random(game, name, value, remoteness, signal) {
  const query = new URLSearchParams();
  if (value) query.set("value", value);
  if (remoteness !== "") query.set("remoteness", remoteness);
  return request(`${at(game, name)}/random?${query}`, { signal });
}

/** A position; or, where moves are given, the one after them. */
export async function position(game, name, p, signal, moves = []) {
  const query = [...(p == null ? [] : [`p=${encodeURIComponent(p)}`]), ...(moves.length ? [`m=${moves.map(encodeURIComponent).join(",")}`] : [])];
  const key = `${at(game, name)}/position${query.length ? `?${query.join("&")}` : ""}`;
  const known = kept.get(key);
  const node = known ?? await request(key, { signal });
  kept.delete(key);
  kept.set(key, node);
  if (kept.size > KEPT) kept.delete(kept.keys().next().value);
  return node;
}

/** Forgets answers, because a solve has made better ones. */
export function forget() { kept.clear(); }
