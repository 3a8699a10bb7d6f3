/** registries.conf, version 2, as far as it decides where images come from. */
export type Registries =
  | { readonly type: "registries"; readonly search: readonly string[]; readonly registries: readonly Registry[] }
  | { readonly type: "problem"; readonly message: string };

export interface Registry {
  readonly prefix: string;
  readonly location: string;
  readonly blocked: boolean;
  readonly insecure: boolean;
  /** `mirror-by-digest-only` */
  readonly digestOnly: boolean;
  readonly mirrors: readonly Mirror[];
}

export interface Mirror {
  readonly location: string;
  /** `pull-from-mirror`; empty where it is not given. */
  readonly pull: string;
}

type Value = string | boolean | number | readonly Value[];
type Table = Map<string, Value>;

/** Reads the part of TOML that the file uses: strings, booleans, integers, lists, tables and lists of tables. */
export function readRegistries(text: string): Registries {
  try {
    return fromTables(tablesOf(text));
  } catch (error) {
    if (error instanceof TomlError) return { type: "problem", message: error.message };
    throw error;
  }
}

class TomlError extends Error {}

interface Tables {
  readonly root: Table;
  readonly registries: { readonly table: Table; readonly mirrors: Table[] }[];
}

function tablesOf(text: string): Tables {
  const tables: Tables = { root: new Map(), registries: [] };
  let table = tables.root;
  let rest = "";
  for (const [index, line] of text.split("\n").entries()) {
    const fail = (why: string): never => {
      throw new TomlError(`line ${index + 1} is not TOML: ${why}`);
    };
    const here = withoutComment(`${rest}${line}`).trim();
    // A list may continue on the next line.
    if (isOpenList(here)) {
      rest = `${here} `;
      continue;
    }
    rest = "";
    if (here === "") continue;
    const header = /^(\[\[?)\s*([\w."-]+)\s*(\]\]?)$/.exec(here);
    if (header) table = opened(tables, header[2] ?? "", header[1] === "[[");
    else {
      const pair = /^([\w-]+|"[^"]*")\s*=\s*(.+)$/.exec(here) ?? fail("expected key = value");
      table.set(pair[1]!.replaceAll('"', ""), valueOf(pair[2]!, fail));
    }
  }
  if (rest !== "") throw new TomlError("the last list is not closed");
  return tables;
}

function opened(tables: Tables, name: string, isList: boolean): Table {
  const table: Table = new Map();
  const last = tables.registries.at(-1);
  if (isList && name === "registry") tables.registries.push({ table, mirrors: [] });
  else if (isList && name === "registry.mirror" && last) last.mirrors.push(table);
  // Others, such as aliases, do not decide where images come from.
  return table;
}

/** A `#` within quotes is no comment. */
function withoutComment(line: string): string {
  const [match = ""] = /^(?:[^"'#]|"(?:[^"\\]|\\.)*"|'[^']*'|["'])*/.exec(line) ?? [];
  return match;
}

function isOpenList(text: string): boolean {
  if (!/^[\w"-]+\s*=\s*\[/.test(text)) return false;
  const bare = text.replaceAll(/"(?:[^"\\]|\\.)*"|'[^']*'/g, "");
  return bare.split("[").length > bare.split("]").length;
}

function valueOf(text: string, fail: (why: string) => never): Value {
  // Its escapes are those of JSON.
  if (/^"(?:[^"\\]|\\(?:["\\bfnrt]|u[\dA-Fa-f]{4}))*"$/.test(text)) return JSON.parse(text) as string;
  if (/^'[^']*'$/.test(text)) return text.slice(1, -1);
  if (text === "true" || text === "false") return text === "true";
  if (/^[+-]?\d+$/.test(text)) return Number(text);
  if (text.startsWith("[") && text.endsWith("]")) {
    const items = text.slice(1, -1).match(/"(?:[^"\\]|\\.)*"|'[^']*'|[^\s,]+/g) ?? [];
    return items.map((item) => valueOf(item, fail));
  }
  return fail(`${JSON.stringify(text)} is no value`);
}

function fromTables({ root, registries }: Tables): Registries {
  const search = root.get("unqualified-search-registries") ?? [];
  return {
    type: "registries",
    search: Array.isArray(search) ? search.map(String) : [],
    registries: registries.map(({ table, mirrors }) => ({
      prefix: String(table.get("prefix") ?? ""),
      location: String(table.get("location") ?? ""),
      blocked: table.get("blocked") === true,
      insecure: table.get("insecure") === true,
      digestOnly: table.get("mirror-by-digest-only") === true,
      mirrors: mirrors.map((mirror) => ({
        location: String(mirror.get("location") ?? ""),
        pull: String(mirror.get("pull-from-mirror") ?? ""),
      })),
    })),
  };
}
