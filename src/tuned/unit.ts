import type { ParsedOption, ParsedSection } from "./parse-profile.ts";
import type { Problem } from "./problem.ts";

/** One section of a profile, with the attributes that speak of the section itself taken out of its options. */
export interface Unit {
  readonly name: string;
  /** Which plug-in it is for. */
  readonly type: string;
  readonly enabled: boolean;
  readonly devices: string;
  readonly priority: number;
  readonly options: ReadonlyMap<string, Setting>;
}

export interface Setting {
  readonly value: string;
  /** `file:line` */
  readonly from: string;
  /** What it took the place of, oldest first. */
  readonly overrides: readonly { readonly value: string; readonly from: string }[];
}

/** A section before it is merged: it may still replace or shorten what it inherits. */
export interface UnitChange extends Unit {
  readonly replace: boolean;
  readonly drop: readonly string[];
  readonly hasPriority: boolean;
}

const unsupported = new Set([
  "prepend",
  "devices_udev_regex",
  "cpuinfo_regex",
  "uname_regex",
  "script_pre",
  "script_post",
]);

export function unitOf(section: ParsedSection, file: string, problems: Problem[]): UnitChange {
  const attributes = new Map<string, string>();
  const options = new Map<string, Setting>();
  for (const option of section.options) {
    if (attributeNames.has(option.key)) attributes.set(option.key, option.value);
    else if (unsupported.has(option.key))
      problems.push({ message: `[${section.name}] ${option.key} is not supported`, file, line: option.line });
    else options.set(option.key, settingOf(option, file));
  }
  const priority = attributes.get("priority");
  if (priority !== undefined && !/^[+-]?[0-9]{1,9}$/.test(priority))
    problems.push({
      message: `[${section.name}] priority ${JSON.stringify(priority)} is not a number`,
      file,
      line: section.line,
    });
  return {
    name: section.name,
    type: attributes.get("type") ?? section.name,
    enabled: isTrue(attributes.get("enabled") ?? "true"),
    devices: attributes.get("devices") ?? "*",
    priority: Number(priority ?? 0),
    hasPriority: priority !== undefined,
    replace: isTrue(attributes.get("replace") ?? "false"),
    drop: (attributes.get("drop") ?? "").split(/[,;]/).map((name) => name.trim()),
    options,
  };
}

const attributeNames = new Set(["type", "enabled", "devices", "priority", "replace", "drop"]);

/** TuneD takes these three spellings and no other. */
function isTrue(text: string): boolean {
  return text === "1" || text === "true" || text === "True";
}

function settingOf({ value, line, earlier }: ParsedOption, file: string): Setting {
  return {
    value,
    from: `${file}:${line}`,
    overrides: earlier.map((before) => ({ value: before.value, from: `${file}:${before.line}` })),
  };
}
