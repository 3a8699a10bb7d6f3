import { at, text } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { printable } from "../rollout/node-annotations.ts";
import type { Outcome } from "../workload-partitioning/admission.ts";
import { explainPod } from "../workload-partitioning/pod/explain-pod.ts";
import { readRefusal } from "../workload-partitioning/refusal-event.ts";

/** What admission did with one object that asks for the CPUs of a workload type. */
export interface AdmissionDecision {
  /** RFC 3339. */
  readonly at: string;
  readonly kind: string;
  /** Empty: a Node. */
  readonly namespace: string;
  /** Of one that was refused, its name may be only the beginning: it never existed. */
  readonly name: string;
  readonly node: string;
  readonly rule: string;
  readonly outcome: Outcome;
  readonly because: string;
  readonly changed: readonly string[];
  /** How often. */
  readonly count: number;
}

const longestText = 500;
const mostChanges = 20;

/** Undefined: it does not ask, so nothing was decided. */
export function decisionOfPod(pod: KubeObject): AdmissionDecision | undefined {
  const { namespace, pod: name, node = "", rule, outcome, because, changed } = explainPod(pod);
  if (rule === "no-target" && outcome === "passed" && changed.length === 0) return undefined;
  return {
    at: pod.metadata.creationTimestamp ?? "",
    kind: "Pod",
    namespace,
    name,
    node,
    rule,
    outcome,
    because: printable(because, longestText),
    changed: changed.slice(0, mostChanges).map((one) => printable(one, longestText)),
    count: 1,
  };
}

/** Undefined: another program wrote the event. */
export function decisionOfRefusal(event: KubeObject): AdmissionDecision | undefined {
  const read = readRefusal(text(event["message"]));
  if (!read) return undefined;
  const of = (field: string): string => printable(text(at(event, "involvedObject", field)), longestText);
  const count = Number(event["count"] ?? 1);
  return {
    at: text(event["lastTimestamp"]) || text(event["eventTime"]) || (event.metadata.creationTimestamp ?? ""),
    kind: of("kind"),
    namespace: of("namespace"),
    name: of("name"),
    node: "",
    rule: read.rule,
    outcome: "refused",
    because: printable(read.message, longestText),
    changed: [],
    count: Number.isSafeInteger(count) ? count : 1,
  };
}

const recentMs = 15 * 60_000;

/** Refusals whose last one was in the last 15 minutes. */
export function recentRefusals(decisions: Iterable<Pick<AdmissionDecision, "at" | "outcome">>, now: number): number {
  let number = 0;
  for (const { at: time, outcome } of decisions)
    if (outcome === "refused" && now - Date.parse(time) < recentMs) number++;
  return number;
}
