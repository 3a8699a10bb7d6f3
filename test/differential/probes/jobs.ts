import type { Probe, Step } from "../probe.ts";
import { get, merge, namespace, post, remove, table } from "./wire.ts";

const space = "jobs";
const all = `/apis/batch/v1/namespaces/${space}/jobs`;
const one = `${all}/one`;
const pods = { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] };
const job = (name: string, spec: object): object => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name },
  spec: { template: { spec: pods }, ...spec },
});
const onExit = (values: number[], operator = "In"): object => ({
  action: "FailJob",
  onExitCodes: { operator, values },
});
const indexed = { completionMode: "Indexed", completions: 3, parallelism: 3 };

const specs: readonly object[] = [
  {},
  { parallelism: -1, completions: -1, backoffLimit: -1, activeDeadlineSeconds: -1, ttlSecondsAfterFinished: -1 },
  { template: { spec: { containers: pods.containers } } },
  { template: { spec: { ...pods, restartPolicy: "Always" } } },
  { template: { spec: { restartPolicy: "Never" } } },
  { completionMode: "Odd" },
  { completionMode: "Indexed" },
  { completionMode: "Indexed", completions: 3, parallelism: 100001 },
  { ...indexed, backoffLimitPerIndex: 1, maxFailedIndexes: 4 },
  { ...indexed, maxFailedIndexes: 1 },
  { completions: 3, backoffLimitPerIndex: 1, maxFailedIndexes: 1 },
  { manualSelector: true },
  { manualSelector: true, selector: { matchLabels: { a: "b" } } },
  { selector: { matchLabels: { a: "b" } } },
  { managedBy: "x" },
  { managedBy: "a.example/x" },
  { podReplacementPolicy: "Odd" },
  { podFailurePolicy: { rules: [] } },
  { podFailurePolicy: { rules: [onExit([1])] } },
  { podFailurePolicy: { rules: [onExit([0, 1])] } },
  { podFailurePolicy: { rules: [onExit([2, 1])] } },
  { podFailurePolicy: { rules: [onExit([1, 1])] } },
  { podFailurePolicy: { rules: [onExit([])] } },
  { podFailurePolicy: { rules: [onExit([1], "Odd")] } },
  { podFailurePolicy: { rules: [{ action: "Odd" }] } },
  { podFailurePolicy: { rules: [{ action: "FailIndex", onPodConditions: [{ type: "Ready" }] }] } },
  { podFailurePolicy: { rules: [{ action: "Ignore", onPodConditions: [{ type: "Bad Type", status: "Odd" }] }] } },
  { podFailurePolicy: { rules: [onExit([1])] }, podReplacementPolicy: "TerminatingOrFailed" },
  { podFailurePolicy: { rules: [onExit([1])] }, template: { spec: { ...pods, restartPolicy: "OnFailure" } } },
  { ...indexed, successPolicy: { rules: [] } },
  { ...indexed, successPolicy: { rules: [{ succeededIndexes: "0-1", succeededCount: 3 }] } },
  { ...indexed, successPolicy: { rules: [{ succeededIndexes: "2-1" }, {}, { succeededCount: 0 }] } },
  { ...indexed, successPolicy: { rules: [{ succeededIndexes: "0,2" }] } },
  { successPolicy: { rules: [{ succeededCount: 1 }] } },
];

const changes: readonly object[] = [
  { parallelism: 2, backoffLimit: 3, ttlSecondsAfterFinished: 60 },
  { completions: 5 },
  { completionMode: "Indexed" },
  { selector: { matchLabels: { a: "b" } } },
  { template: { spec: { containers: [{ name: "c", image: "j" }] } } },
  { template: { spec: { nodeSelector: { a: "b" } } } },
  { suspend: true },
  { template: { spec: { nodeSelector: { a: "b" } } } },
  { suspend: false },
  { podFailurePolicy: { rules: [onExit([1])] } },
  { managedBy: "a.example/x" },
];

const now = "2026-01-01T00:00:00Z";
const condition = (type: string): object => ({ type, status: "True", lastProbeTime: now, lastTransitionTime: now });
const statuses: readonly object[] = [
  { active: -1 },
  { startTime: now, active: 1, ready: 2 },
  { startTime: now, active: 1 },
  { conditions: [condition("Complete")] },
  { completionTime: now },
  { conditions: [condition("Failed")] },
  { active: 0, conditions: [condition("SuccessCriteriaMet")] },
  { conditions: [condition("SuccessCriteriaMet"), condition("FailureTarget")] },
  { startTime: null },
  { succeeded: 1, completionTime: now, conditions: [condition("SuccessCriteriaMet"), condition("Complete")] },
  { succeeded: 0 },
  { conditions: [] },
];

export const jobs: readonly Probe[] = [
  {
    name: "life of a job",
    steps: [
      namespace(space),
      ...specs.map((spec): Step => post(`${all}?dryRun=All`, job("v", spec))),
      post(all, job("one", {})),
      ...changes.map((spec) => merge(one, { spec })),
      ...statuses.map((status) => merge(`${one}/status`, { status })),
      get(one, { accept: table }),
      post(all, job("indexed", indexed)),
      merge(`${all}/indexed`, { spec: { completions: 4, parallelism: 4 } }),
      merge(`${all}/indexed`, { spec: { completions: 5 } }),
      merge(`${all}/indexed/status`, { status: { completedIndexes: "0,x" } }),
      merge(`${all}/indexed/status`, { status: { completedIndexes: "0,2-3", failedIndexes: "3" } }),
      get(`${all}?fieldSelector=status.successful%3D1`),
      remove(one),
      remove(`${all}/indexed?propagationPolicy=Background`),
    ],
  },
];
