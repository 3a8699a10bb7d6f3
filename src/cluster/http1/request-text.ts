import { type OutgoingHttpHeaders, validateHeaderName, validateHeaderValue } from "node:http";

interface Request {
  host: string;
  method: string;
  path: string;
  headers: OutgoingHttpHeaders;
  body?: string | undefined;
}

// oxlint-disable-next-line no-control-regex
const unescaped = /[^\x21-\x7e\x80-\xff]/;

/** A whole request as sent. Rejects, with Node's error codes, anything a server could read as more than one request. */
export function requestText({ host, method, path, headers, body }: Request): string | Buffer {
  validateHeaderName(method);
  if (unescaped.test(path))
    throw Object.assign(new TypeError("Request path contains unescaped characters"), {
      code: "ERR_UNESCAPED_CHARACTERS",
    });
  let head = `${method} ${path || "/"} HTTP/1.1\r\nhost: ${host}\r\n`;
  for (const name in headers) {
    const value = headers[name];
    if (Array.isArray(value)) for (const one of value) head += line(name, one);
    else if (value !== undefined) head += line(name, String(value));
  }
  // Servers expect a length with these methods, even without a body.
  if (body === undefined && (method === "POST" || method === "PUT" || method === "PATCH"))
    head += "content-length: 0\r\n";
  head += "\r\n";
  // Heads are Latin-1 and bodies UTF-8; for an ASCII head both are the same.
  if (Buffer.byteLength(head) === head.length) return body === undefined ? head : head + body;
  return Buffer.concat([Buffer.from(head, "latin1"), Buffer.from(body ?? "")]);
}

function line(name: string, value: string): string {
  validateHeaderName(name);
  validateHeaderValue(name, value);
  return `${name}: ${value}\r\n`;
}
