import { isMap, isNode, isPair, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import { readYaml, YamlError } from "../../../language/object/yaml.ts";

/**
 * The line of a text on which a field is set, counted from one; of the nearest field around it if it is not there. Callers import
 * this file dynamically, since the library is slow to load.
 */
export function lineOfField(text: string, field: string): number {
  if (!isReadable(text)) return 1;
  const lines = new LineCounter();
  let at: unknown = parseDocument(text, { lineCounter: lines, uniqueKeys: false, logLevel: "silent" }).contents;
  let found = isNode(at) ? at.range?.[0] : undefined;
  for (const step of stepsOf(field)) {
    if (isMap(at)) {
      const pair = at.items.find(({ key }) => isScalar(key) && String(key.value) === step);
      if (!isPair(pair) || !isScalar(pair.key)) break;
      found = pair.key.range?.[0] ?? found;
      at = pair.value;
    } else if (isSeq(at)) {
      const item = at.items[Number(step)];
      if (!isNode(item)) break;
      found = item.range?.[0] ?? found;
      at = item;
    } else break;
  }
  return lines.linePos(found ?? 0).line;
}

/** The library itself bounds no depth: a deep text would take minutes, and end the process. */
function isReadable(text: string): boolean {
  try {
    readYaml(text);
    return true;
  } catch (error) {
    if (error instanceof YamlError) return false;
    throw error;
  }
}

/** `spec.recommend[0].match`: a key that has dots stands in brackets. */
function stepsOf(field: string): string[] {
  return Array.from(field.matchAll(/\["?([^\]"]*)"?\]|[^.[\]]+/g), ([step, inner]) => inner ?? step);
}
