import { set } from "./json.ts";

/**
 * Reads the YAML that most manifests are made of: keys and lists in blocks, and scalars on one line. That is done long before
 * a reader of all of YAML is loaded. Whatever is anything else, right or wrong, is for that one: `undefined`.
 */
export function readPlainYaml(text: string): { readonly value: unknown } | undefined {
  // Tabs, and characters that some take for blanks or for ends of lines.
  if (/[^\n\r\x20-\x7e]|\r(?!\n)/.test(text)) return undefined;
  const lines = linesOf(text);
  const [first] = lines;
  if (!first) return undefined;
  const reader = new BlockReader(lines);
  try {
    const value = reader.block(first.indent);
    return reader.line === undefined ? { value } : undefined;
  } catch (error) {
    if (error instanceof NotPlainError) return undefined;
    throw error;
  }
}

/** Maybe right, but not for this reader. */
class NotPlainError extends Error {}

interface Line {
  readonly indent: number;
  /** Without the blanks around it. */
  readonly text: string;
}

/** Those that have something in them. */
function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (const line of text.split("\n")) {
    const content = line.trimEnd();
    const start = content.search(/[^ ]/);
    if (start >= 0 && content.charAt(start) !== "#") lines.push({ indent: start, text: content.slice(start) });
  }
  return lines;
}

const deepest = 100;

class BlockReader {
  readonly #lines: Line[];
  #next = 0;
  #depth = 0;

  constructor(lines: Line[]) {
    this.#lines = lines;
  }

  /** The next one. */
  get line(): Line | undefined {
    return this.#lines[this.#next];
  }

  /** A map or a list whose lines begin in this column. */
  block(indent: number): unknown {
    if (++this.#depth > deepest) throw new NotPlainError();
    const value = isItem(this.line) ? this.#list(indent) : this.#map(indent);
    this.#depth--;
    return value;
  }

  #map(indent: number): Record<string, unknown> {
    const map: Record<string, unknown> = {};
    for (let { line } = this; line?.indent === indent && !isItem(line); line = this.line) {
      const found = entry.exec(line.text);
      const key = found?.[1] ?? found?.[2] ?? found?.[3];
      if (key === undefined || (found?.[1] !== undefined && reserved.test(key))) throw new NotPlainError();
      this.#next++;
      const rest = found?.[4] ?? "";
      set(map, key, rest === "" || rest.startsWith("#") ? this.#below(indent) : scalar(rest));
    }
    this.#checkEnd(indent);
    return map;
  }

  #list(indent: number): unknown[] {
    const list: unknown[] = [];
    for (let { line } = this; line?.indent === indent && isItem(line); line = this.line) {
      const rest = line.text.slice(1).trimStart();
      const isBlock = entry.test(rest) || isItem({ indent, text: rest });
      if (rest === "" || rest.startsWith("#")) throw new NotPlainError();
      const column = indent + line.text.length - rest.length;
      // What stands behind a dash is the first line of a block of its own.
      if (isBlock) this.#lines[this.#next] = { indent: column, text: rest };
      else this.#next++;
      list.push(isBlock ? this.block(column) : scalar(rest));
    }
    this.#checkEnd(indent);
    return list;
  }

  /** The value of a key with nothing behind it. A list may stand below its key without being indented. */
  #below(indent: number): unknown {
    const { line } = this;
    if (line && line.indent > indent) return this.block(line.indent);
    if (line?.indent === indent && isItem(line)) return this.block(indent);
    return null;
  }

  /** A scalar that goes on, or a block that begins nowhere. */
  #checkEnd(indent: number): void {
    if (this.line && this.line.indent > indent) throw new NotPlainError();
  }
}

function isItem(line: Line | undefined): boolean {
  return line !== undefined && (line.text === "-" || line.text.startsWith("- "));
}

const entry = /^(?:([A-Za-z_][A-Za-z0-9_./-]*)|"([^"\\]*)"|'([^']*)'):(?: +(.*))?$/;
const reserved = /^(?:y|n|yes|no|on|off|true|false|null)$/i;
const quoted = /^(?:"([^"\\]*)"|'([^']*)')(?: +#.*)?$/;
const flow = /^(?:(\{ *\})|\[([^[\]{}"'#:]*)\])(?: +#.*)?$/;

function scalar(text: string): unknown {
  const quotes = quoted.exec(text);
  if (quotes) return quotes[1] ?? quotes[2];
  const brackets = flow.exec(text);
  if (!brackets) return plain(text.replace(/ +#.*$/, ""));
  if (brackets[1] !== undefined) return {};
  const items = brackets[2]?.trim() ?? "";
  return items === "" ? [] : items.split(",").map((item) => plain(item.trim()));
}

/** Numbers of every kind, times and dates begin like this, and so do texts. */
const numeric = /^[0-9._][0-9._,:+\-a-fA-FxXoOtTzZ ]*$/;
const integer = /^(?:0|[1-9][0-9]{0,14})$/;
/** `0-3,8` and `3.2.0`, which are no numbers. */
const numbers = /^[0-9]+-[0-9]+(?:,[0-9]+(?:-[0-9]+)?)*$|^[0-9]+\.[0-9]+\.[0-9]+$/;

function plain(text: string): unknown {
  if (integer.test(text)) return Number(text);
  if (text === "true" || text === "false") return text === "true";
  const isText = /^[A-Za-z0-9_/.]/.test(text) && !/: |:$/.test(text) && !reserved.test(text);
  if (!isText || (numeric.test(text) && !numbers.test(text))) throw new NotPlainError();
  return text;
}
