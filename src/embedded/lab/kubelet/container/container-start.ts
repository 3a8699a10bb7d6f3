import type { Container } from "kubernetes-types/core/v1.js";
import { hashText } from "../../../../language/object/hash.ts";
import type { VirtualNode } from "../node/virtual-node.ts";
import type { Pod } from "../pod/pod-admission.ts";
import { type ContainerCpu, cpuOf } from "./container-group.ts";
import { containerUser } from "./container-user.ts";
import { asksForPropagation, mountsFile, refusedPropagation } from "./mount-propagation.ts";

export type ContainerStart =
  | { readonly type: "allowed"; readonly user: string; readonly cpu: ContainerCpu | undefined }
  | { readonly type: "refused"; readonly reason: string; readonly message: string };

export interface StartInput {
  readonly pod: Pod;
  readonly container: Container;
  readonly node: VirtualNode;
  readonly imageUser: string | undefined;
}

/** What the kubelet checks before it creates a container, and the container runtime while it does. */
export async function mayStart({ pod, container, node, imageUser }: StartInput): Promise<ContainerStart> {
  const who = containerUser(pod, container, imageUser);
  if (who.type === "refused") return { ...who, reason: "CreateContainerConfigError" };
  if (container.volumeMounts?.some(({ mountPropagation }) => asksForPropagation(mountPropagation))) {
    const mounts = await node.host.read(mountsFile);
    const why = refusedPropagation(pod, container, mounts.type === "text" ? mounts.text : "");
    if (why !== undefined) {
      const id = hashText(`${pod.metadata.uid}/${container.name}`);
      const message = `failed to generate container "${id}" spec: failed to generate spec: ${why}`;
      return { type: "refused", reason: "CreateContainerError", message };
    }
  }
  const found = await cpuOf({ pod, node }, container);
  if (found.type === "error") return { type: "refused", reason: "CreateContainerError", message: found.message };
  return { type: "allowed", user: who.user, cpu: found.cpu };
}
