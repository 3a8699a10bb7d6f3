import { parseDocument, stringify } from "yaml";

/** The text is no YAML. */
export class YamlError extends Error {
  override readonly name = "YamlError";
}

/** Aliases that expand to more than this many nodes are an attack, not a manifest. */
const maxAliasCount = 100;

/**
 * YAML as Kubernetes reads it: version 1.1, where `yes` is true. Of a key that is given twice the last value counts.
 * Loaded only where YAML is met: callers import this file dynamically.
 */
export function readYaml(text: string): unknown {
  const document = parseDocument(text, { uniqueKeys: false, version: "1.1", merge: true, logLevel: "silent" });
  const [fault] = document.errors;
  if (fault) throw new YamlError(fault.message, { cause: fault });
  try {
    return document.toJS({ maxAliasCount }) as unknown;
  } catch (error) {
    throw new YamlError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** YAML that Kubernetes reads back the same: what 1.1 would take for a boolean or a number is quoted. Keys are sorted. */
export function writeYaml(value: unknown): string {
  return stringify(value, { version: "1.1", sortMapEntries: true, aliasDuplicateObjects: false, lineWidth: 0 });
}
