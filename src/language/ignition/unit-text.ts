/** A section of a systemd unit: its name, and its options in order. An option may be repeated. */
export type UnitSection = readonly [name: string, options: readonly UnitOption[]];
export type UnitOption = readonly [key: string, value: string];

/** Section → option → values, in order. */
export type ParsedUnit = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;

/** A line break in a value becomes a continuation line, which systemd reads as a blank: no value can become an option. */
export function unitText(sections: readonly UnitSection[]): string {
  return sections
    .map(([name, options]) => [`[${name}]`, ...options.map(([key, value]) => `${key}=${continued(value)}`)])
    .map((lines) => `${lines.join("\n")}\n`)
    .join("\n");
}

function continued(value: string): string {
  return value.split(/\r\n|\r|\n/).join(" \\\n  ");
}

/** `NAME=value` for `Environment=`, escaped so that systemd reads no specifier, quote or other variable in the value. */
export function assignment(name: string, value: string): string {
  const text = `${name}=${value.replaceAll("%", "%%")}`;
  return /[\s"'\\]/.test(text) ? `"${text.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"` : text;
}

/** Reads a unit as systemd does: sections of the same name are merged, comments may be between continuation lines. */
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
    const continues = /(?<!\\)(\\\\)*\\$/.test(line);
    begun.push(continues ? line.slice(0, -1) : line);
    if (continues) continue;
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
