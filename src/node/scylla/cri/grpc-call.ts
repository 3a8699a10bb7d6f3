import { connect as connectHttp2, constants, type IncomingHttpHeaders } from "node:http2";
import { connect as connectSocket } from "node:net";

export interface GrpcCall {
  /** Path of the unix socket, as this process sees it. */
  readonly socket: string;
  /** `/package.Service/Method` */
  readonly method: string;
  readonly message: Uint8Array;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export type GrpcAnswer =
  | { readonly type: "message"; readonly bytes: Uint8Array }
  /** The server refused; `code` is the number that gRPC gives to the reason. */
  | { readonly type: "status"; readonly code: number; readonly message: string }
  /** No server, no answer in time, or none that gRPC allows. */
  | { readonly type: "failed"; readonly message: string };

export const grpcCodes = { ok: 0, notFound: 5, unimplemented: 12 } as const;

/** What the kubelet accepts from a runtime. */
const largestMessage = 16 * 1024 * 1024;
/** A byte for compression, and four for the length. */
const prefixBytes = 5;

/** Calls a method with one message, and returns its one answer. Each call has a connection of its own: none stays open in between. */
export function callGrpc({ socket, method, message, timeoutMs, signal }: GrpcCall): Promise<GrpcAnswer> {
  return new Promise((resolve) => {
    const session = connectHttp2("http://localhost", { createConnection: () => connectSocket(socket) });
    const answer = (answer: GrpcAnswer): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", aborted);
      resolve(answer);
      session.destroy();
    };
    const failed = (message: string): void => answer({ type: "failed", message });
    const aborted = (): void => failed("stopped");
    const timer = setTimeout(() => failed(`no answer within ${timeoutMs} ms`), timeoutMs);
    if (signal?.aborted) return aborted();
    signal?.addEventListener("abort", aborted, { once: true });
    session.on("error", ({ message }: Error) => failed(message));
    session.on("goaway", () => failed("the server ended the connection"));
    const stream = session.request({
      [constants.HTTP2_HEADER_METHOD]: "POST",
      [constants.HTTP2_HEADER_PATH]: method,
      "content-type": "application/grpc",
      te: "trailers",
      "grpc-timeout": `${timeoutMs}m`,
    });
    const received: Buffer[] = [];
    let size = 0;
    let status = 0;
    let trailers: IncomingHttpHeaders = {};
    stream.on("response", (headers) => {
      status = headers[":status"] ?? 0;
      // Without a message, trailers come in place of headers.
      trailers = headers;
    });
    stream.on("trailers", (headers: IncomingHttpHeaders) => (trailers = headers));
    stream.on("data", (bytes: Buffer) => {
      received.push(bytes);
      size += bytes.length;
      if (size > largestMessage + prefixBytes) failed("its answer has more than 16 MiB");
    });
    stream.on("error", ({ message }: Error) => failed(message));
    stream.on("end", () => answer(read({ status, trailers, body: Buffer.concat(received) })));
    // A stream that is reset without an error ends no data.
    stream.on("close", () => failed("the server closed the call"));
    stream.end(frame(message));
  });
}

interface Received {
  readonly status: number;
  readonly trailers: IncomingHttpHeaders;
  readonly body: Buffer;
}

function read({ status, trailers, body }: Received): GrpcAnswer {
  if (status !== 200) return { type: "failed", message: `it answers with HTTP status ${status}, not as gRPC does` };
  const code = Number(trailers["grpc-status"] ?? Number.NaN);
  if (!Number.isInteger(code)) return { type: "failed", message: "it answers without a status of gRPC" };
  if (code !== grpcCodes.ok) return { type: "status", code, message: decoded(trailers["grpc-message"]) };
  const length = body.length < prefixBytes ? -1 : body.readUInt32BE(1);
  if (body[0] !== 0 || length !== body.length - prefixBytes)
    return { type: "failed", message: "its answer is not one message of gRPC" };
  return { type: "message", bytes: body.subarray(prefixBytes) };
}

/** Messages are percent-encoded, but not by all servers. */
function decoded(text: string | string[] | undefined): string {
  const given = String(text ?? "");
  try {
    return decodeURIComponent(given);
  } catch (error) {
    if (error instanceof URIError) return given;
    throw error;
  }
}

function frame(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(prefixBytes);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}
