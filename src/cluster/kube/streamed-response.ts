import type { IncomingMessage } from "node:http";
import type { HttpResponse } from "./http1/exchange.ts";

/** An answer as Node's own client gives it: its body can be read as it comes. */
export class StreamedResponse implements HttpResponse {
  readonly message: IncomingMessage;

  constructor(message: IncomingMessage) {
    this.message = message;
  }

  get status(): number {
    return this.message.statusCode ?? 0;
  }

  header(name: string): string | undefined {
    const value = this.message.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }

  /** By listening: to read a short answer with an async iterator costs more than to parse it. */
  text(): Promise<string> {
    const { message } = this;
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let ended = false;
      const closed = (): void => {
        if (!ended) reject(new Error("the connection was closed within the answer"));
      };
      message.on("data", (chunk: Buffer) => chunks.push(chunk));
      message.on("end", () => {
        ended = true;
        resolve((chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)).toString("utf8"));
      });
      message.on("error", reject);
      message.on("close", closed);
      // One that broke before anybody listened tells no more.
      if (message.destroyed) closed();
    });
  }
}
