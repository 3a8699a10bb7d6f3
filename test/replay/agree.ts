/** The values of placeholders so far: the same placeholder stands for the same uid everywhere. */
export type Bindings = Map<string, string>;

const patterns: Record<string, RegExp> = {
  "<rv>": /^[0-9]+$/,
  "<time>": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  "<microtime>": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/,
  "<token>": /^.+$/,
};

/** Differences between a response and the recorded one. Messages may differ: clients do not parse them. */
export function differences(expected: unknown, actual: unknown, bindings: Bindings, path = ""): string[] {
  if (typeof expected === "string") return differsAsText(expected, actual, bindings, path);
  if (typeof expected !== "object" || expected === null)
    return Object.is(expected, actual) ? [] : [difference(path, expected, actual)];
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return [difference(path, expected, actual)];
    return expected.flatMap((item, index) => differences(item, actual[index], bindings, `${path}[${index}]`));
  }
  if (typeof actual !== "object" || actual === null || Array.isArray(actual))
    return [difference(path, expected, actual)];
  const wanted = expected as Record<string, unknown>;
  const found = actual as Record<string, unknown>;
  const free = isFreeText(wanted);
  return [...new Set([...Object.keys(wanted), ...Object.keys(found)])]
    .filter((key) => !(free && key === "message"))
    .flatMap((key) => differences(wanted[key], found[key], bindings, path === "" ? key : `${path}.${key}`));
}

/** The message of a Status and of its causes. */
function isFreeText(value: Record<string, unknown>): boolean {
  return value.kind === "Status" || ("message" in value && ("field" in value || Object.keys(value).length <= 2));
}

function differsAsText(expected: string, actual: unknown, bindings: Bindings, path: string): string[] {
  if (typeof actual !== "string") return [difference(path, expected, actual)];
  if (/^<uid-\d+>$/.test(expected)) {
    const bound = bindings.get(expected);
    if (bound === undefined) bindings.set(expected, actual);
    return bound === undefined || bound === actual ? [] : [difference(path, `${expected} = ${bound}`, actual)];
  }
  if (expected === "gen-<5 characters>" || /^gen-[a-z0-9]{5}$/.test(expected))
    return /^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/.test(actual) ? [] : [difference(path, expected, actual)];
  const pattern = patterns[expected];
  return (pattern ? pattern.test(actual) : expected === actual) ? [] : [difference(path, expected, actual)];
}

function difference(path: string, expected: unknown, actual: unknown): string {
  return `${path || "body"}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(actual)}`;
}
