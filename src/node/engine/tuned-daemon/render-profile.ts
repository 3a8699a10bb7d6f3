import type { ResolvedProfile } from "../../../language/tuned/resolve.ts";
import type { Unit } from "../../../language/tuned/unit.ts";

export interface RenderedProfile {
  /** The name under which TuneD knows it, and that of its folder. */
  readonly name: string;
  readonly text: string;
  /** Settings that TuneD's files have no way to say. */
  readonly left: readonly LeftOut[];
}

export interface LeftOut {
  readonly unit: string;
  readonly option: string;
  readonly from: string;
  readonly message: string;
}

/** Before the names of profiles that we write: those of the node's own stay as they are. */
export const namePrefix = "attune-";

/**
 * A resolved profile as a text that means the same to every version of TuneD: nothing is included, variables and
 * functions are expanded, conditions decided and units in order, so that what was previewed is what is applied.
 */
export function renderProfile(profile: ResolvedProfile): RenderedProfile {
  const left: LeftOut[] = [];
  const units = profile.units.filter(({ enabled, unmet }) => enabled && unmet === undefined);
  const lines = ["# Written by Attune, and written anew with each change.", "[main]", `summary=${oneLine(profile)}`];
  const variables = variableLines(profile.variables);
  // Scripts get them as TUNED_<name>; nothing else refers to them any more.
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
  // TuneD reads an option of the first name as a path, whatever the section; the others speak of the section itself.
  const taken = new Set(["script", "include", "type", "enabled", "devices", "replace", "drop", "prepend"]);
  return [...variables].flatMap(([name, value]) => {
    const written = /^\w+$/.test(name) && !taken.has(name) ? write(value) : undefined;
    return written === undefined ? [] : [`${name}=${written}`];
  });
}

function unitLines(unit: Unit, bootArguments: readonly string[], left: LeftOut[]): string[] {
  // A section named after variables is one of variables to TuneD up to 2.20, whatever its type.
  const section = unit.name === "variables" ? `${unit.type}-variables` : unit.name;
  const lines = ["", `[${section}]`];
  if (unit.type !== section) lines.push(`type=${unit.type}`);
  const about = (option: string, value: string | undefined, from = ""): void => {
    if (value === undefined) return;
    const written = write(value);
    if (written !== undefined) lines.push(`${option}=${written}`);
    else left.push({ unit: unit.name, option, from, message: "cannot be written for TuneD: it has a line break" });
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

/** A section has room for one script; TuneD itself gets at several only by merging profiles. */
function scriptSection(section: string, unit: Unit, path: string, index: number): string[] {
  return ["", `[${section}-${index + 2}]`, `type=${unit.type}`, `script=${write(path) ?? ""}`];
}

/**
 * A value as TuneD must read it to get at the same value again: `${…}` kept from meaning anything, `#` from starting a
 * comment, lines indented. Undefined where no writing does.
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
