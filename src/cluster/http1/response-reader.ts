/** Limit of the head, including all interim (1xx) responses, and of the trailers. */
const maxHead = 64 * 1024;
const maxSizeLine = 4 * 1024;
const nothing = Buffer.alloc(0);
const lineEnd = "\r\n";
const blankLine = "\r\n\r\n";
const beginning = "HTTP/1.";
const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?\r\n/;
const field = /([!#$%&'*+\-.^_`|~0-9A-Za-z]+):([\t\x20-\x7e\x80-\xff]*)\r\n/y;
const sizeLine = /^([0-9A-Fa-f]{1,13})[\t ]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/;
const decimal = /^\d{1,15}$/;
/** `Keep-Alive: timeout=0` or `1`: the server may close before the next request arrives. */
const closesSoon = /^timeout=[01](?!\d)/;

/** The server sends more than the caller takes. */
export class BodyLimitError extends Error {
  override readonly name = "BodyLimitError";
}

type State = "head" | "sized" | "chunk size" | "chunk" | "after chunk" | "trailers" | "until close" | "done";

/**
 * Reads one HTTP/1.1 response, however its bytes are split. Rejects anything ambiguous: a wrong guess would give one
 * request the response of another.
 */
export class ResponseReader {
  /** 0 until the head is complete. */
  status = 0;
  headers: ReadonlyMap<string, string> = new Map();
  /** Whether the connection can serve another request after this response. */
  keepAlive = false;
  readonly #bodiless: boolean;
  readonly #maxBody: number;
  #state: State = "head";
  #pieces: Buffer[] = [];
  /** The beginning of a head or line that is not complete. */
  #rest: Buffer = nothing;
  #headBytes = 0;
  #bodyBytes = 0;
  #missing = 0;

  /** `maxBody`: bytes of the body. Default: as many as the server sends. */
  constructor(method: string, maxBody = Infinity) {
    this.#bodiless = method === "HEAD";
    this.#maxBody = maxBody;
  }

  get done(): boolean {
    return this.#state === "done";
  }

  /** The whole body. */
  text(): string {
    const [first] = this.#pieces;
    return (first && this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces)).toString("utf8");
  }

  push(bytes: Buffer): void {
    const input = this.#rest.length > 0 ? Buffer.concat([this.#rest, bytes]) : bytes;
    this.#rest = nothing;
    let at = 0;
    while (at < input.length && this.#state !== "done") {
      const used = this.#step(input, at);
      if (used === 0) {
        this.#rest = input.subarray(at);
        return;
      }
      at += used;
    }
    // Bytes after the end of the response: they would be read as part of the next one.
    if (at < input.length) this.keepAlive = false;
  }

  /** The connection was closed. */
  end(): void {
    if (this.#state === "until close") this.#state = "done";
  }

  /** Returns the number of bytes used; 0 when more are needed. */
  #step(input: Buffer, at: number): number {
    switch (this.#state) {
      case "head":
        return this.#head(input, at);
      case "chunk size":
        return this.#chunkSize(input, at);
      case "after chunk":
        return this.#afterChunk(input, at);
      case "trailers":
        return this.#trailers(input, at);
      default:
        return this.#body(input, at);
    }
  }

  #head(input: Buffer, at: number): number {
    const seen = input.toString("latin1", at, at + beginning.length);
    if (!beginning.startsWith(seen)) throw malformed("it does not begin with HTTP/1.");
    const end = input.indexOf(blankLine, at);
    const length = (end < 0 ? input.length : end + blankLine.length) - at;
    if (this.#headBytes + length > maxHead) throw malformed(`its head is longer than ${maxHead} bytes`);
    if (end < 0) return 0;
    this.#headBytes += length;
    const head = input.toString("latin1", at, end + lineEnd.length);
    const [line, minor, status] = statusLine.exec(head) ?? [];
    if (line === undefined) throw malformed("its first line has no status");
    const headers = fields(head, line.length);
    const code = Number(status);
    if (code === 101) throw malformed("it switches protocols without a request to do so");
    if (code >= 200) this.#begin(code, headers, minor === "1");
    return length;
  }

  #begin(status: number, headers: ReadonlyMap<string, string>, current: boolean): void {
    this.status = status;
    this.headers = headers;
    const connection = (headers.get("connection") ?? "").toLowerCase();
    this.keepAlive =
      (current ? !connection.includes("close") : connection.includes("keep-alive")) &&
      !closesSoon.test(headers.get("keep-alive") ?? "");
    const coding = headers.get("transfer-encoding");
    const length = headers.get("content-length");
    if (coding !== undefined && (length !== undefined || !current || coding.toLowerCase() !== "chunked"))
      throw malformed("its length is ambiguous");
    if (length !== undefined && !decimal.test(length)) throw malformed("its length is not a number");
    this.#missing = Number(length ?? 0);
    if (this.#bodiless || status === 204 || status === 304) this.#state = "done";
    else if (coding !== undefined) this.#state = "chunk size";
    else if (length !== undefined) this.#state = this.#missing > 0 ? "sized" : "done";
    else {
      this.#state = "until close";
      this.keepAlive = false;
    }
  }

  #body(input: Buffer, at: number): number {
    const there = input.length - at;
    const used = this.#state === "until close" ? there : Math.min(this.#missing, there);
    this.#bodyBytes += used;
    if (this.#bodyBytes > this.#maxBody)
      throw new BodyLimitError(`the server's response has more than ${this.#maxBody} bytes`);
    this.#pieces.push(input.subarray(at, at + used));
    if (this.#state === "until close") return used;
    this.#missing -= used;
    if (this.#missing === 0) this.#state = this.#state === "sized" ? "done" : "after chunk";
    return used;
  }

  #chunkSize(input: Buffer, at: number): number {
    const end = input.indexOf(lineEnd, at);
    if ((end < 0 ? input.length : end) - at > maxSizeLine) throw malformed("a chunk's size does not end");
    if (end < 0) return 0;
    const size = sizeLine.exec(input.toString("latin1", at, end))?.[1];
    if (size === undefined) throw malformed("a chunk's size is not a number");
    this.#missing = Number.parseInt(size, 16);
    this.#state = this.#missing > 0 ? "chunk" : "trailers";
    return end + lineEnd.length - at;
  }

  #afterChunk(input: Buffer, at: number): number {
    const seen = input.toString("latin1", at, at + lineEnd.length);
    if (!lineEnd.startsWith(seen)) throw malformed("a chunk is longer than its size");
    if (seen !== lineEnd) return 0;
    this.#state = "chunk size";
    return lineEnd.length;
  }

  #trailers(input: Buffer, at: number): number {
    if (input.toString("latin1", at, at + lineEnd.length) === lineEnd) {
      this.#state = "done";
      return lineEnd.length;
    }
    const end = input.indexOf(blankLine, at);
    const length = (end < 0 ? input.length : end + blankLine.length) - at;
    if (length > maxHead) throw malformed(`its trailers are longer than ${maxHead} bytes`);
    if (end < 0) return 0;
    fields(input.toString("latin1", at, end + lineEnd.length), 0);
    this.#state = "done";
    return length;
  }
}

function fields(text: string, from: number): Map<string, string> {
  const found = new Map<string, string>();
  for (let at = from; at < text.length; at = field.lastIndex) {
    field.lastIndex = at;
    const [, name = "", value = ""] = field.exec(text) ?? [];
    if (name === "") throw malformed("a line of its head is not a header");
    const key = name.toLowerCase();
    const before = found.get(key);
    if (before !== undefined && key === "content-length") throw malformed("it has two lengths");
    found.set(key, before === undefined ? value.trim() : `${before}, ${value.trim()}`);
  }
  return found;
}

function malformed(why: string): Error {
  return new Error(`the server's response is not valid HTTP: ${why}`);
}
