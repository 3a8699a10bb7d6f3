import type { RequestContext } from "../request/context.ts";
import type { HttpResponse } from "./exchange.ts";

/** Headers are limited: beyond this many characters in total, each warning is cut, then further ones are left out. */
const maxCharacters = 4096;
const maxOfEach = 256;

/** Sent with every response, also with a refusal: kubectl shows both. */
export function sendWarnings(response: HttpResponse, { warnings, resource }: RequestContext): void {
  if (warnings.length === 0 && !resource.warning) return;
  const texts = [...new Set([resource.warning ?? "", ...warnings])].filter((text) => text !== "").map(ascii);
  response.setHeader(
    "warning",
    fitting(texts).map((text) => `299 - ${JSON.stringify(text)}`),
  );
}

function fitting(texts: readonly string[]): readonly string[] {
  if (texts.reduce((sum, { length }) => sum + length, 0) <= maxCharacters) return texts;
  const shown: string[] = [];
  for (let size = 0; shown.length < texts.length && size < maxCharacters;) {
    const text = (texts[shown.length] as string).slice(0, maxOfEach);
    size += text.length;
    shown.push(text);
  }
  return shown;
}

/** Header values cannot hold other characters. */
function ascii(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "?");
}
