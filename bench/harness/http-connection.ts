import { connect, type TLSSocket } from "node:tls";
import { ResponseReader } from "./response-reader.ts";
import type { BenchServer } from "./servers.ts";

export interface Reply {
  readonly status: number;
  readonly pieces: readonly Buffer[];
}

interface Waiting {
  readonly onPiece: ((piece: Buffer) => void) | undefined;
  readonly onHead: ((status: number) => void) | undefined;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
}

/** One kept-alive HTTP/1.1 connection over TLS, with one request on it at a time. */
export class HttpConnection {
  readonly #socket: TLSSocket;
  #waiting: Waiting | undefined;
  #status = 0;
  #pieces: Buffer[] = [];

  private constructor(socket: TLSSocket) {
    this.#socket = socket;
    const reader = new ResponseReader({
      head: (status) => {
        this.#status = status;
        this.#waiting?.onHead?.(status);
      },
      body: (piece) => {
        if (this.#waiting?.onPiece) this.#waiting.onPiece(piece);
        else this.#pieces.push(piece);
      },
      end: () => this.#answered(),
    });
    socket.on("data", (bytes) => reader.push(bytes));
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#fail(new Error("the server closed the connection")));
  }

  static open({ url, caPem }: BenchServer): Promise<HttpConnection> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), ca: caPem, ALPNProtocols: ["http/1.1"] });
      socket.setNoDelay(true);
      socket.once("error", reject);
      socket.once("secureConnect", () => {
        socket.off("error", reject);
        resolve(new HttpConnection(socket));
      });
    });
  }

  /** Sends a whole request that `requestBytes` made. */
  send(request: Buffer): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (!this.#socket.writable) return reject(new Error("the server closed the connection while it was idle"));
      this.#waiting = { resolve, reject, onPiece: undefined, onHead: undefined };
      this.#socket.write(request);
    });
  }

  /** Sends a request whose response goes on. Resolves with the head of the response; the body goes to `onPiece`. */
  stream(request: Buffer, onPiece: (piece: Buffer) => void): Promise<{ status: number; ended: Promise<void> }> {
    return new Promise((resolve, reject) => {
      let end = (): void => {};
      const ended = new Promise<void>((resolve) => (end = resolve));
      const onHead = (status: number): void => resolve({ status, ended });
      const failed = (error: Error): void => {
        reject(error);
        end();
      };
      this.#waiting = { onPiece, onHead, resolve: end, reject: failed };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  #answered(): void {
    const waiting = this.#waiting;
    const reply: Reply = { status: this.#status, pieces: this.#pieces };
    this.#waiting = undefined;
    this.#pieces = [];
    waiting?.resolve(reply);
  }

  #fail(error: Error): void {
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }
}

interface Request {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
}

/** A whole request as sent, made before the measurement starts. */
export function requestBytes(server: BenchServer, { method, path, body, contentType }: Request): Buffer {
  const head = [
    `${method} ${path} HTTP/1.1`,
    `host: ${new URL(server.url).host}`,
    `authorization: Bearer ${server.token}`,
    "accept: application/json",
    "user-agent: attune-bench",
    ...(body === undefined
      ? []
      : [`content-type: ${contentType ?? "application/json"}`, `content-length: ${Buffer.byteLength(body)}`]),
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body ?? ""}`);
}
