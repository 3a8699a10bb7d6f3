import { isObject } from "../../../language/object/json.ts";

/** How much of a text response is shown. */
const shownCharacters = 2048;

/** The message of client-go for a response with an error status. */
export function answerFailure(code: number, contentType: string | undefined, body: string): string {
  const message = statusMessage(body);
  if (message !== undefined) return message;
  const isText = contentType === undefined || contentType.toLowerCase().startsWith("text/");
  const text = isText ? body.slice(0, shownCharacters).trim() : "unknown";
  // client-go shows the body alone for these.
  if (code === 403 || code === 415) return text;
  const known = byCode.get(code);
  if (known !== undefined) return known;
  if (code >= 500) return `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`;
  return `the server responded with the status code ${code} but did not return more information`;
}

/** The message of a Status object in the body. */
function statusMessage(body: string): string | undefined {
  try {
    const status: unknown = JSON.parse(body);
    if (!isObject(status) || status.kind !== "Status" || status.status === "Success") return undefined;
    return typeof status.message === "string" && status.message !== "" ? status.message : undefined;
  } catch {
    return undefined;
  }
}

const byCode: ReadonlyMap<number, string> = new Map([
  [400, "the server rejected our request for an unknown reason"],
  [401, "the server has asked for the client to provide credentials"],
  [404, "the server could not find the requested resource"],
  [405, "the server does not allow this method on the requested resource"],
  [406, "the server was unable to respond with a content type that the client supports"],
  [409, "the server reported a conflict"],
  [422, "the server rejected our request due to an error in our request"],
  [429, "the server has received too many requests and has asked us to try again later"],
  [503, "the server is currently unable to handle the request"],
  [504, "the server was unable to return a response in the time allotted, but may still be processing the request"],
]);
