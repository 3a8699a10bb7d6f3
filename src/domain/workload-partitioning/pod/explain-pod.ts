import type { Container } from "../../../language/cpu/qos-class.ts";
import { cpuForCores, millicores } from "../../../language/cpu/shares.ts";
import { at, text } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { isQuantity } from "../../../language/object/quantity.ts";
import type { AdmissionRuleName, Outcome, Review, WarningCode } from "../admission.ts";
import {
  allowedAnnotation,
  coresOf,
  mirrorAnnotation,
  mixedCpus,
  resourcesPrefix,
  warningAnnotation,
} from "../names.ts";
import type { ReleaseRules } from "../release.ts";
import type { PartitioningView } from "../view.ts";
import { admitPod } from "./admit-pod.ts";
import { amount, annotationsOf, containersOf } from "./pod.ts";
import { annotatedSince, remedies } from "./remedies.ts";
import { readCpu } from "./resource-annotation.ts";
import { targetOf } from "./target.ts";
import { warningTexts } from "./texts.ts";
import { validatePod } from "./validate-pod.ts";

/** What admission did with a pod, told from the pod itself. */
export interface PodExplanation extends Judgement {
  readonly namespace: string;
  readonly pod: string;
  readonly node?: string;
  /** The workload type whose CPUs the pod runs on. */
  readonly workload?: string;
  /** What a user can do about instructions that were ignored. */
  readonly remedy?: string;
  /** What admission changed in the pod. */
  readonly changed: readonly string[];
  readonly containers: readonly ContainerExplanation[];
  /** What admission would do with the pod if it were created now, where that is not what it did. */
  readonly now?: Judgement;
}

export interface Judgement {
  readonly outcome: Outcome;
  readonly rule: AdmissionRuleName;
  readonly because: string;
}

export interface ContainerExplanation {
  readonly container: string;
  /** What the scheduler counts. */
  readonly cpu: string;
  /** What CRI-O is told. */
  readonly shares?: string;
  readonly limit?: string;
  readonly sharedCpus: boolean;
}

/** What admission knows now. */
export interface KnownNow {
  readonly view: PartitioningView;
  readonly release: ReleaseRules;
}

export function explainPod(pod: KubeObject, known?: KnownNow): PodExplanation {
  const { name = "", namespace = "" } = pod.metadata;
  const annotations = annotationsOf(pod);
  const target = targetOf(annotations);
  const workload = target.type === "workload" ? target.workload : undefined;
  const judged = judgementOf(pod);
  const node = text(at(pod, "spec", "nodeName"));
  const containers = containersOf(pod);
  const now = known && nowOf(pod, judged, known);
  return {
    namespace,
    pod: name,
    ...(node === "" ? {} : { node }),
    ...judged,
    ...remedyOf(judged, namespace, known),
    ...(workload === undefined ? {} : { workload }),
    changed: changesOf(pod, judged),
    containers: containers.map((container) => explained(container, annotations, workload)),
    ...(now ? { now } : {}),
  };
}

function judgementOf(pod: KubeObject): Judgement {
  const annotations = annotationsOf(pod);
  const target = targetOf(annotations);
  if (Object.hasOwn(annotations, mirrorAnnotation))
    return { outcome: "passed", rule: "static-pod", because: "its kubelet made it from a file, and rewrote it there" };
  if (target.type === "none")
    return hasSharedCpus(pod) ? sharedCpusJudgement : withoutTarget(annotations[warningAnnotation]);
  const unseen = (why: string): Judgement => ({
    outcome: "passed",
    rule: "not-reviewed",
    because: `no webhook reviewed it: ${why}`,
  });
  if (target.type === "invalid") return unseen(target.problem.message);
  const withCpu = containersOf(pod).find(({ resources }) => amount(resources?.requests, "cpu") !== undefined);
  if (withCpu) return unseen(`container ${withCpu.name} has a CPU request, which admission takes away`);
  return { outcome: "rewritten", rule: "rewritten", because: `it asks for the CPUs of ${target.workload}, and may` };
}

const hasSharedCpus = (pod: KubeObject): boolean =>
  Object.keys(annotationsOf(pod)).some((key) => key.startsWith(mixedCpus.runtimePrefix));

const sharedCpusJudgement: Judgement = {
  outcome: "rewritten",
  rule: "shared-cpus",
  because: "it asks for shared CPUs beside its own, and its namespace allows it",
};

function withoutTarget(warning: string | undefined): Judgement {
  if (warning === undefined)
    return { outcome: "passed", rule: "no-target", because: "it does not ask for the CPUs of a workload type" };
  return { outcome: "stripped", rule: warningCode(warning) ?? "no-target", because: warning };
}

function remedyOf({ outcome, rule }: Judgement, name: string, known?: KnownNow): { readonly remedy?: string } {
  if (outcome !== "stripped" || !isWarningCode(rule)) return {};
  const namespace = known?.view.namespace;
  const allowsNow = namespace?.type === "found" && Object.hasOwn(namespace.annotations, allowedAnnotation);
  return { remedy: rule === "ns-not-annotated" && allowsNow ? annotatedSince : remedies[rule](name) };
}

const isWarningCode = (rule: AdmissionRuleName): rule is WarningCode => Object.hasOwn(warningTexts, rule);

/** The rule whose text this is. */
function warningCode(warning: string): WarningCode | undefined {
  const mark = "\u0000";
  return (Object.keys(warningTexts) as WarningCode[]).find((code) => {
    const [before = "", after = ""] = warningTexts[code](mark).split(mark);
    return warning.startsWith(before) && warning.endsWith(after);
  });
}

function changesOf(pod: KubeObject, { outcome, rule }: Judgement): string[] {
  const annotations = annotationsOf(pod);
  const target = targetOf(annotations);
  const shared = Object.keys(annotations)
    .filter((key) => key.startsWith(mixedCpus.runtimePrefix))
    .map((key) => `added annotation ${key}`);
  if (outcome === "stripped")
    return ["removed annotations target.workload.openshift.io/* and resources.workload.openshift.io/*", ...shared];
  if (rule !== "rewritten" || target.type !== "workload") return shared;
  const cores = coresOf(target.workload);
  const moved = containersOf(pod).flatMap(({ name, resources }) => {
    const asked = amount(resources?.requests, cores);
    return asked === undefined ? [] : [`container ${name}: CPU ${cpuOf(asked)} became ${cores} ${asked}`];
  });
  const told = Object.keys(annotations).filter((key) => key.startsWith(resourcesPrefix));
  return [...moved, ...told.map((key) => `added annotation ${key}`), ...shared];
}

function explained(
  { name, resources }: Container,
  annotations: Readonly<Record<string, string>>,
  workload: string | undefined,
): ContainerExplanation {
  const key = resourcesPrefix + name;
  const told = Object.hasOwn(annotations, key) ? readCpu(annotations[key] ?? "") : undefined;
  const asked = workload === undefined ? undefined : amount(resources?.requests, coresOf(workload));
  const cpu = asked === undefined ? (amount(resources?.requests, "cpu") ?? "none") : cpuOf(asked);
  const limit = told ? (told.limit > 0n ? `${told.limit}m` : undefined) : amount(resources?.limits, "cpu");
  return {
    container: name,
    cpu,
    ...(told ? { shares: String(told.shares) } : {}),
    ...(limit === undefined ? {} : { limit }),
    sharedCpus: Object.hasOwn(annotations, mixedCpus.runtimePrefix + name),
  };
}

const cpuOf = (cores: string): string => (isQuantity(cores) ? `${millicores(cpuForCores(cores))}m` : cores);

/** Undefined if it is what became of the pod: admission of an admitted pod changes nothing. */
function nowOf(pod: KubeObject, judged: Judgement, { view, release }: KnownNow): Judgement | undefined {
  if (
    judged.rule === "static-pod" ||
    judged.rule === "shared-cpus" ||
    judged.rule === "no-target" ||
    judged.outcome === "stripped"
  )
    return undefined;
  const review: Review = { operation: "CREATE", subresource: "", object: pod, user: {}, view, release };
  const answer = [admitPod, validatePod].map((decide) => decide(review)).find(({ type }) => type !== "unchanged");
  if (!answer) return undefined;
  const { outcome, rule, problems, warnings } = answer;
  return { outcome, rule, because: problems[0]?.message ?? warnings[0] ?? "its CPU requests would become cores" };
}
