import type { KubeObject } from "../../language/object/meta.ts";
import { kubeletConfigKind, machineConfigKind } from "../machine-config/api.ts";
import { machineConfigName } from "../node-tuning/boot/machine-configs.ts";
import { derivedNames } from "../performance-profile/names.ts";

/** Whether an object of a payload came from the hosted cluster: boot arguments, or what is derived from a profile. */
export function isGenerated({ kind, metadata: { name = "" } }: KubeObject, nodePool: string): boolean {
  const { machineConfig, kubeletConfig } = derivedNames("");
  if (kind === kubeletConfigKind.kind) return name.startsWith(kubeletConfig);
  return kind === machineConfigKind.kind && (name === machineConfigName(nodePool) || name.startsWith(machineConfig));
}
