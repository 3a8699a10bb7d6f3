import { get } from "node:http";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";

/**
 * Bytes on the wire until all rows of the fleet are there, compressed as for a browser. The browser itself does not say: it counts
 * a response when it has ended, and the stream does not end.
 */
export async function rowBytes(address: string): Promise<number> {
  const { origin, hash } = new URL(address);
  const session = await fetch(`${origin}/api/session`, {
    method: "POST",
    headers: { origin, "content-type": "application/json" },
    body: JSON.stringify({ token: hash.slice(1) }),
  });
  const { key } = (await session.json()) as { key: string };
  const headers = {
    authorization: `Bearer ${key}`,
    "accept-encoding": "gzip",
    "sec-fetch-site": "same-origin",
  };
  return new Promise((resolve, reject) => {
    const request = get(`${origin}/api/stream?topics=fleet`, { headers }, (response) => {
      let bytes = 0;
      response.on("data", (chunk: Buffer) => (bytes += chunk.length));
      createInterface({ input: response.pipe(createGunzip()) }).on("line", (line) => {
        const frame = JSON.parse(line) as { type: string; topic?: string };
        if (frame.type !== "snap" || frame.topic !== "fleet") return;
        resolve(bytes);
        request.destroy();
      });
    });
    request.on("error", reject);
  });
}
