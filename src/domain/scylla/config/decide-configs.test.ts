import { describe, expect, it } from "vitest";
import { findCondition } from "../../../language/object/condition.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import type { Plan } from "../../../language/object/plan.ts";
import { type ScyllaNodeConfig, scyllaNodeConfigKind, type ScyllaNodeConfigStatus } from "../api.ts";
import { labelValue } from "../label-value.ts";
import { failureAnnotation, nodeConfigLabel, nodeLabel } from "../names.ts";
import { nodeReport } from "../on-node/node-report.ts";
import { agentAccess } from "./agent-access.ts";
import { decideConfigs, type ScyllaInput } from "./decide-configs.ts";

const { apiVersion, kind } = scyllaNodeConfigKind;
const now = "2026-01-02T00:00:00Z";

function config(name: string, spec: ScyllaNodeConfig["spec"] = {}): ScyllaNodeConfig {
  return { apiVersion, kind, metadata: { name, uid: `uid-${name}`, generation: 3 }, spec };
}

function node(name: string): KubeObject {
  return { apiVersion: "v1", kind: "Node", metadata: { name, labels: {} } };
}

function job(name: string, of: string, at: string, more: object = {}): KubeObject {
  const labels = { [nodeConfigLabel]: of, [nodeLabel]: "n1" };
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name, uid: name, labels, creationTimestamp: at }, ...more };
}

const completed = { status: { conditions: [{ type: "Complete", status: "True" }] } };
const failed = { status: { conditions: [{ type: "Failed", status: "True", message: "BackoffLimitExceeded" }] } };

function decided(more: Partial<ScyllaInput>): Plan {
  return decideConfigs({
    configs: [],
    operatorConfig: {
      apiVersion,
      kind: "ScyllaOperatorConfig",
      metadata: { name: "cluster" },
      spec: { scyllaUtilsImage: "s:2025.1.5" },
    },
    nodes: [node("n1")],
    daemonSets: [],
    agentPods: [],
    jobs: [],
    reports: [],
    namespace: { apiVersion: "v1", kind: "Namespace", metadata: { name: "scylla-operator-node-tuning" } },
    access: [],
    template: { image: "attune:1", version: "1" },
    now,
    ...more,
  });
}

const names = (objects: readonly { kind: string; metadata: { name?: string | undefined } }[]): string[] =>
  objects.map((one) => `${one.kind} ${one.metadata.name}`);
const written = (plan: Plan): string[] => names(plan.objects.map(({ object }) => object));

function conditionOf(plan: Plan, type: string): { status: string; reason: string; message: string } {
  const { conditions = [] } = plan.statuses[0]!.status as unknown as ScyllaNodeConfigStatus;
  const { status, reason, message } = findCondition(conditions, type)!;
  return { status, reason, message };
}

const daemonSet = (of: string, uid = `uid-${of}`): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: {
    name: `scylla-agent-${of}`,
    namespace: "scylla-operator-node-tuning",
    uid: `ds-${of}`,
    ownerReferences: [{ apiVersion, kind, name: of, uid, controller: true }],
  },
});

describe("agents", () => {
  it("of each enabled config get a DaemonSet, with what all of them need", () => {
    const configs = [config("a"), config("b", { disableOptimizations: true })];
    expect(written(decided({ configs, access: agentAccess() }))).toEqual([
      "Namespace scylla-operator-node-tuning",
      ...names(agentAccess()),
      "DaemonSet scylla-agent-a",
    ]);
  });

  it("need nothing without an enabled config, and their role goes after them (scylla W-12)", () => {
    const access = agentAccess();
    const off = { configs: [config("a", { disableOptimizations: true })], access };
    const before = decided({ ...off, daemonSets: [daemonSet("a")] });
    expect(written(before)).toEqual([]);
    expect(names(before.prunes)).toEqual(["DaemonSet scylla-agent-a"]);
    expect(decided({ ...off, agentPods: [{ apiVersion: "v1", kind: "Pod", metadata: { name: "p" } }] }).prunes).toEqual(
      [],
    );
    expect(names(decided(off).prunes)).toEqual(names(access));
  });

  it("of an earlier config of the same name go first: two owners that control an object are rejected", () => {
    const plan = decided({ configs: [config("a")], daemonSets: [daemonSet("a", "earlier")] });
    expect(written(plan)).not.toContain("DaemonSet scylla-agent-a");
    expect(names(plan.prunes)).toEqual(["DaemonSet scylla-agent-a"]);
  });

  it.each<[string, Partial<ScyllaInput>]>([
    ["MissingScyllaUtilsImage", { operatorConfig: undefined }],
    ["MissingNamespace", { namespace: undefined }],
    ["InvalidPlacement", { configs: [config("a", { placement: { nodeSelector: { "a b": "c" } } })] }],
  ])("are not created with %s, which a condition and an event say", (reason, more) => {
    const plan = decided({ configs: [config("a")], ...more });
    expect(written(plan)).not.toContain("DaemonSet scylla-agent-a");
    expect(conditionOf(plan, "Degraded")).toMatchObject({ status: "True", reason });
    expect(plan.events).toMatchObject([{ type: "Warning", reason }]);
  });

  it("with the engine native need no image of Scylla", () => {
    const plan = decided({ configs: [config("a", { engine: "native" })], operatorConfig: undefined });
    expect(written(plan)).toContain("DaemonSet scylla-agent-a");
    expect(conditionOf(plan, "Degraded")).toEqual({ status: "False", reason: "AsExpected", message: "" });
  });
});

describe("tuning Jobs", () => {
  it.each<[string, KubeObject[], object]>([
    [
      "failed",
      [job("j", "a", now, failed)],
      { status: "True", reason: "TuningFailed", message: "node n1: Job j failed: BackoffLimitExceeded" },
    ],
    [
      "failed before a newer one succeeded",
      [job("new", "a", now, completed), job("old", "a", "2025-01-01T00:00:00Z", failed)],
      { status: "False", reason: "AsExpected", message: "" },
    ],
    ["succeeded", [job("j", "a", now, completed)], { status: "False", reason: "AsExpected", message: "" }],
  ])("that %s show in the condition Degraded (scylla W-2)", (_, jobs, expected) => {
    expect(conditionOf(decided({ configs: [config("a")], jobs }), "Degraded")).toEqual(expected);
  });

  it("show the end of their log where their agent has reported it", () => {
    const one = job("j", "a", now, failed);
    one.metadata.annotations = { [failureAnnotation]: "exit code 1\nno such \u001b[31mNIC" };
    expect(conditionOf(decided({ configs: [config("a")], jobs: [one] }), "Degraded").message).toBe(
      "node n1: Job j failed: exit code 1\nno such \\u001b[31mNIC",
    );
  });

  it("that run are progress", () => {
    const plan = decided({ configs: [config("a")], jobs: [job("j", "a", now)] });
    expect(conditionOf(plan, "Progressing")).toEqual({
      status: "True",
      reason: "WaitingForDaemonSetRollOut,AwaitingJobCompletion",
      message: "0 of 0 agents updated\ntuning n1",
    });
  });

  it("of nodes and configs that are gone are deleted; those of a disabled config stay, to know later what to give back (scylla W-11)", () => {
    const off = config("off", { disableOptimizations: true });
    const elsewhere = job("vanished", "a", now);
    elsewhere.metadata.labels![nodeLabel] = "gone";
    const jobs = [
      job("kept", "a", now, completed),
      job("orphan", "deleted", now),
      elsewhere,
      job("running", "off", now),
      job("ended", "off", now, completed),
    ];
    expect(names(decided({ configs: [config("a"), off], jobs }).prunes)).toEqual(["Job orphan", "Job vanished"]);
  });

  it("have names of nodes and configs in labels, which are shorter than names may be", () => {
    const [long, of] = [`${"node.".repeat(20)}example`, `${"config.".repeat(12)}x`];
    const one = job("j", labelValue(of), now, failed);
    one.metadata.labels![nodeLabel] = labelValue(long);
    const plan = decided({ configs: [config(of)], nodes: [node(long)], jobs: [one] });
    expect(plan.prunes).toEqual([]);
    expect(conditionOf(plan, "Degraded").message).toBe(`node ${long}: Job j failed: BackoffLimitExceeded`);
    const agents = plan.objects.find(({ object }) => object.kind === "DaemonSet")?.object;
    expect(agents?.metadata.labels?.[nodeConfigLabel]).toBe(labelValue(of));
  });
});

describe("what agents report", () => {
  const waiting = { metadata: { name: "scylla-0", namespace: "db", uid: "u" }, apiVersion: "v1", kind: "Pod" };
  const report = (on: string, of = config("a"), reason = "no answer"): KubeObject =>
    nodeReport(reason === "" ? [] : [{ pod: waiting, reason }], of, { name: on, uid: `u-${on}` });

  it("is why the config is degraded, in place of a Job that succeeded before", () => {
    const jobs = [job("j", "a", now, completed)];
    const plan = decided({ configs: [config("a")], jobs, reports: [report("n1")] });
    expect(conditionOf(plan, "Degraded")).toEqual({
      status: "True",
      reason: "CpusUnknown",
      message:
        "node n1: the CPUs of db/scylla-0 are not known: no answer; to start it without tuning: kubectl create configmap perftune-u -n db",
    });
    const over = decided({ configs: [config("a")], jobs, reports: [report("n1", config("a"), "")] });
    expect(conditionOf(over, "Degraded").status).toBe("False");
  });

  it("is deleted with its node or config", () => {
    const reports = [report("n1"), report("gone"), report("n1", config("deleted"))];
    reports.forEach((one, index) => (one.metadata.uid = `uid-${index}`));
    const plan = decided({ configs: [config("a")], reports });
    expect(plan.prunes.map(({ metadata }) => metadata.uid)).toEqual(["uid-1", "uid-2"]);
  });
});

describe("the rights of agents", () => {
  it("are bound once their role is there: the API server compares it with the operator's", () => {
    const bindings = (plan: Plan): string[] => written(plan).filter((name) => name.includes("Binding"));
    expect(bindings(decided({ configs: [config("a")] }))).toEqual([]);
    expect(bindings(decided({ configs: [config("a")], access: agentAccess() }))).toHaveLength(2);
  });
});

describe("a status", () => {
  it("that is current is not written again", () => {
    const before = decided({ configs: [config("a")] }).statuses[0]!.status;
    const again = decided({
      configs: [{ ...config("a"), status: before as unknown as ScyllaNodeConfigStatus }],
      now: "2026-02-02T00:00:00Z",
    });
    expect(again.statuses[0]!.status).toEqual(before);
    expect(again.events).toEqual([]);
  });

  it("loses conditions that are not Attune's to keep, such as those of nodes that are gone (scylla W-11)", () => {
    const status = {
      conditions: [{ type: "NodeTune-n9-Degraded", status: "True", reason: "X", message: "" }],
    } as unknown as ScyllaNodeConfigStatus;
    const plan = decided({ configs: [{ ...config("a"), status }] });
    const { conditions = [] } = plan.statuses[0]!.status as unknown as ScyllaNodeConfigStatus;
    expect(conditions.map(({ type }) => type)).toEqual(["Available", "Progressing", "Degraded", "Overlapping"]);
  });

  it("has no null, and no message that an API server refuses (W scylla-operator#896)", () => {
    const nodes = Array.from({ length: 3000 }, (_, i) => node(`n${i}`));
    const jobs = nodes.map(({ metadata }, i) => {
      const one = job(`j${i}`, "a", now, failed);
      one.metadata.labels![nodeLabel] = metadata.name ?? "";
      return one;
    });
    const plan = decided({ configs: [config("a")], nodes, jobs });
    expect(JSON.stringify(plan.statuses)).not.toContain("null");
    expect(conditionOf(plan, "Degraded").message).toHaveLength(32_768);
  });
});
