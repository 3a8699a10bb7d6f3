import { endOfContainer } from "../../language/object/json-bounds.ts";

const key = '"managedFields":';

/**
 * The text of a review with null for every list of managedFields: they are a third of a small object, no handler reads them, and
 * patches name what changes only. Inside a string the quotes of the key would be escaped.
 */
export function withoutManagedFields(text: string): string {
  let kept = "";
  let from = 0;
  for (let at = text.indexOf(`${key}[`); at >= 0; at = text.indexOf(`${key}[`, from)) {
    const list = at + key.length;
    kept += `${text.slice(from, list)}null`;
    from = endOfContainer(text, list);
  }
  return from === 0 ? text : kept + text.slice(from);
}
