import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import type { IncomingMessage, ServerResponse } from "node:http";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
  ".json": "application/json",
};
/** Texts are kept compressed alone. */
const compressed = ".br";
const decompress = promisify(brotliDecompress);

/** The files of the page, as they were built. Nothing else can be read: names are compared with those that there are. */
export class Assets {
  readonly #folder: string;
  #names: Promise<ReadonlySet<string>> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async send(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    this.#names ??= listed(this.#folder);
    const names = await this.#names;
    const wanted = path.slice(1);
    // Addresses of views have no dot; `index.html` finds the view.
    const isThere = (one: string): boolean => names.has(one) || names.has(`${one}${compressed}`);
    const name = isThere(wanted) ? wanted : wanted.includes(".") ? undefined : "index.html";
    if (name === undefined || !isThere(name)) {
      const missing = name === "index.html" ? "The page has not been built: npm run prepare\n" : "Not found\n";
      response.writeHead(404, { "Content-Type": "text/plain; charset=utf-8" }).end(missing);
      return;
    }
    const isCompressed = names.has(`${name}${compressed}`);
    const isAccepted = /\bbr\b/.test(request.headers["accept-encoding"]?.toString() ?? "");
    const stored = await readFile(join(this.#folder, isCompressed ? `${name}${compressed}` : name));
    const body = isCompressed && !isAccepted ? await decompress(stored) : stored;
    response.writeHead(200, {
      "Content-Type": types[extname(name)] ?? "application/octet-stream",
      "Content-Length": body.length,
      Vary: "Accept-Encoding",
      ...(isCompressed && isAccepted ? { "Content-Encoding": "br" } : {}),
      // Names of files in `assets` hold a hash of what is in them.
      "Cache-Control": name.startsWith("assets/") ? "public, max-age=31536000, immutable" : "no-cache",
    });
    response.end(request.method === "HEAD" ? undefined : body);
  }
}

async function listed(folder: string): Promise<ReadonlySet<string>> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return new Set(
      entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)),
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return new Set();
  }
}
