import type { HttpResponse } from "./exchange.ts";

/** The size of one write. */
const portionBytes = 512 * 1024;

/** Sends a long body as fast as the client takes it, without copying it into one buffer. */
export async function respondPieces(response: HttpResponse, pieces: readonly Buffer[]): Promise<void> {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  response.writeHead(200, {
    "content-type": "application/json",
    "content-length": length,
    "cache-control": "no-cache, private",
  });
  const closed = new Promise<"closed">((resolve) => response.once("close", () => resolve("closed")));
  let portion: Buffer[] = [];
  let size = 0;
  for (const piece of pieces) {
    portion.push(piece);
    size += piece.length;
    if (size < portionBytes) continue;
    const taken = response.write(Buffer.concat(portion, size)) || drained(response);
    if ((await Promise.race([taken, closed])) === "closed") return;
    portion = [];
    size = 0;
  }
  response.end(Buffer.concat(portion, size));
}

function drained(response: HttpResponse): Promise<void> {
  return new Promise((resolve) => response.once("drain", () => resolve()));
}
