import { expect, it } from "vitest";
import type { Profile } from "../../../domain/node-tuning/api.ts";
import { annotations } from "../../../domain/rollout/node-annotations.ts";
import type { RolloutNode } from "../../../domain/rollout/rollout-node.ts";
import { coloursOf } from "../terminal/terminal.ts";
import { type StatusObjects, statusReport } from "./status-report.ts";
import { statusText } from "./status-text.ts";

const now = Date.parse("2026-01-01T01:00:00Z");
const lastTransitionTime = "2026-01-01T00:46:00Z";
const profile = "openshift-node-performance-low-latency";

function node(name: string): RolloutNode {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "node-role.kubernetes.io/worker": "" } },
    status: { conditions: [{ type: "Ready", status: "True" }] },
  };
}

function profileOf(name: string, drift?: string): Profile {
  const condition = (type: string, status: "True" | "False", reason: string, message = "") => ({
    type,
    status,
    reason,
    message,
    lastTransitionTime,
  });
  const conditions = [
    condition("Applied", "True", "AsExpected"),
    ...(drift === undefined ? [] : [condition("Drifted", "True", "Repaired", drift)]),
  ];
  return {
    apiVersion: "tuned.openshift.io/v1",
    kind: "Profile",
    metadata: { name, generation: 1 },
    spec: { config: { tunedProfile: profile } },
    status: { tunedProfile: profile, observedGeneration: 1, conditions },
  };
}

const worker = {
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfigPool",
  metadata: { name: "worker", generation: 1 },
  spec: { nodeSelector: { matchLabels: { "node-role.kubernetes.io/worker": "" } } },
  status: { observedGeneration: 1, machineCount: 5000, updatedMachineCount: 5000, conditions: [] },
};

const running: StatusObjects["system"] = {
  lease: {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: "l" },
    spec: { holderIdentity: "pod_uid", renewTime: "2026-01-01T00:59:55.000000Z", leaseDurationSeconds: 20 },
  },
  conditions: [],
  daemonSet: {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "tuned" },
    status: { numberAvailable: 2, desiredNumberScheduled: 2 },
  },
  webhookDeployment: { ready: 2, wanted: 2 },
  webhooks: 11,
};

function cluster(names: readonly string[], drifted: readonly string[] = []): StatusObjects {
  const drift =
    'another process changed /proc/sys/vm/swappiness to "60", set back to "10" for profile: [sysctl] vm.swappiness';
  return {
    nodes: names.map(node),
    profiles: names.map((name) => profileOf(name, drifted.includes(name) ? drift : undefined)),
    pools: [worker],
    performanceProfiles: [],
    nodePools: [],
    system: running,
    managementState: "Managed",
  };
}

const names = (n: number): string[] => Array.from({ length: n }, (_, at) => `worker-${at + 1}`);
const plain = { colours: coloursOf(false), now, wide: false, by: "pool" } as const;
const textOf = (objects: StatusObjects, columns?: number): string =>
  statusText(statusReport(objects, now), { ...plain, columns });

it("is the answer, the parts of Attune, pools, and every node of a small cluster", () => {
  expect(textOf(cluster(names(2)), 140).split("\n")).toEqual([
    "All 2 nodes are as wanted",
    "",
    "Operator:   pod leads",
    "Webhook:    2 of 2 replicas are ready, 11 webhooks registered",
    "Agents:     2 of 2 are available",
    "",
    "Pools",
    "POOL     NODES   UPDATED   CONFIG   WAITS FOR",
    "worker   5000    5000      none     its nodes to get the config",
    "",
    "Nodes",
    "NODE       POOL     PROFILE                                  STATE       SINCE",
    "worker-1   worker   openshift-node-performance-low-latency   As wanted   14m",
    "worker-2   worker   openshift-node-performance-low-latency   As wanted   14m",
    "",
  ]);
});

it("is groups where there are 5,000 nodes, and those that need a person, on every width", () => {
  const drifted = ["worker-4", ...Array.from({ length: 39 }, (_, at) => `worker-${100 + at}`)];
  const all = cluster(names(5000), drifted);
  for (const columns of [80, 140]) {
    const lines = textOf(all, columns).split("\n");
    expect(lines[0]).toBe("4,960 of 5,000 nodes are as wanted; 40 need you");
    expect(lines.length).toBeLessThan(120);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(columns);
    expect(lines).toContain("POOL     NODES   AS WANTED   DRIFTED");
    expect(lines).toContain("worker   5,000   4,960       40");
    expect(lines).toContain("20 more: -o wide lists every node");
  }
  const lines = textOf(all, 80).split("\n");
  const first = lines.indexOf("Not as wanted");
  expect(lines.slice(first + 1, first + 7)).toEqual([
    "worker-4   Drifted, 1 changed, since 14m",
    "  openshift-node-performance-low-latency, pool worker",
    '  another process changed /proc/sys/vm/swappiness to "60", set back to "10" for',
    "  profile: [sysctl] vm.swappiness",
    "worker-100   Drifted, 1 changed, since 14m",
    "  openshift-node-performance-low-latency, pool worker",
  ]);
});

it("says of nodes that their pool has not given its config yet what they wait for", () => {
  const has = (config: string): Partial<RolloutNode["metadata"]> => ({
    annotations: {
      [annotations.currentConfig]: config,
      [annotations.desiredConfig]: config,
      [annotations.state]: "Done",
    },
  });
  const objects = cluster(names(3));
  const textIn = (paused: boolean): string[] =>
    textOf({
      ...objects,
      nodes: objects.nodes.map((of, at) => ({ ...of, metadata: { ...of.metadata, ...has(at === 0 ? "r-2" : "r-1") } })),
      pools: [{ ...worker, spec: { ...worker.spec, configuration: { name: "r-2" }, paused } }],
    }).split("\n");
  expect(textIn(true)[0]).toBe("1 of 3 nodes are as wanted; 2 wait for their configs");
  expect(textIn(true).filter((line) => /^worker-.*Waiting for config +pool worker is paused: /.test(line))).toEqual([
    expect.stringMatching(/^worker-2 .* r-2 when spec.paused is false$/),
    expect.stringMatching(/^worker-3 /),
  ]);
  expect(textIn(false).find((line) => line.startsWith("worker-3"))).toMatch(
    /Waiting for config +other nodes of pool worker are updated first: then it gets r-2$/,
  );
});

it("names parts that do not run in its first line", () => {
  const lease = {
    ...(running.lease as object),
    spec: { holderIdentity: "pod_uid", renewTime: "2026-01-01T00:50:00Z" },
  };
  const objects = { ...cluster(names(1)), system: { ...running, lease: lease as never, webhooks: 0 } };
  const [answer, , operator, webhook] = textOf(objects).split("\n");
  expect(answer).toBe("The node is as wanted; look at operator and webhook");
  expect(operator).toBe("Operator:   no operator leads: pod has not renewed its lease for 10m");
  expect(webhook).toBe("Webhook:    not registered: objects are not checked when they are written");
});

it("misses no webhook in a hosted cluster, which has none", () => {
  const { nodes, ...rest } = cluster(names(1));
  const labels = { ...nodes[0]?.metadata.labels, "hypershift.openshift.io/nodePool": "workers" };
  const hosted = nodes.map((one) => ({ ...one, metadata: { ...one.metadata, labels } }));
  const lines = textOf({ ...rest, nodes: hosted, system: { ...running, webhookDeployment: undefined, webhooks: 0 } });
  expect(lines).toMatch(/^The node is as wanted\n/);
  expect(lines).toContain("Webhook:    not needed: NodePools of the management cluster say what is wrong");
});

it("says what users may not read, and shows the rest", () => {
  const system = { ...running, lease: "forbidden", webhooks: "forbidden" } as const;
  const lines = textOf({ ...cluster(names(1)), system }).split("\n");
  expect(lines.slice(0, 4)).toEqual([
    "The node is as wanted",
    "",
    "Operator:   no access: you may not read it",
    "Webhook:    no access: you may not read it",
  ]);
});

it.each([
  ["Removed", "Tuning is removed: managementState of the Tuned default is Removed"],
  ["Unmanaged", "The node is as wanted"],
] as const)("of a cluster whose tuning is %s begins with: %s", (managementState, expected) => {
  expect(textOf({ ...cluster(names(1)), managementState }).split("\n")[0]).toBe(expected);
});

it("of a cluster without Attune says how to install it", () => {
  const empty = { ...cluster([]), profiles: undefined, pools: [] };
  expect(textOf(empty)).toBe("Attune is not installed in this cluster: attune install --apply installs it\n");
});

it("of a management cluster shows its NodePools, and what they wait for", () => {
  const nodePool = (name: string, ...conditions: object[]) =>
    ({
      apiVersion: "hypershift.openshift.io/v1beta1",
      kind: "NodePool",
      metadata: { name, namespace: "clusters" },
      status: { replicas: 3, conditions },
    }) as never;
  const bad = { type: "ValidTuningConfig", status: "False", reason: "Invalid", message: "document 2: no name" };
  const objects = { ...cluster([]), profiles: undefined, pools: [], nodePools: [nodePool("a"), nodePool("b", bad)] };
  expect(textOf(objects).split("\n")).toEqual([
    "1 of 2 NodePools are not as wanted",
    "",
    "NodePools",
    "NODEPOOL     NODES   WAITS FOR",
    "clusters/a   3       nothing",
    "clusters/b   3       document 2: no name",
    "",
  ]);
});

it("cannot be driven by what a node reports", () => {
  const [first] = names(1);
  const objects = cluster([first ?? ""]);
  const hostile = profileOf(first ?? "", "x\u001b[2J\ny");
  const text = textOf({ ...objects, profiles: [hostile] });
  expect([text.includes("\u001b"), text.includes("\ny")]).toEqual([false, false]);
});
