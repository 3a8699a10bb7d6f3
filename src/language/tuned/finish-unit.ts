import { parseInteger } from "../cpu/integer.ts";
import { conditionOf } from "./conditions.ts";
import { expand, type ExpandContext } from "./expand.ts";
import { Findings } from "./findings.ts";
import { isTrue, placeOf, type Section, type Setting, typeOf, type Unit } from "./unit.ts";

/** Attributes that TuneD expands; it takes the others as they are written. */
const expanded = new Set(["devices", "cpuinfo_regex", "uname_regex"]);

/** Turns a merged section into a unit: expands it and evaluates its conditions. */
export function finishUnit(section: Section, context: ExpandContext, findings: Findings): Unit {
  const attributes = new Map<string, Setting>();
  let refused: string | undefined;
  for (const [name, setting] of section.attributes) {
    const known = expanded.has(name) ? expandSetting(setting, context, findings) : setting;
    if (typeof known === "string") {
      findings.refuse(`[${section.name}] ${name} is not known, so the unit is not applied`, known, placeOf(setting));
      refused = `${name}=${setting.value}`;
    } else attributes.set(name, known);
  }
  const textOf = (name: string): string | undefined => attributes.get(name)?.value;

  const type = typeOf(section);
  const enabled = isTrue(textOf("enabled") ?? "true");
  const condition = enabled && refused === undefined ? conditionOf(attributes, context, findings) : undefined;
  // A unit that is not applied asks the node nothing.
  const ofOptions = condition?.type === "met" ? findings : new Findings();
  const options = new Map<string, Setting>();
  for (const [key, setting] of section.options) {
    // Names of kernel modules are the only keys that TuneD expands.
    const module = type === "modules" ? expand(key, context) : undefined;
    const name = module ? ofOptions.take(module, placeOf(setting)) : key;
    const known = module?.refused ?? expandSetting(setting, context, ofOptions);
    if (typeof known === "string") ofOptions.refuse(`[${section.name}] ${key} is not set`, known, placeOf(setting));
    else options.set(name, known);
  }
  return {
    name: section.name,
    type,
    enabled,
    devices: textOf("devices") ?? "*",
    priority: priorityOf(section, findings),
    options,
    devicesUdevRegex: textOf("devices_udev_regex"),
    cpuinfoRegex: textOf("cpuinfo_regex"),
    unameRegex: textOf("uname_regex"),
    scriptPre: textOf("script_pre"),
    scriptPost: textOf("script_post"),
    unmet: refused ?? (condition?.type === "unmet" ? condition.condition : undefined),
  };
}

/** TuneD's default is 0; lower priorities are applied first. */
function priorityOf({ name, attributes }: Section, findings: Findings): number {
  const setting = attributes.get("priority");
  if (!setting) return 0;
  const priority = parseInteger(setting.value);
  if (priority !== undefined) return Number(priority);
  findings.problem({
    ...placeOf(setting),
    message: `[${name}] priority ${JSON.stringify(setting.value)} is not a number`,
  });
  return 0;
}

/** TuneD does not expand paths of scripts. A text is the reason why the setting is left out. */
function expandSetting(setting: Setting, context: ExpandContext, findings: Findings): Setting | string {
  if (setting.list) return setting;
  const expansion = expand(setting.value, context);
  const value = findings.take(expansion, placeOf(setting));
  if (expansion.refused !== undefined) return expansion.refused;
  return value === setting.value ? setting : { ...setting, value, raw: setting.value };
}
