import { instanceAnnotation } from "../../embedded/lab/kubelet/node/instance-annotation.ts";
import type { KubeObject } from "../../language/object/meta.ts";

/** Whether a lab runs the node: its files are read through its kubelet, and nothing runs in its pods. */
export function isVirtual({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[instanceAnnotation] !== undefined;
}
