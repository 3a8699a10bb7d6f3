import type { ParsedOption, ParsedSection } from "./text/ini.ts";
import { directoryOf, joinPath } from "./chain/path.ts";

/** One section of a resolved profile: its attributes, and its options for a plug-in. */
export interface Unit {
  readonly name: string;
  /** The plug-in that applies it. */
  readonly type: string;
  readonly enabled: boolean;
  readonly devices: string;
  readonly priority: number;
  readonly options: ReadonlyMap<string, Setting>;
  readonly devicesUdevRegex?: string | undefined;
  readonly cpuinfoRegex?: string | undefined;
  readonly unameRegex?: string | undefined;
  readonly scriptPre?: string | undefined;
  readonly scriptPost?: string | undefined;
  /** A condition that this node does not meet, as `uname_regex=aarch64`: the unit is not applied. */
  readonly unmet?: string | undefined;
}

export interface Setting {
  readonly value: string;
  /** `file:line` */
  readonly from: string;
  /** Values that it replaced, oldest first. */
  readonly overrides: readonly { readonly value: string; readonly from: string }[];
  /** The value before expansion, where that differs. */
  readonly raw?: string;
  /** Paths of an option named `script`; the value has one per line. */
  readonly list?: readonly string[];
}

/** A section while profiles are merged: attributes and options apart, not yet expanded. */
export interface Section {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, Setting>;
  readonly options: ReadonlyMap<string, Setting>;
}

const attributeNames = new Set([
  "type",
  "enabled",
  "devices",
  "replace",
  "prepend",
  "drop",
  "priority",
  "devices_udev_regex",
  "cpuinfo_regex",
  "uname_regex",
  "script_pre",
  "script_post",
]);

export function sectionOf({ name, options: parsed }: ParsedSection, file: string): Section {
  const attributes = new Map<string, Setting>();
  const options = new Map<string, Setting>();
  for (const option of parsed)
    (attributeNames.has(option.key) ? attributes : options).set(option.key, setting(option, file));
  return { name, attributes, options };
}

function setting({ key, value, line, earlier }: ParsedOption, file: string): Setting {
  const from = `${file}:${line}`;
  const overrides = earlier.map((before) => ({ value: before.value, from: `${file}:${before.line}` }));
  if (key !== "script") return { value, from, overrides };
  const path = joinPath(directoryOf(file), value);
  return { value: path, from, overrides, list: [path] };
}

export function typeOf({ name, attributes }: Section): string {
  return attributes.get("type")?.value ?? name;
}

/** TuneD accepts only these three spellings for attributes. */
export function isTrue(text: string | undefined): boolean {
  return text === "1" || text === "true" || text === "True";
}

/** The place of a setting, for a problem. */
export function placeOf({ from }: Pick<Setting, "from">): { file: string; line: number } {
  const colon = from.lastIndexOf(":");
  return { file: from.slice(0, colon), line: Number(from.slice(colon + 1)) };
}
