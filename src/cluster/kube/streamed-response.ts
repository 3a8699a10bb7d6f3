import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { HttpResponse } from "../http1/exchange.ts";

/** A response of Node's HTTP client, whose body can be read while it arrives. */
export class StreamedResponse implements HttpResponse {
  readonly message: IncomingMessage;
  /** After status 101: what follows is another protocol. */
  readonly socket: Duplex | undefined;

  constructor(message: IncomingMessage, socket?: Duplex) {
    this.message = message;
    this.socket = socket;
  }

  get status(): number {
    return this.message.statusCode ?? 0;
  }

  header(name: string): string | undefined {
    const value = this.message.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }

  /** Uses listeners: reading a short response with an async iterator costs more than parsing it. */
  text(): Promise<string> {
    const { message } = this;
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let ended = false;
      const closed = (): void => {
        if (!ended) reject(new Error("the connection was closed before the response was complete"));
      };
      message.on("data", (chunk: Buffer) => chunks.push(chunk));
      message.on("end", () => {
        ended = true;
        resolve((chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)).toString("utf8"));
      });
      message.on("error", reject);
      message.on("close", closed);
      // A message that was destroyed before this call emits no further event.
      if (message.destroyed) closed();
    });
  }
}
