import { cpusOf } from "../../../language/cpu/cpu-list.ts";
import { keyOf } from "../../../language/object/meta.ts";
import { areOwn, type ScyllaPod } from "../scylla-pod.ts";
import { localPod } from "./local-pod.ts";
import type { ContainerFacts, DatabaseFacts } from "./node-facts.ts";
import type { TunedPod } from "./tuning.ts";

/** A pod whose database has CPUs of the node, or will get them again. */
export interface Database {
  readonly pod: ScyllaPod;
  readonly facts: DatabaseFacts;
  /** Of the container that waits to be released, or runs. */
  readonly containerId?: string;
}

export interface Databases {
  /** Sorted by namespace and name. */
  readonly found: readonly Database[];
  readonly unknown: readonly UnknownDatabase[];
}

/** A pod whose database runs, as the API server has it, and whose CPUs the node cannot tell now. */
export interface UnknownDatabase extends Problem {
  /** Of the container, or of the pod where its container has no id. */
  readonly id: string;
  /** The container may have any CPU: none is known to be free of databases. Otherwise the node has no such container. */
  readonly isThere: boolean;
}

export interface Problem {
  readonly pod: ScyllaPod;
  readonly reason: string;
}

export interface DatabasesInput {
  /** All Scylla pods of the node. */
  readonly pods: readonly ScyllaPod[];
  /** By id of the container, as pods have it. */
  readonly containers: ReadonlyMap<string, ContainerFacts>;
  /** By uid of the pod: what it had when the node was tuned. */
  readonly before: Readonly<Record<string, TunedPod>>;
}

/** The databases of the node. One that restarts keeps its CPUs: its neighbours must not be tuned again for that. */
export function databasesOf({ pods, containers, before }: DatabasesInput): Databases {
  const found: Database[] = [];
  const unknown: UnknownDatabase[] = [];
  for (const pod of pods.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))) {
    const local = localPod(pod);
    if (local.type === "irrelevant") continue;
    const kept = Object.hasOwn(before, pod.metadata.uid ?? "") ? before[pod.metadata.uid ?? ""] : undefined;
    const restarting = kept ? [{ pod, facts: factsOf(kept) }] : [];
    if (local.type === "waiting") {
      if (local.warning !== undefined)
        unknown.push({ pod, reason: local.warning, id: pod.metadata.uid ?? "", isThere: false });
      found.push(...restarting);
      continue;
    }
    const { containerId, isLeaving } = local;
    const facts = containers.get(containerId) ?? { type: "unknown", reason: "it was not looked at yet" };
    if (facts.type === "known")
      found.push({ pod, facts: withOwnCpus(facts.database, pod), ...(isLeaving ? {} : { containerId }) });
    else if (facts.type === "unknown") unknown.push({ pod, reason: facts.reason, id: containerId, isThere: true });
    else if (!isLeaving) {
      unknown.push({ pod, reason: facts.reason, id: containerId, isThere: false });
      found.push(...restarting);
    }
  }
  return { found, unknown };
}

/** CPUs that a database shares with the rest of the node are no reason to keep interrupts away from them. */
function withOwnCpus(facts: DatabaseFacts, pod: ScyllaPod): DatabaseFacts {
  return areOwn(facts.cpus, pod) ? facts : { ...facts, cpus: [] };
}

function factsOf({ cpus, directory, devices }: TunedPod): DatabaseFacts {
  return { cpus: cpusOf(cpus), directory, devices };
}
