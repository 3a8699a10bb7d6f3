import type { KubeObject } from "../../../language/object/meta.ts";
import type { ObjectFinding } from "../../finding.ts";
import { agentDaemonSetName, nodeConfigLabel } from "../../scylla/names.ts";
import { responsibilityFor } from "../../scylla/gate/untuned-release.ts";
import { configOfNode, type PlacedNode } from "../../scylla/placement.ts";
import type { ScyllaPod } from "../../scylla/scylla-pod.ts";
import type { PlannedObject } from "../change-plan.ts";
import { objectDiff } from "../object-diff.ts";
import type { AgentChange, DatabaseChange, Outcome, ScyllaChange } from "./scylla-change.ts";
import { scyllaFindings } from "./scylla-findings.ts";
import { type ScyllaSide, scyllaSide, type ScyllaState } from "./scylla-side.ts";

export interface ScyllaChangeInput {
  readonly before: ScyllaState;
  readonly after: Pick<ScyllaState, "configs" | "operatorConfig">;
  readonly nodes: { readonly before: readonly PlacedNode[]; readonly after: readonly PlacedNode[] };
  /** ScyllaNodeConfigs and ScyllaOperatorConfigs. */
  readonly written: readonly KubeObject[];
  readonly now: string;
}

export interface ScyllaChanges extends ScyllaChange {
  /** DaemonSets that the operator creates, changes and deletes. */
  readonly objects: readonly PlannedObject[];
  readonly findings: readonly ObjectFinding[];
}

/** What written or deleted ScyllaNodeConfigs, and nodes with other labels, change for agents and databases. */
export function scyllaChanges({
  before: state,
  after: changed,
  nodes,
  written,
  now,
}: ScyllaChangeInput): ScyllaChanges {
  const before = scyllaSide(state, nodes.before, now);
  const daemonSets = [...before.daemonSets.values()];
  const after = scyllaSide({ ...state, ...changed, daemonSets }, nodes.after, now);
  return {
    objects: daemonSetChanges(before, after),
    agents: agentChanges(before, after),
    databases: databaseChanges(state.pods, before, after),
    findings: scyllaFindings(written, before, after),
  };
}

function daemonSetChanges(before: ScyllaSide, after: ScyllaSide): PlannedObject[] {
  const names = [...new Set([...before.daemonSets.keys(), ...after.daemonSets.keys()])].toSorted();
  return names.flatMap((name): PlannedObject[] => {
    const [old, fresh] = [before.daemonSets.get(name), after.daemonSets.get(name)];
    const object = fresh ?? old;
    const diff = objectDiff(old, fresh);
    if (!object || diff === "") return [];
    const { namespace, labels } = object.metadata;
    return [
      {
        place: `derived from ScyllaNodeConfig ${labels?.[nodeConfigLabel] ?? ""}`,
        kind: "DaemonSet",
        ...(namespace === undefined ? {} : { namespace }),
        name,
        change: fresh ? (old ? "change" : "create") : "delete",
        derived: true,
        diff,
      },
    ];
  });
}

function agentChanges(before: ScyllaSide, after: ScyllaSide): AgentChange[] {
  const groups = new Map<string, AgentChange & { nodes: string[] }>();
  for (const node of [...new Set([...before.nodes.keys(), ...after.nodes.keys()])].toSorted()) {
    const [old, fresh] = [agentOf(node, before), agentOf(node, after)];
    if (old === fresh) continue;
    const change = { ...(old === undefined ? {} : { before: old }), ...(fresh === undefined ? {} : { after: fresh }) };
    grouped(groups, change, () => ({ ...change, nodes: [] })).nodes.push(node);
  }
  return [...groups.values()];
}

/** The ScyllaNodeConfig whose agent tunes a node. Agents of other configs that select it stand down. */
function agentOf(name: string, { nodes, configs, daemonSets }: ScyllaSide): string | undefined {
  const node = nodes.get(name);
  const config = node && configOfNode(node, configs)?.metadata.name;
  return config !== undefined && daemonSets.has(agentDaemonSetName(config)) ? config : undefined;
}

function databaseChanges(pods: readonly ScyllaPod[], before: ScyllaSide, after: ScyllaSide): DatabaseChange[] {
  const groups = new Map<string, Outcome & { pods: string[] }>();
  for (const pod of pods) {
    const [old, fresh] = [outcomeFor(pod, before), outcomeFor(pod, after)];
    if (!fresh || keyOf(old) === keyOf(fresh)) continue;
    const { namespace, name } = pod.metadata;
    grouped(groups, fresh, () => ({ ...fresh, pods: [] })).pods.push(`${namespace}/${name}`);
  }
  return Array.from(groups.values(), (group) => ({ ...group, pods: group.pods.toSorted() }));
}

/** Undefined: it has ended, or is on no node. */
function outcomeFor(pod: ScyllaPod, { nodes, configs, daemonSets }: ScyllaSide): Outcome | undefined {
  const node = nodes.get(pod.spec?.nodeName ?? "");
  const responsibility = responsibilityFor({ pod, node, configs });
  switch (responsibility.by) {
    case "none":
      return undefined;
    case "operator":
      // Without the name of the node, so that databases of many nodes are one change.
      return {
        becomes: "untuned",
        because: node && configOfNode(node, configs) ? responsibility.because : "no ScyllaNodeConfig selects the node",
      };
    case "agent": {
      const { config } = responsibility;
      return daemonSets.has(agentDaemonSetName(config))
        ? { becomes: "tuned", config }
        : { becomes: "waiting", config, because: `ScyllaNodeConfig ${config} has no agents` };
    }
  }
}

function grouped<T>(groups: Map<string, T>, by: object, create: () => T): T {
  const key = keyOf(by);
  const group = groups.get(key) ?? create();
  groups.set(key, group);
  return group;
}

const keyOf = (value: object | undefined): string => JSON.stringify(value) ?? "";
