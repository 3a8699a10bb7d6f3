import { at, isObject } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import type { Plan } from "../../../language/object/plan.ts";
import {
  type ClusterOperator,
  clusterOperatorName,
  operatorStatus,
  type OperatorStatusInput,
  statusDueAt,
} from "./operator-status.ts";
import { transitions } from "./transitions.ts";

/** Where the operator reports its status: in the ClusterOperator on OpenShift, in a ConfigMap elsewhere. */
export type StatusPlace =
  | { readonly type: "ClusterOperator"; readonly observed: ClusterOperator | undefined }
  | {
      readonly type: "ConfigMap";
      readonly observed: KubeObject | undefined;
      /** Who renders pools and rolls them out. Default: not said. */
      readonly machineConfiguration?: string | undefined;
    };

export const statusConfigMapName = "node-tuning-status";

type Input = Omit<OperatorStatusInput, "before"> & { readonly status: StatusPlace };

export function planOperatorStatus(plan: Plan, input: Input): void {
  const { status: place, namespace, now } = input;
  const before = statusBefore(place);
  const status = operatorStatus({ ...input, before });
  const of = place.type === "ClusterOperator" ? clusterOperator : configMap(namespace);
  if (place.type === "ConfigMap") {
    const { machineConfiguration: pools } = place;
    const data = { ...textOf(status), ...(pools === undefined ? {} : { MachineConfigPools: pools }) };
    plan.objects.push({ owns: "whole", object: { ...of, data } });
  } else {
    if (!place.observed) plan.objects.push({ owns: "whole", object: { ...of, spec: {} } });
    plan.statuses.push({
      of: { ...of, metadata: { name: clusterOperatorName, uid: place.observed?.metadata.uid } },
      status,
    });
  }
  plan.events.push(...transitions(of, before.conditions, status.conditions));
  const due = statusDueAt(status);
  if (due !== undefined) plan.requeueAfterMs = Math.max(due - Date.parse(now) + 1000, 1000);
}

/** The status that was written last. */
export function statusBefore(place: StatusPlace): Status {
  return place.type === "ClusterOperator" ? (place.observed?.status ?? {}) : readStatus(place.observed);
}

const clusterOperator: KubeObject = {
  apiVersion: "config.openshift.io/v1",
  kind: "ClusterOperator",
  metadata: { name: clusterOperatorName },
};

function configMap(namespace: string): KubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: statusConfigMapName, namespace } };
}

type Status = NonNullable<ClusterOperator["status"]>;

/** One line per condition for people, and all of it as JSON for programs. */
function textOf({ conditions = [], versions = [] }: Status): Record<string, string> {
  const lines = conditions.map(({ type, status, reason, message }) => [
    type,
    `${status} (${reason})${message ? `: ${message}` : ""}`,
  ]);
  return { ...Object.fromEntries(lines), "status.json": JSON.stringify({ conditions, versions }) } as Record<
    string,
    string
  >;
}

function readStatus(observed: KubeObject | undefined): Status {
  const { data } = (observed ?? {}) as { data?: Record<string, string> };
  let value: unknown;
  try {
    value = JSON.parse(data?.["status.json"] ?? "{}");
  } catch {
    // As below.
  }
  // Another client may have written something else: the status is written again.
  const lists = ["conditions", "versions"].map((name) => at(value, name) ?? []);
  const isStatus = isObject(value) && lists.every((list) => Array.isArray(list) && list.every(isObject));
  return isStatus ? (value as Status) : {};
}
