import { keyOf } from "../../../language/object/meta.ts";
import { formatTime } from "../../../language/object/time.ts";
import { printable } from "../../rollout/node-annotations.ts";
import type { ScyllaNodeConfig } from "../api.ts";
import { readRelease, releases, type ConfigMap } from "../gate/release.ts";
import { isSidecar } from "../gate/gated-pod.ts";
import { responsibilityFor } from "../gate/untuned-release.ts";
import { databaseContainer, failureAnnotation, nodeLabel, releaseName, tuningNamespace } from "../names.ts";
import { progressOf, type TuningJob } from "../on-node/job-progress.ts";
import { retryDelayMs } from "../on-node/node-jobs.ts";
import { readRecord } from "../on-node/tuning.ts";
import { configOfNode, type PlacedNode } from "../placement.ts";
import { isScyllaPod, type ScyllaPod } from "../scylla-pod.ts";
import { labelValue } from "../label-value.ts";
import { failureText } from "./failure-text.ts";

/** A node with databases, or one that is tuned for them. */
export interface ScyllaNodeView {
  readonly node: string;
  /** The ScyllaNodeConfig that decides about it. Empty: none. */
  readonly config: string;
  /** CPUs of databases and of interrupts, by the last Job, in list format. Empty: not known. */
  readonly cpus: string;
  readonly irqCpus: string;
  readonly job?: JobView | undefined;
  readonly gates: readonly GateView[];
}

export interface JobView {
  readonly name: string;
  readonly state: "running" | "tuned" | "failed";
  /** Tries with the same inputs, this one included. */
  readonly attempt: number;
  /** Why it failed, with the end of its log. */
  readonly message: string;
  /** RFC 3339: when the agent tries again. */
  readonly retryAt?: string | undefined;
  /** Prints its whole log. */
  readonly command: string;
}

/** The start of one database. */
export interface GateView {
  /** `namespace/name` */
  readonly pod: string;
  readonly state: "waits" | "open" | "no gate";
  /** Of one that waits: RFC 3339. */
  readonly since?: string | undefined;
  /** What it waits for. */
  readonly because: string;
  /** Lets it start without tuning. */
  readonly command: string;
}

export interface ScyllaObjects {
  readonly nodes: readonly PlacedNode[];
  readonly configs: readonly ScyllaNodeConfig[];
  readonly jobs: readonly TuningJob[];
  readonly pods: readonly ScyllaPod[];
  /** By `namespace/name`. */
  readonly release: (key: string) => ConfigMap | undefined;
}

const longestText = 2000;

export function scyllaNodes(objects: ScyllaObjects): ScyllaNodeView[] {
  const jobs = groups(objects.jobs, ({ metadata }) => metadata.labels?.[nodeLabel] ?? "");
  const pods = groups(objects.pods.filter(isScyllaPod), ({ spec }) => spec?.nodeName ?? "");
  return objects.nodes.flatMap((node) => {
    const { name = "" } = node.metadata;
    const config = configOfNode(node, objects.configs);
    const own = jobs.get(labelValue(name)) ?? [];
    const databases = pods.get(name) ?? [];
    if (!config && own.length === 0 && databases.length === 0) return [];
    const last = newest(own);
    const inputs = last && readRecord(last)?.inputs;
    const job = last && jobView(last);
    return [
      {
        node: name,
        config: config?.metadata.name ?? "",
        cpus: printable(inputs?.cpus ?? "", longestText),
        irqCpus: printable(inputs?.irqCpus ?? "", longestText),
        ...(job ? { job } : {}),
        gates: databases.map((pod) => gateView(pod, { node, job, ...objects })),
      },
    ];
  });
}

function groups<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const one of all) {
    const group = found.get(keyOf(one));
    if (group) group.push(one);
    else found.set(keyOf(one), [one]);
  }
  return found;
}

/** Its sequence says which is the last: times of a clock may go back. */
function newest(jobs: readonly TuningJob[]): TuningJob | undefined {
  return jobs.toSorted((a, b) => (readRecord(b)?.sequence ?? 0) - (readRecord(a)?.sequence ?? 0))[0];
}

function jobView(job: TuningJob): JobView {
  const { name = "", annotations = {} } = job.metadata;
  const progress = progressOf(job);
  const attempt = readRecord(job)?.attempt ?? 1;
  const common = { name, attempt, command: `kubectl logs -n ${tuningNamespace} job/${name}` };
  const reported = annotations[failureAnnotation];
  if (progress.type === "complete") return { ...common, state: "tuned", message: "" };
  if (progress.type === "active")
    return { ...common, state: "running", message: printable(reported ?? "", longestText) };
  const retryAt = progress.atMs === 0 ? undefined : formatTime(progress.atMs + retryDelayMs(attempt));
  const message = lines(reported ?? progress.why);
  return { ...common, state: "failed", message, ...(retryAt === undefined ? {} : { retryAt }) };
}

/** The end of a log has several lines. */
function lines(text: string): string {
  return text
    .split("\n")
    .map((line) => printable(line, longestText))
    .join("\n")
    .slice(-longestText);
}

interface GateFacts extends ScyllaObjects {
  readonly node: PlacedNode;
  readonly job: JobView | undefined;
}

function gateView(pod: ScyllaPod, facts: GateFacts): GateView {
  const { namespace = "", uid = "" } = pod.metadata;
  const name = releaseName(uid);
  const common = { pod: keyOf(pod), command: `kubectl create configmap ${name} -n ${namespace}` };
  const hasGate =
    pod.spec?.containers?.some((one) => isSidecar({ name: one.name, command: one.command ?? [] })) === true;
  if (!hasGate)
    return { ...common, state: "no gate", because: "it was created before the webhook, or without it", command: "" };
  const status = pod.status?.containerStatuses?.find((one) => one.name === databaseContainer);
  const release = facts.release(`${namespace}/${name}`);
  const started = { containerId: status?.containerID, node: pod.spec?.nodeName };
  const isOpen = release !== undefined && releases(readRelease(release), started);
  if (isOpen) return { ...common, state: "open", because: "", command: "" };
  const since = status?.state?.running?.startedAt;
  return { ...common, state: "waits", ...(since === undefined ? {} : { since }), because: whyOf(pod, facts, release) };
}

function whyOf(pod: ScyllaPod, { node, configs, job }: GateFacts, release: ConfigMap | undefined): string {
  const responsible = responsibilityFor({ pod, node, configs });
  const { name = "" } = node.metadata;
  if (responsible.by === "operator") return `the operator lets it start: ${responsible.because}`;
  if (responsible.by === "none") return "its kubelet has not reported the pod yet";
  if (release) return `the node was tuned for another container of the pod, and is tuned again for this one`;
  if (job?.state === "failed") return failureText(name, job.attempt);
  if (job?.state === "running") return `Job ${job.name} tunes ${name}`;
  return `the agent of ScyllaNodeConfig ${responsible.config} on ${name} has not tuned for it yet`;
}
