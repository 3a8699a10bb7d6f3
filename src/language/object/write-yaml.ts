/**
 * YAML that Kubernetes reads back the same: what version 1.1 would read as a boolean or a number is quoted, texts of several
 * lines are literal blocks. Keys are sorted. Needs no library, which would be slow to load.
 */
export function writeYaml(value: unknown): string {
  return `${valueText(value, "").slice(1)}\n`;
}

/** The text after a key or a dash: a blank and a scalar, or further lines. `indent` is that of the surrounding lines. */
function valueText(value: unknown, indent: string): string {
  if (typeof value === "string") return ` ${textScalar(value, indent)}`;
  if (typeof value === "bigint") return ` ${value}`;
  if (typeof value !== "object" || value === null) return ` ${JSON.stringify(value) ?? "null"}`;
  if (Array.isArray(value)) {
    if (value.length === 0) return " []";
    return `\n${value.map((item) => `${indent}-${below(item, indent)}`).join("\n")}`;
  }
  const lines = keysOf(value).map((key) => {
    const child = (value as Record<string, unknown>)[key];
    // Lists are indented below their key, as maps are.
    const text = valueText(child, isFilled(child) ? `${indent}  ` : indent);
    const name = scalar(key);
    // YAML readers search for the colon of a key only within 1024 characters.
    return name.length > 1000 ? `${indent}? ${name}\n${indent}:${text}` : `${indent}${name}:${text}`;
  });
  return lines.length === 0 ? " {}" : `\n${lines.join("\n")}`;
}

/** An item of a list: its first line follows the dash. */
function below(item: unknown, indent: string): string {
  if (!isFilled(item)) return valueText(item, indent);
  return ` ${valueText(item, `${indent}  `).slice(1 + indent.length + 2)}`;
}

function isFilled(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return typeof value === "object" && value !== null && Object.values(value).some((child) => child !== undefined);
}

function keysOf(value: object): string[] {
  return Object.keys(value)
    .filter((key) => (value as Record<string, unknown>)[key] !== undefined)
    .toSorted();
}

/** Characters that must be escaped: control characters, line separators that only some readers know, half surrogates. */
const hidden = /[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;

function textScalar(text: string, indent: string): string {
  // The first line of a block sets its indentation, so it may not begin with a blank.
  if (!text.includes("\n") || /^\s/.test(text) || hidden.test(text)) return scalar(text);
  let end = text.length;
  while (text.charAt(end - 1) === "\n") end--;
  const breaks = text.length - end;
  const header = breaks === 0 ? "|-" : breaks === 1 ? "|" : "|+";
  const shown = (breaks === 0 ? text : text.slice(0, -1)).replaceAll(/^(?=[^\n])/gm, `${indent}  `);
  return `${header}\n${shown}`;
}

/** A text on one line, in quotes if it could be read as something else. */
function scalar(text: string): string {
  if (plain.test(text) && !special.test(text) && !reserved.test(text) && !numeric.test(text)) return text;
  return JSON.stringify(text).replaceAll(
    /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const plain = /^[A-Za-z0-9_/.][\x20-\x7e]*$/;
/** The end of a key, a comment, or a trailing blank. */
const special = /: |:$| #| $/;
const reserved = /^(?:y|n|yes|no|on|off|true|false|null|nan|\.nan|\.inf)$/i;
/** All numbers, times and dates, and some texts that are none of these. */
const numeric = /^[0-9._][0-9._,:+\-a-fA-FxXoOtTzZ ]*$/;
