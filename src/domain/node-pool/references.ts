import { tuningFields } from "../hosted/protocol.ts";
import type { LocalReference, NodePool } from "./api.ts";

/** Names of the ConfigMaps with Tuneds and profiles: those of all three fields, each once. */
export function tuningReferences({ spec = {} }: NodePool): string[] {
  return names(tuningFields.flatMap((field) => spec[field] ?? []));
}

/** Names of the ConfigMaps with MachineConfigs and the like, each once. */
export function configReferences({ spec }: NodePool): string[] {
  return names(spec?.config ?? []);
}

function names(references: readonly LocalReference[]): string[] {
  return [...new Set(references.map(({ name }) => name ?? "").filter((name) => name !== ""))];
}
