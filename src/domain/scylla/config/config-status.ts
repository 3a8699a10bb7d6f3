import { type Condition, setCondition } from "../../../language/object/condition.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { isTrue } from "../../../language/object/condition.ts";
import { printable } from "../../rollout/node-annotations.ts";
import { listed } from "../../rollout/nearby-nodes.ts";
import type { ReplicaStatus, ScyllaNodeConfig, ScyllaNodeConfigStatus } from "../api.ts";
import { type AgentDaemonSet, generationAnnotation, generationLabel } from "./agent-daemon-set.ts";
import type { Tuning } from "./node-jobs.ts";
import type { Overlap } from "./overlaps.ts";

/** What is read of an agent's pod. */
export interface AgentPod extends KubeObject {
  spec?: { nodeName?: string };
  status?: { conditions?: { type: string; status: string }[] };
}

/** Why agents are not as the config wants them. */
export interface Problem {
  /** CamelCase. */
  readonly reason: string;
  readonly message: string;
}

export interface ConfigStatusInput {
  readonly config: ScyllaNodeConfig;
  readonly daemonSet: AgentDaemonSet | undefined;
  readonly pods: readonly AgentPod[];
  /** Of the nodes that the config decides about. */
  readonly tuning: ReadonlyMap<string, Tuning>;
  readonly overlaps: readonly Overlap[];
  readonly problems: readonly Problem[];
  /** Agents are not wanted. */
  readonly isDisabled: boolean;
  readonly now: string;
}

type Finding = Omit<Condition, "lastTransitionTime" | "observedGeneration">;

/** As long as the API server accepts for conditions of its own kinds. */
const longestMessage = 32_768;
const longestReason = 1024;

export function configStatus(input: ConfigStatusInput): ScyllaNodeConfigStatus {
  const { config, now } = input;
  const observedGeneration = config.metadata.generation ?? 0;
  const before = config.status?.conditions ?? [];
  const findings = [available(input), progressing(input), degraded(input), overlapping(input)];
  let conditions: readonly Condition[] = before.filter(({ type }) => findings.some((finding) => finding.type === type));
  for (const { reason, message, ...finding } of findings)
    conditions = setCondition(
      conditions,
      { ...finding, reason: cut(reason, longestReason), message: shown(message, longestMessage), observedGeneration },
      now,
    );
  return { observedGeneration, conditions: [...conditions], ...replicas(input) };
}

/** Part of it is what a program printed, which an agent reports. */
function shown(text: string, longest: number): string {
  return cut(
    text
      .split("\n")
      .map((line) => printable(line, longest))
      .join("\n"),
    longest,
  );
}

function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}

const none: ReplicaStatus = { desired: 0, actual: 0, ready: 0 };

function replicas({
  daemonSet,
  pods,
}: ConfigStatusInput): Pick<ScyllaNodeConfigStatus, "current" | "updated" | "stale"> {
  if (!daemonSet) return { current: none, updated: none, stale: false };
  const { metadata, status = {} } = daemonSet;
  const newest = metadata.annotations?.[generationAnnotation];
  const updated = pods.filter((pod) => newest !== undefined && pod.metadata.labels?.[generationLabel] === newest);
  const desired = status.desiredNumberScheduled ?? 0;
  return {
    current: { desired, actual: status.currentNumberScheduled ?? 0, ready: status.numberReady ?? 0 },
    updated: { desired, actual: status.updatedNumberScheduled ?? 0, ready: updated.filter(isReady).length },
    stale: isStale(daemonSet),
  };
}

function isReady({ status }: AgentPod): boolean {
  return isTrue(status?.conditions, "Ready");
}

function isStale({ metadata, status }: AgentDaemonSet): boolean {
  return (status?.observedGeneration ?? 0) < (metadata.generation ?? 0);
}

function available({ daemonSet, isDisabled }: ConfigStatusInput): Finding {
  const type = "Available";
  if (isDisabled)
    return {
      type,
      status: "True",
      reason: "ReplicasReady",
      message: "optimizations are disabled: no agents are needed",
    };
  if (!daemonSet) return { type, status: "False", reason: "Scaling", message: "agents are not created yet" };
  const { desiredNumberScheduled: desired = 0, numberReady: ready = 0 } = daemonSet.status ?? {};
  const message = `${ready} of ${count(desired, "agent")} ready`;
  return ready < desired || isStale(daemonSet)
    ? { type, status: "False", reason: "Scaling", message }
    : { type, status: "True", reason: "ReplicasReady", message };
}

function progressing({ daemonSet, isDisabled, tuning, problems }: ConfigStatusInput): Finding {
  const type = "Progressing";
  if (isDisabled) return { type, status: "False", reason: "AsExpected", message: "" };
  const running = [...tuning].filter(([, { state }]) => state === "running").map(([node]) => node);
  const waits: Problem[] = [
    ...(isRollingOut(daemonSet) && !(daemonSet === undefined && problems.length > 0)
      ? [{ reason: "WaitingForDaemonSetRollOut", message: describeRollOut(daemonSet) }]
      : []),
    ...(running.length > 0
      ? [{ reason: "AwaitingJobCompletion", message: `tuning ${listed(running.toSorted())}` }]
      : []),
  ];
  return joined(type, waits);
}

function isRollingOut(daemonSet: AgentDaemonSet | undefined): boolean {
  if (!daemonSet || isStale(daemonSet)) return true;
  const { desiredNumberScheduled: desired = 0, updatedNumberScheduled: updated = 0 } = daemonSet.status ?? {};
  return updated < desired || (daemonSet.status?.numberAvailable ?? 0) < desired;
}

function describeRollOut(daemonSet: AgentDaemonSet | undefined): string {
  const { desiredNumberScheduled: desired = 0, updatedNumberScheduled: updated = 0 } = daemonSet?.status ?? {};
  return `${updated} of ${count(desired, "agent")} updated`;
}

function degraded({ tuning, problems }: ConfigStatusInput): Finding {
  const failures = [...tuning]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([node, one]) => (one.state === "failed" ? [{ node, ...one }] : []))
    .map(({ node, reason, message }): Problem => ({ reason, message: `node ${node}: ${message}` }));
  return joined("Degraded", [...problems, ...failures]);
}

function joined(type: string, problems: readonly Problem[]): Finding {
  if (problems.length === 0) return { type, status: "False", reason: "AsExpected", message: "" };
  const reason = [...new Set(problems.map((problem) => problem.reason))].join(",");
  return { type, status: "True", reason, message: problems.map(({ message }) => message).join("\n") };
}

function overlapping({ overlaps }: ConfigStatusInput): Finding {
  const type = "Overlapping";
  if (overlaps.length === 0) return { type, status: "False", reason: "AsExpected", message: "" };
  return { type, status: "True", reason: "NodesSelectedTwice", message: overlaps.map(describeOverlap).join("\n") };
}

const outcomes: Readonly<Record<Overlap["decides"], string>> = {
  this: "this config is older and decides about them",
  other: "that config is older and decides about them",
  neither: "a third config is older and decides about them",
};

export function describeOverlap({ other, nodes, decides }: Overlap): string {
  return `ScyllaNodeConfig ${other} selects the same nodes: ${listed(nodes)}; ${outcomes[decides]}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
