import { expect, it } from "vitest";
import { createPromMetrics } from "../../../cluster/runtime/metrics/prom-metrics.ts";
import type { ScyllaNodeConfig } from "../../../domain/scylla/api.ts";
import type { TuningJob } from "../../../domain/scylla/config/node-jobs.ts";
import { gateName } from "../../../domain/scylla/gate/gate-names.ts";
import { type ConfigMap, releaseConfigMap } from "../../../domain/scylla/gate/release.ts";
import { sidecarCommand } from "../../../domain/scylla/gate/sidecar.ts";
import { nodeLabel } from "../../../domain/scylla/names.ts";
import { nodeReport } from "../../../domain/scylla/on-node/node-report.ts";
import type { ScyllaPod } from "../../../domain/scylla/scylla-pod.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { keyOf } from "../../../language/object/meta.ts";
import { operatorMonitoring } from "../monitoring.ts";
import { scyllaMetrics } from "./scylla-metrics.ts";

interface Found {
  readonly configs?: readonly ScyllaNodeConfig[];
  readonly nodes?: readonly string[];
  readonly jobs?: readonly TuningJob[];
  readonly pods?: readonly ScyllaPod[];
  readonly releases?: readonly ConfigMap[];
  readonly reports?: readonly ConfigMap[];
}

const cache = (objects: readonly KubeObject[]): object => ({
  list: () => objects,
  get: (key: string) => objects.find((object) => keyOf(object) === key),
});

async function started({ configs = [], nodes = [], jobs = [], pods = [], releases = [], reports = [] }: Found) {
  const metrics = await createPromMetrics();
  const ofNodes = nodes.map((name): KubeObject => ({ apiVersion: "v1", kind: "Node", metadata: { name } }));
  const stop = scyllaMetrics(metrics, {
    configs: cache(configs),
    nodes: cache(ofNodes),
    jobs: cache(jobs),
    reports: cache(reports),
    pods: cache(pods),
    releases: cache(releases),
  } as Parameters<typeof scyllaMetrics>[1]);
  const samples = async (): Promise<Record<string, number>> => {
    const lines = (await metrics.text()).split("\n").filter((line) => line.startsWith("attune_scylla_"));
    return Object.fromEntries(lines.map((line) => [line.split(" ")[0], Number(line.split(" ")[1])]));
  };
  return { samples, stop };
}

const apiVersion = "scylla.scylladb.com/v1alpha1";
const config = (spec: ScyllaNodeConfig["spec"], conditions: string[] = []): ScyllaNodeConfig => {
  const none = { desired: 0, actual: 0, ready: 0 };
  const trueOnes = conditions.map((type) => ({ type, status: "True" as const, reason: "R", message: "" }));
  const status = { current: none, updated: none, stale: false, conditions: trueOnes };
  return { apiVersion, kind: "ScyllaNodeConfig", metadata: { name: "c" }, spec, status } as ScyllaNodeConfig;
};
const everyNode = { placement: { nodeSelector: {} } };

function job(node: string, created: string, condition?: string): TuningJob {
  const metadata = { name: `${node}-${created}`, labels: { [nodeLabel]: node }, creationTimestamp: created };
  const conditions = condition === undefined ? [] : [{ type: condition, status: "True" }];
  return { apiVersion: "batch/v1", kind: "Job", metadata, status: { conditions } };
}

/** A database whose container waits. */
const database = (uid: string, qosClass = "Guaranteed", gated = true): ScyllaPod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: uid, namespace: "default", uid },
  spec: {
    nodeName: "a",
    containers: [{ name: "scylla" }, ...(gated ? [{ name: gateName, command: [...sidecarCommand] }] : [])],
  },
  status: {
    qosClass,
    containerStatuses: [{ name: "scylla", containerID: "containerd://now", state: { running: {} } }],
  },
});

it("counts nodes by their newest Job, and only nodes that an enabled config decides about (scylla W-2)", async () => {
  const jobs = [
    job("a", "2026-01-01T00:00:00Z", "Failed"),
    job("a", "2026-01-02T00:00:00Z", "Complete"),
    job("b", "2026-01-01T00:00:00Z", "Failed"),
    job("c", "2026-01-01T00:00:00Z"),
    job("gone", "2026-01-01T00:00:00Z", "Failed"),
  ];
  const nodes = ["a", "b", "c"];
  const { samples } = await started({ configs: [config(everyNode, ["Available"])], nodes, jobs });
  expect(await samples()).toMatchObject({
    'attune_scylla_nodes{state="tuned"}': 1,
    'attune_scylla_nodes{state="running"}': 1,
    'attune_scylla_nodes{state="failed"}': 1,
    'attune_scylla_node_configs{condition="Available"}': 1,
    'attune_scylla_node_configs{condition="Degraded"}': 0,
  });
  const reports = [
    nodeReport([{ pod: database("waits"), reason: "no answer" }], config(everyNode), { name: "a", uid: "u" }),
  ];
  const reported = await started({ configs: [config(everyNode)], nodes, jobs, reports });
  expect(await reported.samples()).toMatchObject({
    'attune_scylla_nodes{state="tuned"}': 0,
    'attune_scylla_nodes{state="failed"}': 2,
  });
  const disabled = await started({ configs: [config({ ...everyNode, disableOptimizations: true })], nodes, jobs });
  expect(await disabled.samples()).toMatchObject({ 'attune_scylla_nodes{state="failed"}': 0 });
});

it("counts databases that wait, until they may start", async () => {
  const pods = [
    database("waits"),
    database("was-let-go-before"),
    database("is-let-go"),
    database("is-let-go-by-another-node"),
    database("has-no-gate", "Guaranteed", false),
    database("has-no-cpus", "Burstable"),
  ];
  const releases = [
    releaseConfigMap(pods[1]!, { containerId: "containerd://before" }),
    releaseConfigMap(pods[2]!, { containerId: "containerd://now", node: "a" }),
    releaseConfigMap(pods[3]!, { containerId: "containerd://now", node: "b" }),
  ];
  const { samples } = await started({ configs: [config(everyNode)], nodes: ["a"], pods, releases });
  expect(await samples()).toMatchObject({ attune_scylla_databases_waiting: 3 });
});

it("is zero when the operator no longer leads, since another operator counts then", async () => {
  const pods = [database("waits")];
  const { samples, stop } = await started({ configs: [config(everyNode, ["Degraded"])], nodes: ["a"], pods });
  expect(Object.values(await samples()).reduce((sum, one) => sum + one)).toBe(2);
  stop();
  expect(Object.values(await samples()).every((one) => one === 0)).toBe(true);
});

it("has alerts only about metrics and labels that there are, with --scylla alone", async () => {
  const { samples } = await started({});
  const expressionsOf = (scylla: boolean): string[] =>
    operatorMonitoring("n", false, scylla).flatMap(({ spec }) =>
      ((spec as { groups?: { rules: { alert?: string; expr: string }[] }[] }).groups ?? []).flatMap(({ rules }) =>
        rules.flatMap(({ alert, expr }) => (alert?.startsWith("AttuneScylla") ? [expr] : [])),
      ),
    );
  expect(expressionsOf(false)).toEqual([]);
  const expressions = expressionsOf(true);
  expect(expressions).toHaveLength(2);
  const series = Object.keys(await samples());
  for (const expression of expressions) expect(series).toContain(/^max\((.*)\) > 0$/.exec(expression)?.[1]);
});
