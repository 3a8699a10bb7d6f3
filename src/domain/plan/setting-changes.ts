import type { Expected } from "../node-tuning/expected-profile.ts";
import type { ProfileSpec } from "../node-tuning/api.ts";

/** An option that is set, changed or no longer set. Where it is no longer set, the node's original comes back. */
export interface SettingChange {
  readonly unit: string;
  readonly option: string;
  readonly before?: SettingPlace;
  readonly after?: SettingPlace;
}

export interface SettingPlace {
  readonly value: string;
  /** `file:line` */
  readonly from: string;
}

/** What one profile sets and another does not, or sets otherwise; in the order of the new one. */
export function settingChanges(before: Expected | undefined, after: Expected | undefined): SettingChange[] {
  const old = placesOf(before);
  const fresh = placesOf(after);
  const changes: SettingChange[] = [];
  for (const [key, { unit, option, place }] of fresh) {
    const known = old.get(key)?.place;
    if (known?.value !== place.value) changes.push({ unit, option, ...(known ? { before: known } : {}), after: place });
  }
  for (const [key, { unit, option, place }] of old) if (!fresh.has(key)) changes.push({ unit, option, before: place });
  return changes;
}

interface Placed {
  readonly unit: string;
  readonly option: string;
  readonly place: SettingPlace;
}

/** Of units that are switched on. */
function placesOf(expected: Expected | undefined): Map<string, Placed> {
  const places = new Map<string, Placed>();
  if (expected?.type !== "resolved") return places;
  for (const { name: unit, enabled, unmet, options } of expected.profile.units) {
    if (!enabled || unmet !== undefined) continue;
    for (const [option, { value, from }] of options)
      places.set(JSON.stringify([unit, option]), { unit, option, place: { value, from } });
  }
  return places;
}

/** How the agent itself is to behave. */
export interface OptionChange {
  readonly option: string;
  readonly before: string;
  readonly after: string;
}

export function optionChanges(before: ProfileSpec | undefined, after: ProfileSpec | undefined): OptionChange[] {
  if (!before || !after) return [];
  const old = optionsOf(before);
  return Object.entries(optionsOf(after)).flatMap(([option, value]) =>
    old[option] === value ? [] : [{ option, before: old[option] ?? "", after: value }],
  );
}

function optionsOf({ config }: ProfileSpec): Record<string, string> {
  return {
    debug: String(config.debug ?? false),
    verbosity: String(config.verbosity ?? 0),
    reapply_sysctl: String(config.tunedConfig?.reapply_sysctl ?? true),
  };
}
