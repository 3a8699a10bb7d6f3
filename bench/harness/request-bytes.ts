import type { BenchServer } from "./servers.ts";

interface Request {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
}

/** A whole request as it goes over the wire, so that making it is not measured. */
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
