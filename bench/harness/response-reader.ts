/** Callbacks for one response. `body` may be called any number of times; the piece is only valid during the call. */
export interface ResponseSink {
  head(status: number): void;
  body(piece: Buffer): void;
  end(): void;
}

const nothing = Buffer.alloc(0);
const blankLine = "\r\n\r\n";
const lineEnd = "\r\n";

/**
 * Reads HTTP/1.1 responses from a connection. Node's HTTP client needs about as much CPU time as the server, and on a
 * machine with few cores that would distort the results.
 */
export class ResponseReader {
  readonly #sink: ResponseSink;
  #rest: Buffer = nothing;
  #state: "head" | "sized" | "chunk-size" | "chunk" | "trailer" = "head";
  /** Bytes of the body or chunk that have not arrived. */
  #missing = 0;

  constructor(sink: ResponseSink) {
    this.#sink = sink;
  }

  push(bytes: Buffer): void {
    let input = this.#rest.length > 0 ? Buffer.concat([this.#rest, bytes]) : bytes;
    this.#rest = nothing;
    while (input.length > 0) {
      const used = this.#step(input);
      if (used === 0) {
        this.#rest = input;
        return;
      }
      input = input.subarray(used);
    }
  }

  /** Returns the number of bytes used; 0 when more are needed. */
  #step(input: Buffer): number {
    switch (this.#state) {
      case "head":
        return this.#head(input);
      case "sized":
      case "chunk":
        return this.#body(input);
      case "chunk-size":
        return this.#chunkSize(input);
      case "trailer": {
        if (input.length < lineEnd.length) return 0;
        this.#finish();
        return lineEnd.length;
      }
    }
  }

  #head(input: Buffer): number {
    const end = input.indexOf(blankLine);
    if (end < 0) return 0;
    const head = input.toString("latin1", 0, end).toLowerCase();
    this.#sink.head(Number(head.slice(9, 12)));
    const length = /\ncontent-length: *(\d+)/.exec(head)?.[1];
    this.#missing = Number(length ?? 0);
    if (length === undefined && head.includes("transfer-encoding: chunked")) this.#state = "chunk-size";
    else if (this.#missing > 0) this.#state = "sized";
    else this.#finish();
    return end + blankLine.length;
  }

  #body(input: Buffer): number {
    const piece = input.subarray(0, this.#missing);
    this.#missing -= piece.length;
    this.#sink.body(piece);
    if (this.#missing > 0) return piece.length;
    if (this.#state === "sized") this.#finish();
    // The line end after a chunk is read together with the size of the next chunk.
    else this.#state = "chunk-size";
    return piece.length;
  }

  #chunkSize(input: Buffer): number {
    const start = input[0] === 0x0d ? lineEnd.length : 0;
    const end = input.indexOf(lineEnd, start);
    if (end < 0) return 0;
    this.#missing = Number.parseInt(input.toString("latin1", start, end), 16);
    this.#state = this.#missing > 0 ? "chunk" : "trailer";
    return end + lineEnd.length;
  }

  #finish(): void {
    this.#state = "head";
    this.#sink.end();
  }
}
