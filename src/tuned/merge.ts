import type { Setting, Unit, UnitChange } from "./unit.ts";

/**
 * Lays a profile's section over what was inherited. Options keep the position they first had; type, enabled and devices
 * are the child's or TuneD's default, never the parent's.
 */
export function mergeUnit(inherited: Unit | undefined, change: UnitChange): Unit {
  const { name, type, enabled, devices } = change;
  if (!inherited || change.replace)
    return { name, type, enabled, devices, priority: change.priority, options: change.options };
  const options = new Map(inherited.options);
  for (const dropped of change.drop) options.delete(dropped);
  for (const [key, setting] of change.options) options.set(key, over(options.get(key), setting));
  return { name, type, enabled, devices, priority: change.hasPriority ? change.priority : inherited.priority, options };
}

function over(inherited: Setting | undefined, setting: Setting): Setting {
  if (!inherited) return setting;
  const { value, from, overrides } = inherited;
  return { ...setting, overrides: [...overrides, { value, from }, ...setting.overrides] };
}
