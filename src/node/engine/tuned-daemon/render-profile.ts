import type { ResolvedProfile } from "../../../language/tuned/resolve.ts";
import type { Unit } from "../../../language/tuned/unit.ts";

export interface RenderedProfile {
  /** TuneD's name for it, and that of its folder. */
  readonly name: string;
  readonly text: string;
  /** Settings that cannot be expressed in TuneD's files. */
  readonly left: readonly LeftOut[];
}

export interface LeftOut {
  readonly unit: string;
  readonly option: string;
  readonly from: string;
  readonly message: string;
}

/** Starts the names of profiles that Attune writes, so that they replace none of the node's own. */
export const namePrefix = "attune-";

/**
 * Writes a resolved profile so that every version of TuneD reads it alike: no includes, variables and functions expanded,
 * conditions evaluated, units in order. TuneD then applies exactly what a preview shows.
 */
export function renderProfile(profile: ResolvedProfile): RenderedProfile {
  const left: LeftOut[] = [];
  const units = profile.units.filter(({ enabled, unmet }) => enabled && unmet === undefined);
  const lines = ["# Written by Attune, which overwrites it with each change.", "[main]", `summary=${oneLine(profile)}`];
  const variables = variableLines(profile.variables);
  // Scripts get them as TUNED_<name>; nothing else refers to them.
  if (variables.length > 0) lines.push("", "[variables]", ...variables);
  const lastBootLoader = units.findLast(({ type }) => type === "bootloader");
  for (const unit of units) lines.push(...unitLines(unit, unit === lastBootLoader ? profile.bootArguments : [], left));
  return { name: nameOf(profile), text: `${lines.join("\n")}\n`, left };
}

function nameOf({ profile }: ResolvedProfile): string {
  return `${namePrefix}${profile.split(" ").join("--")}`;
}

function oneLine({ profile }: ResolvedProfile): string {
  return `${profile}, as resolved`;
}

function variableLines(variables: ReadonlyMap<string, string>): string[] {
  // In every section, TuneD reads `script` as a path and the others as attributes.
  const taken = new Set(["script", "include", "type", "enabled", "devices", "replace", "drop", "prepend"]);
  return [...variables].flatMap(([name, value]) => {
    const written = /^\w+$/.test(name) && !taken.has(name) ? write(value) : undefined;
    return written === undefined ? [] : [`${name}=${written}`];
  });
}

function unitLines(unit: Unit, bootArguments: readonly string[], left: LeftOut[]): string[] {
  // To TuneD 2.20, a section named `variables` holds variables, whatever its type.
  const section = unit.name === "variables" ? `${unit.type}-variables` : unit.name;
  const lines = ["", `[${section}]`];
  if (unit.type !== section) lines.push(`type=${unit.type}`);
  const about = (option: string, value: string | undefined, from = ""): void => {
    if (value === undefined) return;
    const written = write(value);
    if (written !== undefined) lines.push(`${option}=${written}`);
    else
      left.push({
        unit: unit.name,
        option,
        from,
        message: "cannot be written for TuneD: it contains a carriage return",
      });
  };
  if (unit.devices !== "*") about("devices", unit.devices);
  about("devices_udev_regex", unit.devicesUdevRegex);
  about("script_pre", unit.scriptPre);
  about("script_post", unit.scriptPost);
  if (unit.type === "bootloader")
    about("cmdline", bootArguments.length > 0 ? `+${bootArguments.join(" ")}` : undefined);
  const further: string[][] = [];
  for (const [option, setting] of unit.options) {
    if (unit.type === "bootloader" && option.startsWith("cmdline")) continue;
    const [first = setting.value, ...others] = setting.list ?? [];
    about(option, setting.list ? first : setting.value, setting.from);
    further.push(...others.map((path, index) => scriptSection(section, unit, path, index)));
  }
  return [...lines, ...further.flat()];
}

/** A section holds one script; TuneD gets several only by merging profiles. */
function scriptSection(section: string, unit: Unit, path: string, index: number): string[] {
  return ["", `[${section}-${index + 2}]`, `type=${unit.type}`, `script=${write(path) ?? ""}`];
}

/**
 * Escapes a value so that TuneD reads the same value: `${…}` is not expanded, `#` starts no comment, lines are indented.
 * `undefined` where no escaping helps.
 */
function write(value: string): string | undefined {
  // Python ends lines at a carriage return, too.
  if (/[\r\0]/.test(value.trim())) return undefined;
  return (
    value
      .trim()
      // Names of variables may have letters of any script.
      .replaceAll(/\$\{(?=[\p{L}\p{N}_]+\}|f:)/gu, String.raw`\${`)
      .replaceAll(/(^|[\s])([#])/g, "$1${f:strip:$2}")
      .replaceAll(/(\n\s*);/g, "$1${f:strip:;}")
      .replaceAll("\n", "\n  ")
  );
}
