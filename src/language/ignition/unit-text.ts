/** A section of a systemd unit: its name, and its options in order. An option may be there more than once. */
export type UnitSection = readonly [name: string, options: readonly UnitOption[]];
export type UnitOption = readonly [key: string, value: string];

/** Section → option → values, in the order in which they stand. */
export type ParsedUnit = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;

/** A line break in a value becomes a line that goes on, which systemd reads as a blank: no value can become an option. */
export function unitText(sections: readonly UnitSection[]): string {
  return sections
    .map(([name, options]) => [`[${name}]`, ...options.map(([key, value]) => `${key}=${continued(value)}`)])
    .map((lines) => `${lines.join("\n")}\n`)
    .join("\n");
}

function continued(value: string): string {
  return value.split(/\r\n|\r|\n/).join(" \\\n  ");
}

/** `NAME=value` for `Environment=`, so that systemd takes nothing in the value for a specifier, a quote or another variable. */
export function assignment(name: string, value: string): string {
  const text = `${name}=${value.replaceAll("%", "%%")}`;
  return /[\s"'\\]/.test(text) ? `"${text.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"` : text;
}

/** Reads what systemd reads: sections of one name are one, comments may stand even inside a value that goes on. */
export function parseUnit(text: string): ParsedUnit {
  const sections = new Map<string, Map<string, string[]>>();
  let section: Map<string, string[]> | undefined;
  for (const line of logicalLines(text)) {
    const header = /^\[([^\]]*)\]$/.exec(line);
    if (header) {
      section = entry(sections, header[1] ?? "", () => new Map());
      continue;
    }
    const equals = line.indexOf("=");
    if (equals > 0 && section)
      entry(section, line.slice(0, equals).trimEnd(), () => []).push(line.slice(equals + 1).trim());
  }
  return sections;
}

function* logicalLines(text: string): Generator<string> {
  let begun: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const content = line.trim();
    if (/^[#;]/.test(content) || (content === "" && begun.length === 0)) continue;
    const goesOn = /(?<!\\)(\\\\)*\\$/.test(line);
    begun.push(goesOn ? line.slice(0, -1) : line);
    if (goesOn) continue;
    yield begun.join(" ").trim();
    begun = [];
  }
  if (begun.length > 0) yield begun.join(" ").trim();
}

function entry<V>(map: Map<string, V>, key: string, make: () => V): V {
  const present = map.get(key);
  if (present !== undefined) return present;
  const made = make();
  map.set(key, made);
  return made;
}
