import type { Log } from "../../../cluster/runtime/log/log.ts";
import type { Host } from "../../../node/host/host.ts";
import { keepOneShot } from "../../../node/on-node/before-kubelet/keep-one-shot.ts";
import { writeImageFile } from "../../../node/on-node/one-shot.ts";

/** In the environment of an agent's pod. */
export const imageVariable = "CLUSTER_NODE_TUNED_IMAGE";

export interface NextBoot {
  readonly host: Host;
  /** Of this agent. Undefined: it runs outside of a pod, and so no unit could run it. */
  readonly image: string | undefined;
  /** Whether Attune may place units on the node. */
  readonly machineConfig?: boolean | undefined;
  readonly log: Log;
}

/** Leaves on the node what tunes it before the first pod of the next boot. An agent that cannot do so tunes the node all the same. */
export async function prepareNextBoot({ host, image, machineConfig = false, log }: NextBoot): Promise<void> {
  if (!image) return;
  const written = await writeImageFile(host, image);
  const why = written.type === "failed" ? written.message : await keepOneShot(host, machineConfig ? image : undefined);
  if (why !== undefined) log.warn({ why }, "after a restart of the node, pods may start before it is tuned");
}
