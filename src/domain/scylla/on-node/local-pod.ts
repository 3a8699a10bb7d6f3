import { databaseContainer } from "../names.ts";
import { isScyllaPod, isTunable, type ScyllaPod } from "../scylla-pod.ts";

/** What a pod of the node means for its tuning. */
export type LocalPod =
  /** Its database has CPUs. `isLeaving`: it keeps them until it has ended, but waits for nothing (§4.3 of the specification). */
  | { readonly type: "running"; readonly containerId: string; readonly isLeaving: boolean }
  /** Its database does not run now. If it ran before, it will get the same CPUs again. */
  | { readonly type: "waiting"; readonly warning?: string }
  /** It has no effect on tuning. */
  | { readonly type: "irrelevant" };

/** Databases without CPUs of their own are let start by the operator. */
export function localPod(pod: ScyllaPod): LocalPod {
  const { phase } = pod.status ?? {};
  if (!isScyllaPod(pod) || !isTunable(pod) || phase === "Succeeded" || phase === "Failed")
    return { type: "irrelevant" };
  const isLeaving = pod.metadata.deletionTimestamp !== undefined;
  const status = pod.status?.containerStatuses?.find(({ name }) => name === databaseContainer);
  if (status?.state?.running === undefined) return isLeaving ? { type: "irrelevant" } : { type: "waiting" };
  const containerId = status.containerID ?? "";
  if (bareId(containerId) !== undefined) return { type: "running", containerId, isLeaving };
  const warning =
    containerId === ""
      ? "its status has no id of the running container"
      : `unsupported containerID format ${JSON.stringify(containerId)}`;
  return isLeaving ? { type: "irrelevant" } : { type: "waiting", warning };
}

/** `containerd://5bdb` → `5bdb`, as the runtime knows it. */
export function bareId(containerId: string): string | undefined {
  return /[a-z]+:\/\/([a-z0-9]+)/.exec(containerId)?.[1];
}
