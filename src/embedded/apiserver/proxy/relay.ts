import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { cutOff, type HttpResponse } from "../http/exchange.ts";

/** The rest of an answer, as it comes and as fast as it is taken. */
export function relay(from: IncomingMessage, to: HttpResponse, code: number, headers: OutgoingHttpHeaders): void {
  to.writeHead(code, headers as never);
  to.flushHeaders();
  // An end that is no end must not look like one.
  from.once("error", () => cutOff(to));
  to.once("close", () => from.destroy());
  from.pipe(to as NodeJS.WritableStream);
}

/** Aborted when the client goes away. */
export function whileConnected(response: HttpResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  return gone.signal;
}
