import type { ConfigMap, ManifestProblem } from "../hosted/envelope/read-manifests.ts";
import { isReport, type PoolReport, readReport } from "../hosted/handover/pool-report.ts";
import type { Read } from "../hosted/handover/strict-json.ts";
import { hostedTunedName } from "../hosted/names.ts";
import { nodePoolOf } from "../hosted/protocol.ts";
import type { Tuned } from "../node-tuning/api.ts";
import type { Given } from "./read-tuning.ts";

/** What the operator of the hosted cluster reports about a NodePool. `controlPlane`: ConfigMaps of its namespace. */
export function reportOn(nodePool: string, controlPlane: readonly ConfigMap[]): Read<PoolReport> | undefined {
  const found = controlPlane.find((one) => isReport(one) && nodePoolOf(one) === nodePool);
  return found && readReport(found);
}

/** Whether TuneD can use a Tuned is known in the hosted cluster, where all profiles are: what is wrong with those given. */
export function reportedProblems(
  nodePool: string,
  given: readonly Given<Tuned>[],
  controlPlane: readonly ConfigMap[],
): ManifestProblem[] {
  const report = reportOn(nodePool, controlPlane);
  const reported = report?.type === "read" ? (report.value.tuneds ?? []) : [];
  const messages = new Map(reported.map(({ tuned, message }) => [tuned, message]));
  return given.flatMap(({ object: { kind, metadata }, from }) => {
    const { name = "" } = metadata;
    const message = messages.get(hostedTunedName(name, nodePool));
    return message === undefined ? [] : [{ configMap: from, kind, name, message }];
  });
}
