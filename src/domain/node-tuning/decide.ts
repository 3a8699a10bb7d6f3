import { findCondition } from "../../language/object/condition.ts";
import type { MachineConfig } from "../machine-config/api.ts";
import { emptyPlan, type Plan, referenceTo } from "../../language/object/plan.ts";
import {
  type AgentDaemonSet,
  agentDaemonSet,
  agentDaemonSetName,
  type AgentOptions,
  hasForeignFields,
  isOurDaemonSet,
} from "./agent-daemon-set.ts";
import { deferredAnnotation, fieldManager, type Tuned, tunedKind } from "./api.ts";
import { type ChosenNode, type PoolArguments, poolArguments, type Possible } from "./boot/boot-arguments.ts";
import { type BootDecision, poolsOfTuneds } from "./boot/boot-decision.ts";
import { acrossPools, bootConditions } from "./boot/boot-conditions.ts";
import { defaultTuned } from "./default-tuned.ts";
import { type Chosen, judge, type JudgeInput, type Judgement } from "./judge.ts";
import { machineConfigName, orphaned, poolMachineConfig } from "./boot/machine-configs.ts";
import { planOperatorStatus, type StatusPlace } from "./status/operator-status-object.ts";
import { describeRule, rulesByTuned, tieMessages } from "./rule.ts";
import { transitions } from "./status/transitions.ts";
import { tunedStatus } from "./status/tuned-status.ts";

/** Nodes, and the Tuneds whose rules are for them and for no others. The default Tuned is in all scopes. */
export type TuningScope = Pick<JudgeInput, "tuneds" | "nodes" | "pools"> & { readonly name: string };

/** Tuneds that the cluster only mirrors. Its users own neither them nor Profiles, and another controller writes boot arguments. */
export interface MirroredTuning {
  readonly scopes: readonly TuningScope[];
  /** What makes the objects of the cluster equal to their origins. */
  readonly writes: Pick<Plan, "objects" | "prunes">;
}

export interface NodeTuningInput extends JudgeInput {
  /** Default: Tuneds are objects of the cluster, and their rules are for all nodes. */
  readonly mirrored?: MirroredTuning | undefined;
  readonly machineConfigs?: readonly MachineConfig[] | undefined;
  readonly daemonSet?: AgentDaemonSet | undefined;
  /** Where the operator writes its own status, and what is there. */
  readonly status: StatusPlace;
  readonly agent: AgentOptions;
  /** What nodes can report; a preview, which makes the reports itself, trusts them. */
  readonly possible?: Possible | undefined;
  /** Of the operator, for the objects it creates. */
  readonly version: string;
  /** RFC 3339, for conditions. */
  readonly now: string;
}

/** With what it means for the boot arguments of pools. */
export interface NodeTuningPlan extends Plan {
  readonly boot: BootDecision;
}

/** Decides the Profile of every node, the MachineConfigs of pools, the statuses of Tuneds and of the operator, and what to delete. */
export function decideNodeTuning(input: NodeTuningInput): NodeTuningPlan {
  const { namespace } = input;
  const plan = emptyPlan();
  const { objects, prunes } = input.mirrored?.writes ?? onlyDefault(namespace);
  plan.objects.push(...objects);
  plan.prunes.push(...prunes);

  const judged = judgeScopes(input);
  const managementState = judged[0]?.managementState ?? "Managed";
  const chosen = judged.flatMap((one) => one.chosen);
  const agreed = judged.flatMap((one) => one.agreed);

  if (managementState === "Managed") planManaged(plan, input, chosen, agreed);
  if (managementState === "Removed") planRemoved(plan, input);
  const unused =
    managementState === "Unmanaged"
      ? []
      : judged.flatMap(({ rules, pools }) => orphaned(input.machineConfigs ?? [], rules, pools));
  plan.prunes.push(...unused.map((object) => referenceTo(object)));

  const invalid = planTunedStatuses(plan, input, judged);
  planOperatorStatus(plan, {
    status: input.status,
    daemonSet: input.daemonSet,
    profiles: input.profiles,
    namespace,
    now: input.now,
    managementState,
    pools: agreed,
    withoutTheirRule: chosen.flatMap(withoutItsRule),
    acrossPools: judged.flatMap(({ nodes, pools }) => acrossPools(nodes, pools).map(describeRule)),
    release: input.agent.release,
  });
  const boot = {
    tuneds: input.tuneds,
    poolsOf: new Map(judged.flatMap(({ given, pools }) => [...poolsOfTuneds(given, pools)])),
    pools: managementState === "Managed" ? agreed : [],
    orphaned: unused.map(({ metadata }) => metadata.name ?? ""),
    labelsOf: new Map(input.nodes.map(({ metadata }) => [metadata.name ?? "", metadata.labels ?? {}])),
    invalid,
  };
  return { ...plan, boot };
}

function onlyDefault(namespace: string): Pick<Plan, "objects" | "prunes"> {
  const object = defaultTuned(namespace);
  return { objects: [{ owns: "fields", object, because: "the default Tuned always exists" }], prunes: [] };
}

interface JudgedScope extends Judgement {
  /** As they were given. */
  readonly given: readonly Tuned[];
  readonly nodes: readonly ChosenNode[];
  readonly agreed: readonly PoolArguments[];
}

function judgeScopes(input: NodeTuningInput): JudgedScope[] {
  const { protocol, remembered, mirrored } = input;
  const possible = input.possible ?? remembered?.possible;
  const judgeOne = (one: JudgeInput): JudgedScope => {
    const judgement = judge(one);
    const nodes = judgement.chosen.map(({ node }) => node);
    return {
      ...judgement,
      given: one.tuneds,
      nodes,
      agreed: poolArguments(nodes, judgement.pools, protocol, possible),
    };
  };
  if (!mirrored) return [judgeOne(input)];
  remembered?.keep(mirrored.scopes.map(({ name }) => name));
  const profiles = new Map(input.profiles.map((profile) => [profile.metadata.name, profile]));
  return mirrored.scopes.map((scope) =>
    judgeOne({
      ...input,
      ...scope,
      profiles: scope.nodes.flatMap(({ metadata }) => profiles.get(metadata.name) ?? []),
      scope: scope.name,
    }),
  );
}

/** By Tuned: what is wrong with those that are not valid. */
function planTunedStatuses(
  plan: Plan,
  input: NodeTuningInput,
  judged: readonly JudgedScope[],
): ReadonlyMap<string, string> {
  const invalid = new Map<string, string>();
  const { namespace, now, protocol } = input;
  // The default Tuned may not exist yet: its creation triggers the next decision, which knows its generation.
  const left = new Set(input.tuneds.map(({ metadata }) => metadata.name));
  for (const { tuneds, rules, pools, texts, nodes, agreed } of judged) {
    const around = {
      texts,
      rulesOf: rulesByTuned(rules),
      namespace,
      pools,
      now,
      ties: tieMessages(nodes),
      boot: bootConditions(nodes, agreed, pools, protocol),
    };
    for (const tuned of tuneds) {
      if (!left.delete(tuned.metadata.name)) continue;
      const status = tunedStatus(tuned, around);
      const of = { ...kindOf(tunedKind), metadata: { name: tuned.metadata.name, namespace, uid: tuned.metadata.uid } };
      plan.statuses.push({ of, status: { ...status } });
      plan.events.push(...transitions(of, tuned.status?.conditions, status.conditions));
      const valid = findCondition(status.conditions, "Valid");
      if (valid?.status === "False") invalid.set(tuned.metadata.name ?? "", valid.message);
    }
  }
  return invalid;
}

function withoutItsRule({ node, passedOver: [first], keeps }: Chosen): { node: string; because: string }[] {
  const problem = first?.because ?? keeps;
  if (problem === undefined) return [];
  const { tuned } = (first ?? node.choice).rule;
  return [{ node: node.node.metadata.name ?? "", because: `Tuned ${tuned} ${problem}` }];
}

function planManaged(
  plan: Plan,
  input: NodeTuningInput,
  chosen: readonly Chosen[],
  agreed: readonly PoolArguments[],
): void {
  plan.objects.push({
    owns: input.daemonSet && mustReplace(input.daemonSet, input) ? "whole" : "fields",
    object: agentDaemonSet(input.agent, input.daemonSet),
    ownerless: true,
    because: "every Linux node has an agent",
  });
  for (const { node, undecided } of chosen) {
    // The node keeps its Profile, and the other nodes get theirs.
    if (undecided) continue;
    plan.objects.push({
      owns: "whole",
      object: node.wanted,
      // The other operator makes the default Tuned their owner: the garbage collector would delete them with it.
      ownerless: true,
      exactMetadata: input.mirrored !== undefined,
      ...(node.choice.rule.deferred ? {} : { absentAnnotations: [deferredAnnotation] }),
      because: describeRule(node.choice.rule),
    });
  }
  const names = new Set(input.nodes.map((node) => node.metadata.name));
  plan.prunes.push(...input.profiles.filter(({ metadata }) => !names.has(metadata.name)).map(referenceTo));

  if (input.mirrored) return;
  const observed = new Map((input.machineConfigs ?? []).map((object) => [object.metadata.name ?? "", object]));
  for (const pool of agreed) {
    const object = poolMachineConfig(pool, observed.get(machineConfigName(pool.pool)), input.version);
    if (object) plan.objects.push({ owns: "whole", object, because: `the nodes of the pool ${pool.pool} agree` });
  }
}

/** Server-side apply would add our container beside that of the other operator, and keep what users of a hosted cluster add. */
function mustReplace(daemonSet: AgentDaemonSet, { mirrored }: NodeTuningInput): boolean {
  return !isOurDaemonSet(daemonSet) || (mirrored !== undefined && hasForeignFields(daemonSet, fieldManager));
}

/** An agent restores the original settings when its Profile is deleted, so the DaemonSet goes after the last Profile. */
function planRemoved(plan: Plan, { profiles, daemonSet, namespace }: NodeTuningInput): void {
  plan.prunes.push(...profiles.map(referenceTo));
  if (daemonSet && profiles.length === 0)
    plan.prunes.push({
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: { name: agentDaemonSetName, namespace, uid: daemonSet.metadata.uid },
    });
}

function kindOf({ apiVersion, kind }: { apiVersion: string; kind: string }): { apiVersion: string; kind: string } {
  return { apiVersion, kind };
}
