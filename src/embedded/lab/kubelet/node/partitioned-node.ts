import { isObject } from "../../../../language/object/json.ts";
import { canonicalQuantity } from "../../../../language/object/quantity.ts";

/** The kubelet treats the node as partitioned if this file exists when it starts, whatever its content. */
export const pinningFile = "/etc/kubernetes/openshift-workload-pinning";
export const sharedCpusFile = "/etc/kubernetes/openshift-workload-mixed-cpus";

export const coresResource = "management.workload.openshift.io/cores";
export const sharedCpusResource = "workload.openshift.io/enable-shared-cpus";

/** Whether a pod, or its sandbox, asks for the CPUs of a workload: the kubelet leaves its CPUs to the runtime. */
export function isManaged(annotations: Readonly<Record<string, string>> | undefined): boolean {
  return Object.keys(annotations ?? {}).some((key) => key.startsWith("target.workload.openshift.io/"));
}

/** What a kubelet of OpenShift read when it started. */
export interface NodePartitioning {
  readonly partitioned: boolean;
  /** How many containers may use shared CPUs; undefined: the node has none. */
  readonly sharedCpus: number | undefined;
}

/** Capacity and allocatable alike: nothing is reserved of either. The cores are those of the whole machine. */
export function partitionedResources(node: NodePartitioning, cpus: number): Record<string, string> {
  const { partitioned, sharedCpus } = node;
  return {
    ...(partitioned ? { [coresResource]: canonicalQuantity(String(cpus * 1000)) } : {}),
    ...(sharedCpus === undefined ? {} : { [sharedCpusResource]: String(sharedCpus) }),
  };
}

/** Of `sharedCpusFile`. Undefined: off, also with a file that the kubelet cannot read. */
export function sharedCpusLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  try {
    const file: unknown = JSON.parse(text);
    const shared = isObject(file) ? file["shared_cpus"] : undefined;
    const limit = (isObject(shared) ? shared["containers_limit"] : undefined) ?? 0;
    return typeof limit === "number" && Number.isInteger(limit) ? limit : undefined;
  } catch {
    return undefined;
  }
}
