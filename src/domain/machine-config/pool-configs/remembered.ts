import { readJson } from "../../../language/object/exact-json.ts";
import { get, isObject } from "../../../language/object/json.ts";
import type { MachineConfig } from "../api.ts";
import type { Settings } from "./settings.ts";

/** On a generated MachineConfig: what each of its objects said when it was last accepted. */
export const rememberedAnnotation = "rollout.attune.dev/accepted";

export interface Remembered {
  /** Another object of the same name has another uid: what its predecessor said does not count. */
  readonly uid: string;
  readonly generation: number;
  readonly settings: Settings;
}

/** By name of the object. Empty for a MachineConfig that another operator generated. */
export function acceptedBefore(machineConfig: MachineConfig | undefined): ReadonlyMap<string, Remembered> {
  const text = machineConfig?.metadata.annotations?.[rememberedAnnotation];
  const found = new Map<string, Remembered>();
  for (const [name, entry] of Object.entries(text === undefined ? {} : objectIn(text))) {
    const [uid, generation, settings] = ["uid", "generation", "settings"].map((field) => get(entry, field));
    if (typeof uid === "string" && typeof generation === "number" && isObject(settings))
      found.set(name, { uid, generation, settings });
  }
  return found;
}

/** Users may edit the annotation. */
function objectIn(text: string): object {
  try {
    const value = readJson(text);
    return isObject(value) ? value : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
