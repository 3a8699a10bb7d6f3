import { writtenProfile } from "../../../src/domain/node-pool/design/written-profile.ts";
import type { PerformanceProfile } from "../../../src/domain/performance-profile/api.ts";
import type { KubeObject } from "../../../src/language/object/meta.ts";
import { writeYaml } from "../../../src/language/object/write-yaml.ts";
import type { DesignedNodePool } from "../../protocol/topics.ts";

/** What a design comes to. */
export interface Written {
  /** To keep in a file. */
  readonly kept: string;
  readonly applied: string;
}

/** A PerformanceProfile; for a NodePool a ConfigMap with it, and for a new one the NodePool that refers to that. */
export function writtenOf(profile: PerformanceProfile, designed: DesignedNodePool | undefined): Written {
  if (!designed) return { kept: writeYaml(profile), applied: writeYaml(profile) };
  const { nodePool, given, taken } = designed;
  const { whole, changed } = writtenProfile(profile, { nodePool, given, taken });
  return { kept: `${remarkOn(given)}${documents(whole)}`, applied: documents(changed) };
}

function documents(objects: readonly KubeObject[]): string {
  return objects.map((object) => writeYaml(object)).join("---\n");
}

function remarkOn(given: DesignedNodePool["given"]): string {
  if (!given || given.otherKeys.length === 0) return "";
  const keys = given.otherKeys.join(", ");
  return `# The ConfigMap has more than is in this file (${keys}): kubectl apply --server-side --force-conflicts leaves that alone.\n`;
}
