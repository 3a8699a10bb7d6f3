import { EventEmitter } from "node:events";
import type { HttpResponse } from "../http/exchange.ts";

/** A response that records what is sent; the test decides whether it takes more. */
export class FakeResponse extends EventEmitter {
  readonly written: Buffer[] = [];
  readonly headers = new Map<string, string | number>();
  code = 0;
  headersSent = false;
  takes = true;
  ended = false;
  destroyed = false;

  get asResponse(): HttpResponse {
    return this as unknown as HttpResponse;
  }

  get text(): string {
    return Buffer.concat(this.written).toString();
  }

  /** The frames of a watch. */
  get lines(): { type: string; object: Record<string, unknown> }[] {
    return this.text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as never);
  }

  setHeader(name: string, value: string): void {
    this.headers.set(name, value);
  }

  appendHeader(name: string, value: string): void {
    const before = this.headers.get(name);
    this.headers.set(name, before === undefined ? value : `${before}\n${value}`);
  }

  writeHead(code: number, headers: Record<string, string | number> = {}): void {
    this.code = code;
    this.headersSent = true;
    for (const [name, value] of Object.entries(headers)) this.headers.set(name, value);
  }

  flushHeaders(): void {}

  write(chunk: Buffer): boolean {
    this.written.push(chunk);
    return this.takes;
  }

  end(chunk?: Buffer): void {
    if (chunk) this.written.push(chunk);
    this.ended = true;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit("close");
  }

  /** The client has caught up. */
  drain(): void {
    this.takes = true;
    this.emit("drain");
  }
}
