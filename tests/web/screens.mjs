// A picture of every game's page in one mode, side by side on one sheet.
import { SMALL } from "./harness.mjs";

/** What a sheet is taken with: the size of the page and of its picture on the sheet, and the colours. */
export const MODES = {
  light: { page: { viewport: { width: 1280, height: 800 }, colorScheme: "light" }, size: [400, 250], columns: 4 },
  dark: { page: { viewport: { width: 1280, height: 800 }, colorScheme: "dark" }, size: [400, 250], columns: 4 },
  phone: { page: { viewport: { width: 390, height: 844 }, colorScheme: "light", hasTouch: true, isMobile: true }, size: [195, 422], columns: 8 },
};

/** Puts pictures side by side, as the browser draws them; the answer is a WebP file. */
async function sheet(page, pictures, { size: [wide, tall], columns }) {
  const data = await page.evaluate(async ({ pictures, wide, tall, columns }) => {
    const canvas = document.createElement("canvas");
    canvas.width = columns * (wide + 8) + 8;
    canvas.height = Math.ceil(pictures.length / columns) * (tall + 8) + 8;
    const brush = canvas.getContext("2d");
    brush.fillStyle = "#808693";
    brush.fillRect(0, 0, canvas.width, canvas.height);
    brush.imageSmoothingQuality = "high";
    for (const [i, picture] of pictures.entries()) {
      const image = new Image();
      image.src = `data:image/png;base64,${picture}`;
      await image.decode();
      brush.drawImage(image, 8 + (i % columns) * (wide + 8), 8 + Math.floor(i / columns) * (tall + 8), wide, tall);
    }
    return canvas.toDataURL("image/webp", 0.72);
  }, { pictures, wide, tall, columns });
  if (!data.startsWith("data:image/webp")) throw new Error("this browser writes no WebP");
  return Buffer.from(data.split(",")[1], "base64");
}

/** The sheet of a mode: each game a few moves after its start, so that there are pieces of both sides. */
export async function sheetOf(chrome, server, mode, games = Object.entries(SMALL)) {
  const context = await chrome.newContext({ ...mode.page, reducedMotion: "reduce" });
  try {
    const page = await context.newPage();
    const pictures = [];
    for (const [game, variant] of games) {
      const moves = [];
      for (let node = await server.api(`${game}/${variant}/position`); moves.length < 4;) {
        const move = node.moves[(3 * moves.length + 1) % node.moves.length];
        const next = await server.api(`${game}/${variant}/position?p=${encodeURIComponent(move.position)}`);
        if (next.over) break;
        moves.push(move.move);
        node = next;
      }
      await page.goto(`${server.base}/${game}/${variant}${moves.length ? `?m=${moves.map(encodeURIComponent).join(",")}` : ""}`);
      await page.waitForSelector(".board .move, .board .man");
      await page.waitForFunction((n) => document.querySelectorAll(".history .node").length === n, moves.length + 1);
      pictures.push((await page.screenshot()).toString("base64"));
    }
    const blank = await context.newPage();
    return await sheet(blank, pictures, mode);
  } finally {
    await context.close();
  }
}
