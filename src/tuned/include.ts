/** A profile named in `[main] include=`. */
export interface Include {
  readonly name: string;
  /** Written with a leading `-`: not an error when there is no such profile. */
  readonly optional: boolean;
}

/** `,` and `;` separate, a blank does not. Names are cut to what follows the last `/`, as TuneD does. */
export function parseIncludes(text: string): Include[] {
  return text
    .trim()
    .split(/[,;]/)
    .map(toInclude)
    .map(({ name, optional }) => ({ name: name.slice(name.lastIndexOf("/") + 1), optional }));
}

/**
 * Whether an include whose text has yet to be expanded could come to mean this profile: the parts outside `${…}` must
 * fit. For those who must carry every profile that a node may ask for.
 */
export function mayInclude(text: string, profile: string): boolean {
  const start = text.indexOf("${");
  if (start < 0) return text === profile;
  const prefix = text.slice(0, start);
  const suffix = text.slice(text.lastIndexOf("}") + 1);
  return profile.length >= prefix.length + suffix.length && profile.startsWith(prefix) && profile.endsWith(suffix);
}

/** The entries of an include text that has yet to be expanded: nothing is cut inside `${…}`. */
export function splitUnexpanded(text: string): Include[] {
  const entries: string[] = [];
  let depth = 0;
  let entry = "";
  for (const character of text) {
    if (character === "{") depth++;
    else if (character === "}") depth = Math.max(0, depth - 1);
    if (depth === 0 && (character === "," || character === ";")) {
      entries.push(entry);
      entry = "";
    } else entry += character;
  }
  entries.push(entry);
  return entries.map(toInclude).filter(({ name }) => name !== "");
}

function toInclude(text: string): Include {
  const entry = text.trim();
  const optional = entry.startsWith("-");
  return { name: optional ? entry.slice(1) : entry, optional };
}
