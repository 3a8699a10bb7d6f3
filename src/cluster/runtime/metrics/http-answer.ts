import type { ServerResponse } from "node:http";

/** Reads `host:port` or `:port`. `action` begins the message of the error. */
export function parseAddress(address: string, action: string): { host: string | undefined; port: number } {
  const colon = address.lastIndexOf(":");
  const port = Number(address.slice(colon + 1));
  if (colon < 0 || address.endsWith(":") || !Number.isInteger(port) || port < 0 || port > 65535)
    throw new Error(`${action} on "${address}": not of the form host:port`);
  const host = address.slice(0, colon).replace(/^\[(.*)\]$/, "$1");
  return { host: host || undefined, port };
}

export function send(
  response: ServerResponse,
  code: number,
  body: string,
  contentType = "text/plain; charset=utf-8",
): void {
  response.writeHead(code, {
    "content-type": contentType,
    "content-length": Buffer.byteLength(body),
    "x-content-type-options": "nosniff",
  });
  response.end(body);
}
