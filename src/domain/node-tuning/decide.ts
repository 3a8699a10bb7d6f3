import type { MachineConfig } from "../machine-config/api.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { emptyPlan, type ObjectReference, type Plan } from "../../language/object/plan.ts";
import {
  type AgentDaemonSet,
  agentDaemonSet,
  agentDaemonSetName,
  type AgentOptions,
  isOurDaemonSet,
} from "./agent-daemon-set.ts";
import { deferredAnnotation, tunedKind } from "./api.ts";
import { type ChosenNode, type PoolArguments, poolArguments } from "./boot/boot-arguments.ts";
import { acrossPools, bootConditions } from "./boot/boot-conditions.ts";
import { defaultTuned } from "./default-tuned.ts";
import { type Chosen, judge, type JudgeInput } from "./judge.ts";
import { forsaken, machineConfigName, poolMachineConfig } from "./boot/machine-configs.ts";
import { planOperatorStatus, type StatusPlace } from "./status/operator-status-object.ts";
import { describeRule } from "./rule.ts";
import { Ties } from "./ties.ts";
import { transitions } from "./status/transitions.ts";
import { tunedStatus } from "./status/tuned-status.ts";

export interface NodeTuningInput extends JudgeInput {
  readonly machineConfigs?: readonly MachineConfig[] | undefined;
  readonly daemonSet?: AgentDaemonSet | undefined;
  /** Where the operator's own status goes, and what is there. */
  readonly status: StatusPlace;
  readonly agent: AgentOptions;
  /** Of the operator, for what it makes. */
  readonly version: string;
  /** RFC 3339, for conditions. */
  readonly now: string;
}

/** Which profile every node gets, what pools boot with, what Tuneds and the cluster are told, and what has to go. */
export function decideNodeTuning(input: NodeTuningInput): Plan {
  const { namespace } = input;
  const plan = emptyPlan();
  plan.objects.push({
    owns: "fields",
    object: defaultTuned(namespace),
    because: "a rule of last resort is always there",
  });

  const { managementState, tuneds, rules, pools, texts, chosen } = judge(input);
  const nodes = chosen.map(({ node }) => node);
  const agreed = poolArguments(nodes, pools, input.protocol);

  if (managementState === "Managed") planManaged(plan, input, chosen, agreed);
  if (managementState === "Removed") planRemoved(plan, input);
  if (managementState !== "Unmanaged")
    plan.prunes.push(...forsaken(input.machineConfigs ?? [], rules, pools).map((object) => referenceTo(object)));

  const findings = {
    texts,
    rules,
    ties: tiesOf(nodes),
    boot: bootConditions(nodes, agreed, pools, input.protocol),
  };
  const present = new Set(input.tuneds.map(({ metadata }) => metadata.name));
  for (const tuned of tuneds) {
    // Not there yet: its creation brings us here again, and then it has a generation to speak of.
    if (!present.has(tuned.metadata.name)) continue;
    const status = tunedStatus(tuned, findings, input.now);
    const of = { ...kindOf(tunedKind), metadata: { name: tuned.metadata.name, namespace, uid: tuned.metadata.uid } };
    plan.statuses.push({ of, status: { ...status } });
    plan.events.push(...transitions(of, tuned.status?.conditions, status.conditions));
  }
  planOperatorStatus(plan, {
    status: input.status,
    daemonSet: input.daemonSet,
    profiles: input.profiles,
    namespace,
    now: input.now,
    managementState,
    pools: agreed,
    acrossPools: acrossPools(nodes, pools).map(describeRule),
    release: input.agent.release,
  });
  return plan;
}

function planManaged(
  plan: Plan,
  input: NodeTuningInput,
  chosen: readonly Chosen[],
  agreed: readonly PoolArguments[],
): void {
  plan.objects.push({
    // Applied to another operator's, ours would run beside its own: that one is replaced, node by node.
    owns: input.daemonSet && !isOurDaemonSet(input.daemonSet) ? "whole" : "fields",
    object: agentDaemonSet(input.agent, input.daemonSet),
    ownerless: true,
    because: "every Linux node has an agent",
  });
  for (const { node, undecided } of chosen) {
    // It keeps what it has, and others are not kept waiting for it.
    if (undecided) continue;
    plan.objects.push({
      owns: "whole",
      object: node.wanted,
      // Another operator has them go with the default Tuned, and their settings with them.
      ownerless: true,
      ...(node.choice.rule.deferred ? {} : { absentAnnotations: [deferredAnnotation] }),
      because: describeRule(node.choice.rule),
    });
  }
  const names = new Set(input.nodes.map((node) => node.metadata.name));
  plan.prunes.push(...input.profiles.filter(({ metadata }) => !names.has(metadata.name)).map(referenceTo));

  const observed = new Map((input.machineConfigs ?? []).map((object) => [object.metadata.name ?? "", object]));
  for (const pool of agreed) {
    const object = poolMachineConfig(pool, observed.get(machineConfigName(pool.pool)), input.version);
    if (object) plan.objects.push({ owns: "whole", object, because: `the nodes of the pool ${pool.pool} agree` });
  }
}

/** Agents put back what they changed when their Profile goes; those who go with the DaemonSet have done so by then. */
function planRemoved(plan: Plan, { profiles, daemonSet, namespace }: NodeTuningInput): void {
  plan.prunes.push(...profiles.map(referenceTo));
  if (daemonSet && profiles.length === 0)
    plan.prunes.push({
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: { name: agentDaemonSetName, namespace, uid: daemonSet.metadata.uid },
    });
}

function tiesOf(chosen: readonly ChosenNode[]): Map<string, string[]> {
  const ties = new Ties();
  for (const { node, choice } of chosen) for (const other of choice.ties) ties.add(choice.rule, other, node);
  return ties.messages();
}

function referenceTo({ apiVersion, kind, metadata: { name, namespace, uid } }: KubeObject): ObjectReference {
  return { apiVersion, kind, metadata: { name, namespace, uid } };
}

function kindOf({ apiVersion, kind }: { apiVersion: string; kind: string }): { apiVersion: string; kind: string } {
  return { apiVersion, kind };
}
