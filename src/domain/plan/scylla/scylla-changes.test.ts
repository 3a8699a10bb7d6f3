import { describe, expect, it } from "vitest";
import { deepFreeze } from "../../../language/object/json.ts";
import { type ScyllaNodeConfig, scyllaNodeConfigKind, type ScyllaOperatorConfig } from "../../scylla/api.ts";
import type { PlacedNode } from "../../scylla/placement.ts";
import type { ScyllaPod } from "../../scylla/scylla-pod.ts";
import { type ScyllaChanges, scyllaChanges } from "./scylla-changes.ts";
import { scyllaSide, type ScyllaState } from "./scylla-side.ts";

const { apiVersion, kind } = scyllaNodeConfigKind;
const now = "2026-01-02T00:00:00Z";

function config(name: string, day: number, spec: ScyllaNodeConfig["spec"] = {}): ScyllaNodeConfig {
  const metadata = { name, uid: `uid-${name}`, generation: 1, creationTimestamp: `2026-01-0${day}T00:00:00Z` };
  return { apiVersion, kind, metadata, spec: { placement: { nodeSelector: { pool: "db" } }, ...spec } };
}

function node(name: string, pool = "db"): PlacedNode {
  return { apiVersion: "v1", kind: "Node", metadata: { name, labels: { pool } } };
}

function database(name: string, nodeName: string, qosClass = "Guaranteed"): ScyllaPod {
  const labels = { "scylla-operator.scylladb.com/pod-type": "scylladb-node" };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "db", uid: name, labels },
    spec: { nodeName, containers: [{ name: "scylla" }] },
    status: { phase: "Running", qosClass },
  };
}

function operatorConfig(scyllaUtilsImage: string): ScyllaOperatorConfig {
  return { apiVersion, kind: "ScyllaOperatorConfig", metadata: { name: "cluster" }, spec: { scyllaUtilsImage } };
}

const nodes = [node("n1"), node("n2"), node("web", "web")];
const state: ScyllaState = {
  configs: [],
  operatorConfig: operatorConfig("scylla:2025.1.5"),
  daemonSets: [],
  namespace: { apiVersion: "v1", kind: "Namespace", metadata: { name: "scylla-operator-node-tuning" } },
  pods: [database("a", "n1"), database("b", "n2", "Burstable"), database("c", "web"), database("d", "")],
  template: { image: "attune:1", version: "1" },
};

interface Change {
  readonly before?: readonly ScyllaNodeConfig[];
  readonly after: readonly ScyllaNodeConfig[];
  readonly state?: Partial<ScyllaState>;
  readonly image?: string;
  readonly nodes?: readonly PlacedNode[];
}

function changes({ before = [], after, image, nodes: later = nodes, ...more }: Change): ScyllaChanges {
  const given = { ...state, ...more.state, configs: before };
  const { daemonSets } = scyllaSide(given, nodes, now);
  const written = after.filter((one) => !before.includes(one));
  const changed = image === undefined ? given.operatorConfig : operatorConfig(image);
  return scyllaChanges(
    deepFreeze({
      before: { ...given, daemonSets: [...daemonSets.values()] },
      after: { configs: after, operatorConfig: changed },
      nodes: { before: nodes, after: later },
      written: [...written, ...(image === undefined ? [] : [operatorConfig(image)])],
      now,
    }),
  );
}

const objects = (found: ScyllaChanges): string[] => found.objects.map(({ change, name }) => `${change} ${name}`);
const findings = (found: ScyllaChanges): string[] =>
  found.findings.map(({ severity, about, message }) => `${severity}: ${about}: ${message}`);

const burstable = "the pod has no CPUs of its own: its QoS class is Burstable, not Guaranteed";

describe("a ScyllaNodeConfig", () => {
  it("that is created brings agents, which tune for databases with CPUs of their own", () => {
    const found = changes({ after: [config("x", 1)] });
    expect(objects(found)).toEqual(["create scylla-agent-x"]);
    expect(found.objects[0]).toMatchObject({ place: "derived from ScyllaNodeConfig x", derived: true });
    expect(found.objects[0]!.diff).toContain("+            - scylla:2025.1.5");
    expect(found.agents).toEqual([{ nodes: ["n1", "n2"], after: "x" }]);
    expect(found.databases).toEqual([
      { pods: ["db/a"], becomes: "tuned", config: "x" },
      { pods: ["db/b"], becomes: "untuned", because: burstable },
    ]);
    expect(findings(found)).toEqual([]);
  });

  it("that stays changes nothing", () => {
    const x = config("x", 1);
    expect(changes({ before: [x], after: [x] })).toEqual({ objects: [], agents: [], databases: [], findings: [] });
  });

  it.each<[string, ScyllaNodeConfig[], string]>([
    ["is deleted", [], "no ScyllaNodeConfig selects the node"],
    [
      "disables optimizations",
      [config("x", 1, { disableOptimizations: true })],
      "ScyllaNodeConfig x has optimizations disabled",
    ],
  ])("that %s takes its agents away, and databases are let go", (_, after, because) => {
    const found = changes({ before: [config("x", 1)], after });
    expect(objects(found)).toEqual(["delete scylla-agent-x"]);
    expect(found.agents).toEqual([{ nodes: ["n1", "n2"], before: "x" }]);
    expect(found.databases).toEqual([{ pods: ["db/a", "db/b"], becomes: "untuned", because }]);
  });

  it("with another placement changes its DaemonSet, and moves the agents", () => {
    const found = changes({
      before: [config("x", 1)],
      after: [config("x", 1, { placement: { nodeSelector: { pool: "web" } } })],
    });
    expect(objects(found)).toEqual(["change scylla-agent-x"]);
    expect(found.objects[0]!.diff).toMatch(/^-\s+pool: db\n\+\s+pool: web$/m);
    expect(found.agents).toEqual([
      { nodes: ["n1", "n2"], before: "x" },
      { nodes: ["web"], after: "x" },
    ]);
  });

  it("without nodes is noted", () => {
    const found = changes({ after: [config("x", 1, { placement: { nodeSelector: { pool: "none" } } })] });
    expect(findings(found)).toEqual(["note: ScyllaNodeConfig x: selects no node"]);
  });
});

describe("overlapping ScyllaNodeConfigs", () => {
  const [older, newer] = [config("older", 1), config("newer", 2)];

  it("are reported with the one that decides; a newer one changes no node", () => {
    const found = changes({ before: [older], after: [older, newer] });
    expect(found.agents).toEqual([]);
    expect(findings(found).toSorted()).toEqual([
      "warning: ScyllaNodeConfig newer: ScyllaNodeConfig older selects the same nodes: n1, n2; that config is older and decides about them",
      "warning: ScyllaNodeConfig older: ScyllaNodeConfig newer selects the same nodes: n1, n2; this config is older and decides about them",
    ]);
  });

  it("hand their nodes over when the older one goes", () => {
    const found = changes({ before: [older, newer], after: [newer] });
    expect(found.agents).toEqual([{ nodes: ["n1", "n2"], before: "older", after: "newer" }]);
    expect(found.databases).toEqual([{ pods: ["db/a"], becomes: "tuned", config: "newer" }]);
  });
});

describe("databases wait without end", () => {
  it.each<[string, Change, string]>([
    ["without an image for perftune", { after: [config("x", 1)], image: "" }, "spec.scyllaUtilsImage"],
    [
      "with a placement that is invalid",
      { after: [config("x", 1, { placement: { nodeSelector: { pool: "db" }, tolerations: [{ key: "a b" }] } })] },
      "spec.placement.tolerations[0].key",
    ],
    [
      "without the namespace of agents",
      { after: [config("x", 1)], state: { namespace: undefined } },
      "attune install --scylla creates it",
    ],
  ])("%s: no agent comes, and a finding says why", (_, change, why) => {
    const found = changes(change);
    expect([found.objects, found.agents]).toEqual([[], []]);
    expect(found.databases[0]).toEqual({
      pods: ["db/a"],
      becomes: "waiting",
      config: "x",
      because: "ScyllaNodeConfig x has no agents",
    });
    expect(findings(found)[0]).toMatch(/^error: ScyllaNodeConfig x: /);
    expect(findings(found)[0]).toContain(why);
  });
});

it("another image for perftune changes the DaemonSets of all configs", () => {
  const x = config("x", 1);
  const found = changes({ before: [x], after: [x], image: "scylla:2025.2.0" });
  expect(objects(found)).toEqual(["change scylla-agent-x"]);
  expect(found.objects[0]!.diff).toMatch(/^-\s+- scylla:2025\.1\.5\n\+\s+- scylla:2025\.2\.0$/m);
});

it("a node with another label loses its agent", () => {
  const x = config("x", 1);
  const found = changes({ before: [x], after: [x], nodes: [node("n1", "web"), node("n2"), node("web", "web")] });
  expect(found.objects).toEqual([]);
  expect(found.agents).toEqual([{ nodes: ["n1"], before: "x" }]);
});
