import type { IncomingMessage, ServerResponse } from "node:http";
import type { ErrorAnswer } from "../../../../console/protocol/answers.ts";
import { isObject, type JsonObject } from "../../../language/object/json.ts";

/**
 * The object in a body. Undefined: it is none, or larger than `most`. The rest of a body that is too large is read and dropped, so
 * that its sender reads the answer; one that is far too large loses its connection.
 */
export async function readJson(request: IncomingMessage, most: number): Promise<JsonObject | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size <= most) chunks.push(chunk as Buffer);
    else if (size > 16 * most) return undefined;
  }
  if (size > most) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function sendJson(response: ServerResponse, code: number, value: object): void {
  const body = JSON.stringify(value);
  response
    .writeHead(code, {
      "Content-Type": "application/json; charset=utf-8",
      "Content-Length": Buffer.byteLength(body),
      "Cache-Control": "no-store",
    })
    .end(body);
}

export function sendError(response: ServerResponse, code: number, error: ErrorAnswer): void {
  sendJson(response, code, error);
}
