import type { Container } from "kubernetes-types/core/v1.js";
import { isGuaranteed } from "../../../../language/cpu/qos-class.ts";
import { coresForCpu, cpuShares, millicores } from "../../../../language/cpu/shares.ts";
import type { Pod } from "../pod/pod-admission.ts";

const targetPrefix = "target.workload.openshift.io/";
const resourcePrefix = "resources.workload.openshift.io/";
const warningAnnotation = "workload.openshift.io/warning";

export type StaticPodRewrite =
  | { readonly type: "unmanaged" }
  /** `workload` is empty for a pod that is not pinned. */
  | { readonly type: "modified"; readonly pod: Pod; readonly workload: string }
  /** The pod runs as its manifest says. */
  | { readonly type: "error"; readonly code: "no-cpu-request" | "no-memory-request"; readonly container: string };

/** What a kubelet of a partitioned node makes of a static pod, which admission of the API server leaves alone. */
export function rewriteStaticPod(pod: Pod): StaticPodRewrite {
  const target = Object.keys(pod.metadata.annotations ?? {}).find((key) => key.startsWith(targetPrefix));
  if (target === undefined) return { type: "unmanaged" };
  const workload = target.slice(targetPrefix.length);
  const copy = structuredClone(pod);
  const { containers, initContainers = [] } = copy.spec ?? { containers: [] };
  if (isGuaranteed([...initContainers, ...containers])) return { type: "modified", pod: unpinned(copy), workload: "" };
  const annotations = (copy.metadata.annotations ??= {});
  for (const container of [...containers, ...initContainers]) {
    const { requests, limits } = container.resources ?? {};
    if (!requests) continue;
    const hasMemory = requests["memory"] !== undefined || limits?.["memory"] !== undefined;
    const { cpu } = requests;
    if (cpu === undefined && !hasMemory) continue;
    if (cpu === undefined) return { type: "error", code: "no-cpu-request", container: container.name };
    // Without it the class of the pod could change.
    if (!hasMemory) return { type: "error", code: "no-memory-request", container: container.name };
    annotations[`${resourcePrefix}${container.name}`] = resourceText(cpu, limits?.["cpu"]);
    moveCpu(container, `${workload}.workload.openshift.io/cores`, coresForCpu(cpu));
  }
  return { type: "modified", pod: copy, workload };
}

function unpinned(pod: Pod): Pod {
  const { metadata } = pod;
  const kept = Object.entries(metadata.annotations ?? {}).filter(
    ([key]) => !key.startsWith(targetPrefix) && !key.startsWith(resourcePrefix),
  );
  const warning = "static pod runs on any CPU: pods of the class Guaranteed are not pinned to those of a workload";
  return {
    ...pod,
    metadata: { ...metadata, annotations: { ...Object.fromEntries(kept), [warningAnnotation]: warning } },
  };
}

function resourceText(request: string, limit: string | undefined): string {
  const cpulimit = Number(millicores(limit ?? "0"));
  const cpushares = Number(cpuShares(millicores(request)));
  return JSON.stringify({ cpushares, ...(cpulimit === 0 ? {} : { cpulimit }) });
}

/** The scheduler counts this resource instead of CPU. */
function moveCpu(container: Container, resource: string, amount: string): void {
  const { cpu: _request, ...requests } = container.resources?.requests ?? {};
  const { cpu: _limit, ...limits } = container.resources?.limits ?? {};
  container.resources = {
    ...container.resources,
    requests: { ...requests, [resource]: amount },
    limits: { ...limits, [resource]: amount },
  };
}
