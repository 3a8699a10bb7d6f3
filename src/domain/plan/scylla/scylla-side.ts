import type { KubeObject } from "../../../language/object/meta.ts";
import type { Plan } from "../../../language/object/plan.ts";
import type { ScyllaNodeConfig, ScyllaOperatorConfig } from "../../scylla/api.ts";
import type { AgentDaemonSet, AgentTemplate } from "../../scylla/config/agent-daemon-set.ts";
import { decideConfigs } from "../../scylla/config/decide-configs.ts";
import type { PlacedNode } from "../../scylla/placement.ts";
import type { ScyllaPod } from "../../scylla/scylla-pod.ts";

/** What a cluster has for Scylla, besides its nodes. */
export interface ScyllaState {
  readonly configs: readonly ScyllaNodeConfig[];
  readonly operatorConfig: ScyllaOperatorConfig | undefined;
  /** Of the agents. */
  readonly daemonSets: readonly AgentDaemonSet[];
  /** Where agents run. */
  readonly namespace: KubeObject | undefined;
  /** Databases. */
  readonly pods: readonly ScyllaPod[];
  /** Of the operator's agents. */
  readonly template: AgentTemplate;
}

/** A cluster before or after a change, once the operator has acted on it. */
export interface ScyllaSide {
  readonly configs: readonly ScyllaNodeConfig[];
  readonly nodes: ReadonlyMap<string, PlacedNode>;
  /** By name. */
  readonly daemonSets: ReadonlyMap<string, KubeObject>;
  readonly statuses: Plan["statuses"];
}

/** Decides as the operator does. Jobs and agents that run have no influence on what a change does. */
export function scyllaSide(state: Omit<ScyllaState, "pods">, nodes: readonly PlacedNode[], now: string): ScyllaSide {
  const { configs, daemonSets } = state;
  const plan = decideConfigs({ ...state, nodes, agentPods: [], jobs: [], reports: [], access: [], now });
  const settled = new Map(byName(daemonSets));
  for (const { metadata } of plan.prunes) settled.delete(metadata.name ?? "");
  for (const { object } of plan.objects)
    if (object.kind === "DaemonSet") settled.set(object.metadata.name ?? "", object);
  return { configs, nodes: byName(nodes), daemonSets: settled, statuses: plan.statuses };
}

function byName<T extends KubeObject>(objects: readonly T[]): Map<string, T> {
  return new Map(objects.map((object) => [object.metadata.name ?? "", object]));
}
