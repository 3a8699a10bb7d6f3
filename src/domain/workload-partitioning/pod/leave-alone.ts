import { partitioningQosClass } from "../../../language/cpu/qos-class.ts";
import { cpuForCores, millicores } from "../../../language/cpu/shares.ts";
import { byteLength } from "../../../language/object/byte-length.ts";
import { at, text } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { isQuantity, QuantityError } from "../../../language/object/quantity.ts";
import type { WarningCode } from "../admission.ts";
import { coresOf } from "../names.ts";
import type { ReleaseRules } from "../release.ts";
import type { NodeCores, PartitioningView } from "../view.ts";
import { amount, type Amounts, annotationsOf, containersOf } from "./pod.ts";
import { largestInteger } from "./resource-annotation.ts";
import { rewrittenBefore } from "./rewrite.ts";

export interface Candidate {
  readonly pod: KubeObject;
  readonly workload: string;
  /** Annotations that the pod came with. */
  readonly original: Readonly<Record<string, string>>;
  readonly release: ReleaseRules;
  readonly view: PartitioningView;
}

export interface Reason {
  readonly code: WarningCode;
  readonly detail: string;
}

/** Why a pod cannot move to reserved CPUs, although it asks for it and may. The first one counts. */
export function reasonToLeave(candidate: Candidate): Reason | undefined {
  for (const check of [cpuOutOfRange, podLevelCpu, nodeWithoutCores, isGuaranteed, limitAndRequest]) {
    const reason = check(candidate);
    if (reason) return reason;
  }
  return undefined;
}

/** Amounts that the API server refuses, or that an integer of Go cannot hold. */
export function cpuOutOfRange({ pod, workload }: Pick<Candidate, "pod" | "workload">): Reason | undefined {
  const cores = coresOf(workload);
  const isPossible = (amounts: Amounts | undefined): boolean => {
    const [memory, cpu, counted] = ["memory", "cpu", cores].map((name) => amount(amounts, name));
    return (
      (memory === undefined || isQuantity(memory)) &&
      (cpu === undefined || isInteger(() => millicores(cpu))) &&
      (counted === undefined || isInteger(() => millicores(cpuForCores(counted))))
    );
  };
  const wrong = containersOf(pod).find(
    ({ resources }) => !isPossible(resources?.requests) || !isPossible(resources?.limits),
  );
  return wrong && { code: "cpu-out-of-range", detail: wrong.name };
}

function isInteger(read: () => bigint): boolean {
  try {
    const value = read();
    return value >= 0n && value <= largestInteger;
  } catch (error) {
    if (error instanceof QuantityError) return false;
    throw error;
  }
}

function podLevelCpu({ pod, release }: Candidate): Reason | undefined {
  if (release.podLevelCpu === "ignored") return undefined;
  const has = (list: string): boolean => at(pod, "spec", "resources", list, "cpu") !== undefined;
  return has("requests") || has("limits") ? { code: "pod-level-cpu", detail: "" } : undefined;
}

/**
 * A node that joined while the webhook did not answer. Pods of DaemonSets make it usable, among them the agent that brings its
 * pinning file. Where agents add cores, these come by themselves.
 */
function nodeWithoutCores({ pod, workload, release, view }: Candidate): Reason | undefined {
  if (release.nodeWithoutCores === "ignored" || view.coresFrom === "agent") return undefined;
  const only = onlyNodeOf(pod);
  const node = only === undefined ? undefined : view.nodes.find(({ name }) => name === only);
  const hasCores = ({ capacity, allocatable }: NodeCores): boolean =>
    [capacity, allocatable].some((amounts) => Object.hasOwn(amounts, coresOf(workload)));
  return node && !hasCores(node) ? { code: "node-without-cores", detail: node.name } : undefined;
}

/** The node that a pod is bound to, or for which a DaemonSet creates it. */
function onlyNodeOf(pod: KubeObject): string | undefined {
  const bound = text(at(pod, "spec", "nodeName"));
  if (bound !== "") return bound;
  const required = "requiredDuringSchedulingIgnoredDuringExecution";
  const terms = at(pod, "spec", "affinity", "nodeAffinity", required, "nodeSelectorTerms");
  const fields = Array.isArray(terms) && terms.length === 1 ? at(terms[0], "matchFields") : undefined;
  const [field] = Array.isArray(fields) ? fields : [];
  if (at(field, "key") !== "metadata.name" || at(field, "operator") !== "In") return undefined;
  const values = at(field, "values");
  return Array.isArray(values) && values.length === 1 ? text(values[0]) : undefined;
}

function isGuaranteed({ pod, workload, original }: Candidate): Reason | undefined {
  const containers = containersOf(pod);
  if (containers.some((one) => rewrittenBefore(one, coresOf(workload), original))) return undefined;
  return partitioningQosClass(containers) === "Guaranteed" ? { code: "qos-guaranteed", detail: "" } : undefined;
}

function limitAndRequest({ pod, workload, original, release }: Candidate): Reason | undefined {
  if (release.limitAndRequest === "carried") return undefined;
  const both = containersOf(pod).find(
    (one) =>
      amount(one.resources?.requests, "cpu") !== undefined &&
      amount(one.resources?.limits, "cpu") !== undefined &&
      !rewrittenBefore(one, coresOf(workload), original),
  );
  return both && { code: "cpu-limit-and-request", detail: both.name };
}

/** Of the API server. */
export const annotationsLimit = 256 * 1024;

export function annotationBytes(pod: KubeObject): number {
  let bytes = 0;
  for (const [key, value] of Object.entries(annotationsOf(pod))) bytes += byteLength(key) + byteLength(value);
  return bytes;
}
