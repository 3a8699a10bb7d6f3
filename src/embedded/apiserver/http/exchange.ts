import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { TLSSocket } from "node:tls";

/** HTTP/1.1 and HTTP/2 through Node's compatibility API. */
export type HttpRequest = IncomingMessage | Http2ServerRequest;
export type HttpResponse = (ServerResponse | Http2ServerResponse) & {
  write(chunk: Buffer | string): boolean;
  end(chunk?: Buffer | string): unknown;
  flushHeaders(): void;
};

export function tlsSocketOf(request: HttpRequest): TLSSocket {
  return ("stream" in request ? request.stream.session?.socket : request.socket) as TLSSocket;
}

/** Aborts the response: the client sees that the body is incomplete. */
export function cutOff(response: HttpResponse): void {
  if ("stream" in response) response.stream?.close(0x8 /* CANCEL */);
  else (response as ServerResponse).destroy();
}

/** For a client that may never send the rest of its body: an HTTP/1.1 connection cannot be used again after that. */
export function closeAfterResponse(response: HttpResponse): void {
  // The response of HTTP/2 emits "finish" only when its stream has closed.
  if ("stream" in response) response.stream?.once("finish", () => response.stream?.close(0x0 /* NO_ERROR */));
  else if (!(response as ServerResponse).headersSent) (response as ServerResponse).setHeader("connection", "close");
}

/** Whether the client has closed the connection. */
export function isGone(response: HttpResponse): boolean {
  return "stream" in response ? (response.stream?.destroyed ?? true) : (response as ServerResponse).destroyed;
}
