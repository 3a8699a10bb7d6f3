import type { ServerResponse } from "node:http";
import { constants, createGzip, type Gzip } from "node:zlib";
import type { Frame } from "../../../../console/protocol/frames.ts";

/** Writes frames to one reader, compressed as one stream: a frame that resembles those before it costs a few bytes. */
export class FrameWriter {
  readonly #response: ServerResponse;
  readonly #gzip: Gzip | undefined;
  readonly #closed: Promise<void>;
  #isClosed = false;

  constructor(response: ServerResponse, acceptedEncodings: string) {
    this.#response = response;
    this.#closed = new Promise((resolve) =>
      response.once("close", () => {
        this.#isClosed = true;
        this.#gzip?.destroy();
        resolve();
      }),
    );
    if (/\bgzip\b/.test(acceptedEncodings)) {
      this.#gzip = createGzip({ level: 5 });
      this.#gzip.pipe(response);
    }
    response.writeHead(200, {
      "Content-Type": "application/x-ndjson; charset=utf-8",
      "Cache-Control": "no-store",
      ...(this.#gzip ? { "Content-Encoding": "gzip" } : {}),
    });
    response.flushHeaders();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Resolves when the reader has room for more, or is gone. */
  async write(frames: Iterable<Frame>): Promise<void> {
    for (const frame of frames) {
      if (this.#isClosed) return;
      const line = `${JSON.stringify(frame)}\n`;
      if (this.#gzip) this.#gzip.write(line);
      else this.#response.write(line);
      await this.#room();
    }
  }

  end(): void {
    if (this.#gzip) this.#gzip.end();
    else this.#response.end();
  }

  async #room(): Promise<void> {
    const gzip = this.#gzip;
    if (gzip) {
      const flushed = new Promise<void>((resolve) => gzip.flush(constants.Z_SYNC_FLUSH, () => resolve()));
      await Promise.race([flushed, this.#closed]);
    }
    while (!this.#isClosed && this.#response.writableNeedDrain) {
      const drained = new Promise<void>((resolve) => this.#response.once("drain", () => resolve()));
      await Promise.race([drained, this.#closed]);
    }
  }
}
