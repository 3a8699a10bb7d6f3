export type TomlValue = string | number | boolean | readonly TomlValue[] | TomlTable;
export type TomlTable = Map<string, TomlValue>;

export type Toml =
  | { readonly type: "toml"; readonly root: TomlTable }
  | { readonly type: "problem"; readonly message: string };

/** Reads TOML as container runtimes use it: no dates, no text over several lines. */
export function readToml(text: string): Toml {
  try {
    return { type: "toml", root: new TomlReader(text).document() };
  } catch (error) {
    if (error instanceof TomlError) return { type: "problem", message: error.message };
    throw error;
  }
}

/** A value that is a table; an empty one for any other. */
export function tableIn(value: TomlValue | undefined): TomlTable {
  return value instanceof Map ? value : new Map();
}

class TomlError extends Error {}

const deepest = 32;

class TomlReader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): TomlTable {
    const root: TomlTable = new Map();
    let table = root;
    for (;;) {
      this.#skipLines();
      if (this.#at >= this.#text.length) return root;
      if (this.#takes("[[")) {
        table = this.#opened(root, this.#key(), "list");
        this.#expect("]]");
      } else if (this.#takes("[")) {
        table = this.#opened(root, this.#key(), "table");
        this.#expect("]");
      } else this.#pair(table);
      this.#endOfLine();
    }
  }

  #pair(table: TomlTable): void {
    const path = this.#key();
    this.#expect("=");
    const name = path.pop() ?? "";
    const target = this.#opened(table, path, "table");
    if (target.has(name)) this.#fail(`${JSON.stringify(name)} is set twice`);
    target.set(name, this.#value());
  }

  /** The table of this path, below the last item of each list on the way. */
  #opened(root: TomlTable, path: readonly string[], as: "table" | "list"): TomlTable {
    let table = root;
    for (const [index, name] of path.entries()) {
      const known = table.get(name);
      const isNewItem = as === "list" && index === path.length - 1;
      if (known !== undefined && !(known instanceof Map) && !isTables(known))
        this.#fail(`${JSON.stringify(name)} is not a table`);
      if (isNewItem) {
        const next: TomlTable = new Map();
        table.set(name, [...(Array.isArray(known) ? (known as readonly TomlValue[]) : []), next]);
        table = next;
      } else {
        const found = Array.isArray(known) ? tableIn((known as readonly TomlValue[]).at(-1)) : known;
        const next = found instanceof Map ? found : new Map<string, TomlValue>();
        if (known === undefined) table.set(name, next);
        table = next;
      }
    }
    return table;
  }

  #key(): string[] {
    const path: string[] = [];
    do {
      this.#skipBlanks();
      const quote = this.#text[this.#at];
      const name = quote === '"' || quote === "'" ? this.#string() : this.#word(/[\w-]+/y);
      path.push(name ?? this.#fail("expected key = value"));
      this.#skipBlanks();
    } while (this.#takes("."));
    return path;
  }

  #value(): TomlValue {
    this.#skipBlanks();
    const first = this.#text[this.#at];
    if (first === '"' || first === "'") return this.#string();
    if (this.#takes("[")) return this.#nested(() => this.#list());
    if (this.#takes("{")) return this.#nested(() => this.#inlineTable());
    const word = this.#word(/[^\s,\]}#]+/y) ?? "";
    if (word === "true" || word === "false") return word === "true";
    if (/^[+-]?[0-9][0-9_]*(\.[0-9]+)?$/.test(word)) return Number(word.replaceAll("_", ""));
    return this.#fail(`${JSON.stringify(word)} is no value`);
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > deepest) this.#fail(`more than ${deepest} levels`);
    const value = read();
    this.#depth--;
    return value;
  }

  #list(): TomlValue[] {
    const items: TomlValue[] = [];
    for (;;) {
      this.#skipLines();
      if (this.#takes("]")) return items;
      items.push(this.#value());
      this.#skipLines();
      if (!this.#takes(",") && this.#text[this.#at] !== "]") this.#fail("a list is not closed");
    }
  }

  #inlineTable(): TomlTable {
    const table: TomlTable = new Map();
    this.#skipBlanks();
    if (this.#takes("}")) return table;
    do this.#pair(table);
    while ((this.#skipBlanks(), this.#takes(",")));
    this.#expect("}");
    return table;
  }

  #string(): string {
    const literal = this.#word(/'[^'\n]*'/y);
    if (literal !== undefined) return literal.slice(1, -1);
    // Its escapes are those of JSON.
    const basic = this.#word(/"(?:[^"\\\n]|\\(?:["\\bfnrt]|u[\dA-Fa-f]{4}))*"/y);
    return basic === undefined
      ? this.#fail("a text is not closed")
      : (JSON.parse(basic.replaceAll("\t", "\\t")) as string);
  }

  #word(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #takes(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #expect(text: string): void {
    this.#skipBlanks();
    if (!this.#takes(text)) this.#fail(`expected ${text}`);
  }

  #endOfLine(): void {
    this.#word(/[ \t]*(#[^\n]*)?\r?/y);
    if (this.#at < this.#text.length && !this.#takes("\n")) this.#fail("expected the end of the line");
  }

  #skipBlanks(): void {
    this.#word(/[ \t]*/y);
  }

  #skipLines(): void {
    this.#word(/(?:\s|#[^\n]*)*/y);
  }

  #fail(why: string): never {
    const line = this.#text.slice(0, this.#at).split("\n").length;
    throw new TomlError(`line ${line} is not TOML: ${why}`);
  }
}

function isTables(value: TomlValue): boolean {
  return Array.isArray(value) && value.at(-1) instanceof Map;
}
