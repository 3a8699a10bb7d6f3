import type { MachineConfig, MachineConfigPool } from "../machine-config/api.ts";

import type { KubeObject } from "../object/meta.ts";
import { emptyPlan, type ObjectReference, type Plan } from "../object/plan.ts";
import { type AgentDaemonSet, agentDaemonSet, agentDaemonSetName, type AgentOptions } from "./agent-daemon-set.ts";
import { deferredAnnotation, type Profile, type Protocol, type Tuned, tunedKind } from "./api.ts";
import { type ChosenNode, type PoolArguments, poolArguments } from "./boot-arguments.ts";
import { acrossPools, bootFindings } from "./boot-findings.ts";
import { defaultTuned, defaultTunedName } from "./default-tuned.ts";
import { shippedInputs } from "./inputs.ts";
import { forsaken, machineConfigName, poolMachineConfig } from "./machine-configs.ts";
import type { Labels } from "./match.ts";
import { isLinux, type NodeFacts, nodeProfile } from "./node-profile.ts";
import { planOperatorStatus, type StatusPlace } from "./operator-status-object.ts";
import { Pools } from "./pools.ts";
import { ProfileTexts } from "./profile-texts.ts";
import { chooseRule, describeRule, type Rule, rulesOf } from "./rule.ts";
import { Ties } from "./ties.ts";
import { transitions } from "./transitions.ts";
import { tunedStatus } from "./tuned-status.ts";

export interface NodeTuningInput {
  readonly tuneds: readonly Tuned[];
  readonly nodes: readonly NodeFacts[];
  readonly profiles: readonly Profile[];
  /** Labels of the pods on a node; asked only where a rule goes by them. */
  readonly podsOn?: (node: string) => readonly Labels[];
  /** None where the cluster has no such kinds. */
  readonly pools?: readonly MachineConfigPool[];
  readonly machineConfigs?: readonly MachineConfig[];
  readonly daemonSet?: AgentDaemonSet;
  /** Where the operator's own status goes, and what is there. */
  readonly status: StatusPlace;
  readonly agent: AgentOptions;
  readonly protocol: Protocol;
  readonly namespace: string;
  /** Of the operator, for what it makes. */
  readonly version: string;
  /** RFC 3339, for conditions. */
  readonly now: string;
}

/** Which profile every node gets, what pools boot with, what Tuneds and the cluster are told, and what has to go. */
export function decideNodeTuning(input: NodeTuningInput): Plan {
  const { namespace } = input;
  const plan = emptyPlan();
  const shipped = defaultTuned(namespace);
  plan.objects.push({ owns: "fields", object: shipped, because: "a rule of last resort is always there" });

  const tuneds = withShipped(input.tuneds, shipped);
  const rules = rulesOf(tuneds);
  const pools = new Pools(input.pools ?? []);
  const texts = new ProfileTexts(tuneds);
  const managementState = stateOf(input.tuneds);
  const chosen = chooseAll(input, { tuneds, rules, pools, texts });
  const agreed = poolArguments(
    chosen.map(({ node }) => node),
    pools,
    input.protocol,
  );

  if (managementState === "Managed") planManaged(plan, input, chosen, agreed);
  if (managementState === "Removed") planRemoved(plan, input);
  if (managementState !== "Unmanaged")
    plan.prunes.push(...forsaken(input.machineConfigs ?? [], rules, pools).map((object) => referenceTo(object)));

  const nodes = chosen.map(({ node }) => node);
  const findings = {
    texts,
    rules,
    ties: tiesOf(nodes),
    boot: bootFindings(nodes, agreed, pools, input.protocol),
  };
  for (const tuned of tuneds) {
    // Not there yet: its creation brings us here again, and then it has a generation to speak of.
    if (tuned === shipped) continue;
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

interface Known {
  readonly tuneds: readonly Tuned[];
  readonly rules: readonly Rule[];
  readonly pools: Pools;
  readonly texts: ProfileTexts;
}

interface Chosen {
  readonly node: ChosenNode;
  /** Nobody can say what this node should have: a profile it needs has several texts. */
  readonly undecided: boolean;
}

/** Every Linux node with the rule that won for it. */
function chooseAll(input: NodeTuningInput, { tuneds, rules, pools, texts }: Known): Chosen[] {
  const { namespace, podsOn } = input;
  const observed = new Map(input.profiles.map((profile) => [profile.metadata.name ?? "", profile]));
  const inputs = input.protocol === "shipped" ? shippedInputs(tuneds, input.agent.release) : undefined;
  const usesPods = rules.some((rule) => rule.usesPods);
  return input.nodes.flatMap((node): Chosen[] => {
    if (!isLinux(node)) return [];
    const name = node.metadata.name ?? "";
    const labelled = { node: node.metadata.labels ?? {}, pods: usesPods ? (podsOn?.(name) ?? []) : [] };
    const choice = chooseRule(rules, labelled, pools);
    if (!choice) return [];
    const needs = texts.neededBy(choice.rule.recommend.profile);
    const wanted = nodeProfile({
      node,
      rule: choice.rule,
      texts: needs.texts,
      namespace,
      ...(inputs === undefined ? {} : { inputs }),
    });
    return [{ node: { node, choice, wanted, observed: observed.get(name) }, undecided: needs.conflicts.length > 0 }];
  });
}

function planManaged(
  plan: Plan,
  input: NodeTuningInput,
  chosen: readonly Chosen[],
  agreed: readonly PoolArguments[],
): void {
  plan.objects.push({
    owns: "fields",
    object: agentDaemonSet(input.agent, input.daemonSet),
    because: "every Linux node has an agent",
  });
  for (const { node, undecided } of chosen) {
    // It keeps what it has, and others are not kept waiting for it.
    if (undecided) continue;
    plan.objects.push({
      owns: "whole",
      object: node.wanted,
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

function stateOf(tuneds: readonly Tuned[]): "Managed" | "Unmanaged" | "Removed" {
  const state = tuneds.find(isDefault)?.spec?.managementState;
  return state === "Unmanaged" || state === "Removed" ? state : "Managed";
}

function isDefault({ metadata }: Tuned): boolean {
  return metadata.name === defaultTunedName;
}

/** The default Tuned counts as we ship it, even before it has been put right. */
function withShipped(tuneds: readonly Tuned[], shipped: Tuned): Tuned[] {
  const found = tuneds.find(isDefault);
  const others = tuneds.filter((tuned) => !isDefault(tuned));
  return [...others, found ? { ...found, spec: { ...found.spec, ...shipped.spec } } : shipped];
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
