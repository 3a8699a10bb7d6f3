import type { TomlTable, TomlValue } from "./toml.ts";

/** What `readToml` reads: values of a table first, then the tables below it. */
export function writeToml(root: TomlTable): string {
  return `${tableLines(root, []).join("\n")}\n`.replace(/^\n+/, "");
}

function tableLines(table: TomlTable, path: readonly string[]): string[] {
  const entries = [...table];
  const values = entries.filter(([, value]) => !isBelow(value));
  return [
    ...values.map(([name, value]) => `${keyText(name)} = ${valueText(value)}`),
    ...entries.flatMap(([name, value]) => {
      const below = [...path, name];
      const header = below.map(keyText).join(".");
      if (value instanceof Map) return ["", `[${header}]`, ...tableLines(value, below)];
      if (!isTables(value)) return [];
      return value.flatMap((one) => ["", `[[${header}]]`, ...tableLines(one, below)]);
    }),
  ];
}

function isBelow(value: TomlValue): boolean {
  return value instanceof Map || isTables(value);
}

function isTables(value: TomlValue): value is readonly TomlTable[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => one instanceof Map);
}

function keyText(name: string): string {
  return /^[\w-]+$/.test(name) ? name : JSON.stringify(name);
}

/** Texts of JSON are texts of TOML. */
function valueText(value: TomlValue): string {
  if (Array.isArray(value)) return `[${value.map((one: TomlValue) => valueText(one)).join(", ")}]`;
  if (value instanceof Map)
    return `{ ${Array.from(value, ([name, one]) => `${keyText(name)} = ${valueText(one)}`).join(", ")} }`;
  return JSON.stringify(value);
}
