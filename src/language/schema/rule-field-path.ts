import { isObject } from "../object/json.ts";
import type { Schema } from "./schema.ts";

/** A step from the value a rule is about to the field it blames. */
export type PathPart = { readonly property: string } | { readonly key: string };

const step = /\.([A-Za-z_][A-Za-z0-9_]*)|\['((?:[^'\\]|\\.)*)'\]/y;

/** Reads `.spec.names['a-b']` along a schema; undefined where the path leads nowhere. Lists cannot be stepped into. */
export function parseRuleFieldPath(text: string, schema: Schema): PathPart[] | undefined {
  const parts: PathPart[] = [];
  let at = 0;
  let here: Schema | undefined = schema;
  while (at < text.length) {
    step.lastIndex = at;
    const match = step.exec(text);
    if (!match || !here) return undefined;
    const name: string = match[1] ?? (match[2] ?? "").replaceAll(/\\(.)/g, "$1");
    const { properties, additionalProperties }: Schema = here;
    if (properties && Object.hasOwn(properties, name)) {
      parts.push({ property: name });
      here = properties[name];
    } else if (isObject(additionalProperties)) {
      parts.push({ key: name });
      here = additionalProperties;
    } else return undefined;
    at += match[0].length;
  }
  return parts.length > 0 ? parts : undefined;
}
