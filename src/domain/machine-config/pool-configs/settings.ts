import { equal, get, isObject, type JsonObject, set } from "../../../language/object/json.ts";
import type { FieldError } from "../../../language/schema/field-error.ts";
import { child } from "../../../language/schema/path.ts";

/** What one object sets, by the names of its spec. A field that is present is set, whatever its value. */
export type Settings = JsonObject;

/** One object, read. */
export interface Reading {
  readonly settings: Settings;
  /** Why it cannot be used: all reasons, each with its field. */
  readonly problems: readonly FieldError[];
  /** What has no effect, and why. */
  readonly ignored: readonly string[];
}

/** Maps are merged key by key; lists and other values of the newer settings replace those of the older. */
export function mergeSettings(older: Settings, newer: Settings): Settings {
  const merged: Settings = { ...older };
  for (const [name, value] of Object.entries(newer)) {
    const before = get(older, name);
    set(merged, name, isObject(before) && isObject(value) ? mergeSettings(before, value) : value);
  }
  return merged;
}

/** A field that two objects set to different values. */
export interface Conflict {
  /** `spec.kubeletConfig.maxPods` */
  readonly field: string;
  readonly older: string;
  /** Its value is used. */
  readonly newer: string;
}

/** Who set each field last. */
export class FieldOwners {
  readonly #owners = new Map<string, { readonly name: string; readonly value: unknown }>();

  /** Records the fields of the next newer object, and returns its conflicts with older ones. */
  add(name: string, settings: Settings): readonly Conflict[] {
    const conflicts: Conflict[] = [];
    for (const [field, value] of leaves(settings, "spec")) {
      const before = this.#owners.get(field);
      if (before && !equal(before.value, value)) conflicts.push({ field, older: before.name, newer: name });
      this.#owners.set(field, { name, value });
    }
    return conflicts;
  }
}

function* leaves(value: Settings, path: string): Generator<[field: string, value: unknown]> {
  for (const [name, item] of Object.entries(value)) {
    const field = child(path, name);
    if (isObject(item)) yield* leaves(item, field);
    else yield [field, item];
  }
}
