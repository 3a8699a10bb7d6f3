import { describe, expect, test } from "vitest";
import type { Affinity, PodSpec } from "kubernetes-types/core/v1.js";
import { testNode, testPod } from "../testing/objects.ts";
import type { Node, Pod } from "../workload-objects.ts";
import { ClusterState } from "./cluster-state.ts";
import { decideNode } from "./decide.ts";
import { podFacts } from "./pod-facts.ts";

function stateOf(nodes: readonly Node[], pods: readonly Pod[] = []): ClusterState {
  const state = new ClusterState();
  for (const node of nodes) state.setNode(node.metadata.name ?? "", node);
  for (const pod of pods) state.place(podFacts(pod));
  state.setNamespace("default", { team: "x" });
  state.setNamespace("other", { team: "y" });
  return state;
}

/** The node chosen, or the message. */
function chosen(pod: Pod, state: ClusterState): string {
  const decision = decideNode(podFacts(pod), state);
  return decision.type === "node" ? decision.name : decision.message;
}

type Requirement = { key: string; operator: string; values?: string[] };
const needs = (...matchExpressions: Requirement[]): Affinity => ({
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
});
const onNode = (operator: string, name: string): Affinity => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator, values: [name] }] }],
    },
  },
});
const taint = (effect: string, value = "v") => ({ key: "k", value, effect });
const affinityMismatch = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.";

describe("one node", () => {
  test.each<{
    because: string;
    node?: Parameters<typeof testNode>[1];
    pod?: Parameters<typeof testPod>[1];
    so: string;
  }>([
    { because: "the pod requests nothing", so: "a" },
    {
      because: "it is cordoned",
      node: { unschedulable: true },
      so: "0/1 nodes are available: 1 node(s) were unschedulable.",
    },
    {
      because: "a cordon is tolerated",
      node: { unschedulable: true },
      pod: { tolerations: [{ key: "node.kubernetes.io/unschedulable", operator: "Exists" }] },
      so: "a",
    },
    { because: "cpu is just enough", pod: { requests: { cpu: "4000m" } }, so: "a" },
    {
      because: "cpu is a thousandth too little",
      pod: { requests: { cpu: "4.001" } },
      so: "0/1 nodes are available: 1 Insufficient cpu.",
    },
    {
      because: "several resources are insufficient",
      pod: { requests: { cpu: "5", memory: "9Gi" } },
      so: "0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient memory.",
    },
    {
      because: "an extended resource is missing",
      pod: { requests: { "example.com/gpu": "1" } },
      so: "0/1 nodes are available: 1 Insufficient example.com/gpu.",
    },
    {
      because: "it has the huge pages",
      node: { resources: { "hugepages-2Mi": "4Mi" } },
      pod: { requests: { "hugepages-2Mi": "4Mi" } },
      so: "a",
    },
    {
      because: "its number of pods is reached",
      node: { resources: { pods: "0" } },
      so: "0/1 nodes are available: 1 Too many pods.",
    },
    {
      because: "overhead is added",
      pod: { requests: { cpu: "4" }, overhead: { cpu: "1m" } },
      so: "0/1 nodes are available: 1 Insufficient cpu.",
    },
    {
      because: "the largest init container counts",
      pod: { initContainers: [{ name: "i", image: "i", resources: { requests: { cpu: "5" } } }] },
      so: "0/1 nodes are available: 1 Insufficient cpu.",
    },
    {
      because: "an init container runs before the others",
      pod: {
        requests: { cpu: "3" },
        initContainers: [{ name: "i", image: "i", resources: { requests: { cpu: "4" } } }],
      },
      so: "a",
    },
    {
      because: "a sidecar runs beside them",
      pod: {
        requests: { cpu: "3" },
        initContainers: [{ name: "i", image: "i", restartPolicy: "Always", resources: { requests: { cpu: "2" } } }],
      },
      so: "0/1 nodes are available: 1 Insufficient cpu.",
    },
    ...["NoSchedule", "NoExecute"].map((effect) => ({
      because: `a taint ${effect} is not tolerated`,
      node: { taints: [taint(effect)] },
      so: "0/1 nodes are available: 1 node(s) had untolerated taint {k: v}.",
    })),
    { because: "a taint is PreferNoSchedule", node: { taints: [taint("PreferNoSchedule")] }, so: "a" },
    ...[
      { key: "k", operator: "Equal", value: "v", effect: "NoSchedule" },
      { key: "k", value: "v" },
      { key: "k", operator: "Exists" },
      { operator: "Exists" },
      { operator: "Exists", effect: "NoSchedule" },
    ].map((toleration) => ({
      because: `it is tolerated by ${JSON.stringify(toleration)}`,
      node: { taints: [taint("NoSchedule")] },
      pod: { tolerations: [toleration] },
      so: "a",
    })),
    ...[
      { key: "k", value: "w" },
      { key: "k", operator: "Exists", effect: "NoExecute" },
      { key: "j", operator: "Exists" },
      {},
    ].map((toleration) => ({
      because: `it is not tolerated by ${JSON.stringify(toleration)}`,
      node: { taints: [taint("NoSchedule")] },
      pod: { tolerations: [toleration] },
      so: "0/1 nodes are available: 1 node(s) had untolerated taint {k: v}.",
    })),
    { because: "its labels are selected", node: { labels: { a: "1" } }, pod: { nodeSelector: { a: "1" } }, so: "a" },
    {
      because: "its labels are not selected",
      node: { labels: { a: "2" } },
      pod: { nodeSelector: { a: "1" } },
      so: affinityMismatch,
    },
    { because: "a label has an unusual name", pod: { nodeSelector: { constructor: "1" } }, so: affinityMismatch },
    {
      because: "In",
      node: { labels: { a: "1" } },
      pod: { affinity: needs({ key: "a", operator: "In", values: ["0", "1"] }) },
      so: "a",
    },
    {
      because: "NotIn, and the label is absent",
      pod: { affinity: needs({ key: "a", operator: "NotIn", values: ["1"] }) },
      so: "a",
    },
    { because: "Exists", pod: { affinity: needs({ key: "a", operator: "Exists" }) }, so: affinityMismatch },
    { because: "DoesNotExist", pod: { affinity: needs({ key: "a", operator: "DoesNotExist" }) }, so: "a" },
    {
      because: "Gt",
      node: { labels: { a: "10" } },
      pod: { affinity: needs({ key: "a", operator: "Gt", values: ["9"] }) },
      so: "a",
    },
    {
      because: "Lt",
      node: { labels: { a: "10" } },
      pod: { affinity: needs({ key: "a", operator: "Lt", values: ["9"] }) },
      so: affinityMismatch,
    },
    {
      because: "Gt of a value that is no number",
      node: { labels: { a: "x" } },
      pod: { affinity: needs({ key: "a", operator: "Gt", values: ["9"] }) },
      so: affinityMismatch,
    },
    { because: "a term is empty", pod: { affinity: needs() }, so: affinityMismatch },
    { because: "the affinity names it", pod: { affinity: onNode("In", "a") }, so: "a" },
    { because: "the affinity excludes it", pod: { affinity: onNode("NotIn", "a") }, so: affinityMismatch },
    {
      because: "the affinity names a node that does not exist",
      pod: { affinity: onNode("In", "b") },
      so: "0/1 nodes are available: 1 node(s) didn't satisfy plugin(s) [NodeAffinity].",
    },
  ])("because $because: $so", ({ node, pod, so }) => {
    expect(chosen(testPod("p", pod), stateOf([testNode("a", node)]))).toBe(so);
  });

  test("without any node is reported", () => {
    expect(chosen(testPod("p"), stateOf([]))).toBe("no nodes available to schedule pods");
  });
});

const port = (hostPort: number, more: { hostIP?: string; protocol?: string } = {}): Partial<PodSpec> => ({
  containers: [{ name: "c", image: "i", ports: [{ containerPort: 1, hostPort, ...more }] }],
});

test.each([
  { wanted: port(80), so: "taken" },
  { wanted: port(81), so: "free" },
  { wanted: port(80, { protocol: "UDP" }), so: "free" },
  { wanted: port(80, { hostIP: "10.0.0.1" }), so: "taken" },
])("a port of the host is $so: $wanted", ({ wanted, so }) => {
  const state = stateOf([testNode("a")], [testPod("there", { nodeName: "a", ...port(80) })]);
  const message = "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.";
  expect(chosen(testPod("p", wanted), state)).toBe(so === "free" ? "a" : message);
});

const zones = [
  testNode("a1", { labels: { zone: "a" } }),
  testNode("a2", { labels: { zone: "a" } }),
  testNode("b1", { labels: { zone: "b" } }),
];
const web = { meta: { labels: { app: "web" } } };
const term = (more: object = {}) => ({ topologyKey: "zone", labelSelector: { matchLabels: { app: "web" } }, ...more });
const together = (more?: object): Partial<PodSpec> => ({
  affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(more)] } },
});
const apart = (more?: object): Partial<PodSpec> => ({
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(more)] } },
});

describe("pod affinity", () => {
  const there = testPod("there", { ...web, nodeName: "b1" });
  test.each<{ because: string; pods: Pod[]; pod: Pod; so: string }>([
    { because: "affinity requires the same zone", pods: [there], pod: testPod("p", together()), so: "b1" },
    {
      because: "the first pod of a group satisfies its own affinity",
      pods: [],
      pod: testPod("p", { ...web, ...together() }),
      so: "a1",
    },
    {
      because: "no pod matches",
      pods: [],
      pod: testPod("p", together()),
      so: "0/3 nodes are available: 3 node(s) didn't match pod affinity rules.",
    },
    { because: "anti-affinity excludes the zone", pods: [there], pod: testPod("p", apart()), so: "a1" },
    {
      because: "anti-affinity excludes all zones",
      pods: [there, testPod("too", { ...web, nodeName: "a1" })],
      pod: testPod("p", apart()),
      so: "0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules.",
    },
    {
      because: "anti-affinity of a running pod excludes it",
      pods: [testPod("x", { nodeName: "a1", ...apart() }), testPod("y", { nodeName: "b1", ...apart() })],
      pod: testPod("p", web),
      so: "0/3 nodes are available: 3 node(s) didn't satisfy existing pods anti-affinity rules.",
    },
    {
      because: "the matching pod is in another namespace",
      pods: [testPod("there", { nodeName: "b1", meta: { labels: { app: "web" }, namespace: "other" } })],
      pod: testPod("p", together({ namespaces: ["other"] })),
      so: "b1",
    },
    {
      because: "the namespace selector matches",
      pods: [testPod("there", { nodeName: "b1", meta: { labels: { app: "web" }, namespace: "other" } })],
      pod: testPod("p", together({ namespaceSelector: { matchLabels: { team: "y" } } })),
      so: "b1",
    },
    {
      because: "affinity prefers it",
      pods: [there],
      pod: testPod("p", {
        affinity: {
          podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 10, podAffinityTerm: term() }] },
        },
      }),
      so: "b1",
    },
    {
      because: "anti-affinity prefers another one",
      pods: [testPod("there", { ...web, nodeName: "a1" })],
      pod: testPod("p", {
        affinity: {
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 10, podAffinityTerm: term() }],
          },
        },
      }),
      so: "b1",
    },
  ])("counts because $because: $so", ({ pods, pod, so }) => {
    expect(chosen(pod, stateOf(zones, pods))).toBe(so);
  });
});

describe("spread", () => {
  const evenly = (more: object = {}): Parameters<typeof testPod>[1] => ({
    ...web,
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: "zone",
        whenUnsatisfiable: "DoNotSchedule",
        labelSelector: { matchLabels: { app: "web" } },
        ...more,
      },
    ],
  });
  const inA = testPod("in-a", { ...web, nodeName: "a1" });
  test.each<{ because: string; pod: Parameters<typeof testPod>[1]; nodes?: Node[]; so: string }>([
    { because: "one zone has fewer pods", pod: evenly(), so: "b1" },
    {
      because: "the emptier zone is out of reach, and counts",
      pod: { ...evenly({ nodeAffinityPolicy: "Ignore" }), nodeSelector: { zone: "a" } },
      so: "0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 2 node(s) didn't match pod topology spread constraints.",
    },
    {
      because: "the emptier zone is out of reach, and does not count",
      pod: { ...evenly(), nodeSelector: { zone: "a" } },
      so: "a2",
    },
    {
      because: "there are fewer zones than minDomains",
      pod: evenly({ minDomains: 3 }),
      nodes: zones.slice(0, 2),
      so: "0/2 nodes are available: 2 node(s) didn't match pod topology spread constraints.",
    },
    {
      because: "a node has no zone label",
      pod: evenly(),
      nodes: [testNode("x")],
      so: "0/1 nodes are available: 1 node(s) didn't match pod topology spread constraints (missing required label).",
    },
    { because: "it is ScheduleAnyway", pod: evenly({ whenUnsatisfiable: "ScheduleAnyway" }), so: "b1" },
  ])("because $because: $so", ({ pod, nodes = zones, so }) => {
    expect(chosen(testPod("p", pod), stateOf(nodes, [inA]))).toBe(so);
  });
});

describe("the best of several", () => {
  const [a, b, c] = [testNode("a"), testNode("b"), testNode("c")];
  test.each<{ is: string; nodes: Node[]; pods?: Pod[]; pod?: Parameters<typeof testPod>[1]; so: string }>([
    { is: "the first by name, among equals", nodes: [c, a, b], so: "a" },
    {
      is: "the one with the most left",
      nodes: [a, b],
      pods: [testPod("x", { nodeName: "a", requests: { cpu: "1" } })],
      so: "b",
    },
    {
      is: "the one with the fewest pods, even of those that ask for nothing",
      nodes: [a, b],
      pods: [testPod("x", { nodeName: "a" })],
      so: "b",
    },
    { is: "the one without a taint", nodes: [testNode("a", { taints: [taint("PreferNoSchedule")] }), b], so: "b" },
    {
      is: "the one preferred",
      nodes: [a, testNode("b", { labels: { fast: "1" } })],
      pod: {
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 1, preference: { matchExpressions: [{ key: "fast", operator: "Exists" }] } },
            ],
          },
        },
      },
      so: "b",
    },
  ])("is $is", ({ nodes, pods, pod, so }) => {
    expect(chosen(testPod("p", pod), stateOf(nodes, pods))).toBe(so);
  });
});

/** Small numbers from a seed, so that a failure can be repeated. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 16) % sides;
  };
}

test("no node is overcommitted, and a pod that fits on a node gets one", () => {
  for (let seed = 1; seed <= 50; seed++) {
    const roll = dice(seed);
    const nodes = Array.from({ length: 1 + roll(5) }, (_, i) =>
      testNode(`n${i}`, {
        resources: {
          cpu: String(1 + roll(8)),
          memory: `${1 + roll(8)}Gi`,
          pods: String(1 + roll(6)),
          "example.com/x": String(roll(3)),
        },
        taints: roll(4) === 0 ? [taint("NoSchedule")] : [],
      }),
    );
    const state = stateOf(nodes);
    const running: string[] = [];
    for (let i = 0; i < 40; i++) {
      if (running.length > 0 && roll(5) === 0) state.displace(running.splice(roll(running.length), 1)[0]!);
      const pod = podFacts(
        testPod(`p${i}`, {
          requests: {
            cpu: `${roll(3000)}m`,
            memory: `${roll(3000)}Mi`,
            ...(roll(4) === 0 && { "example.com/x": "1" }),
          },
          tolerations: roll(2) === 0 ? [{ operator: "Exists" }] : [],
        }),
      );
      const decision = decideNode(pod, state);
      const fits = state.nodes.some(
        (node) =>
          (node.taints.length === 0 || pod.tolerations.length > 0) &&
          node.pods.size < (node.allocatable.get("pods") ?? 0) &&
          [...pod.requests].every(([name, amount]) => amount <= node.free(name)),
      );
      expect(decision.type, `seed ${seed}, pod ${i}`).toBe(fits ? "node" : "unschedulable");
      if (decision.type === "node") {
        state.place({ ...pod, nodeName: decision.name });
        running.push(pod.uid);
      }
      const overcommitted = state.nodes.filter((node) =>
        [...node.requested.keys()].some((name) => node.free(name) < 0),
      );
      expect(overcommitted).toEqual([]);
    }
  }
});

test("incremental counts of pods equal those of a new state", () => {
  const roll = dice(7);
  const kept = stateOf(zones);
  const present = new Map<string, Pod>();
  for (let i = 0; i < 300; i++) {
    const name = `p${roll(20)}`;
    if (roll(3) === 0) {
      kept.displace(`uid-${name}`);
      present.delete(name);
    } else {
      const spec = [together(), apart({ topologyKey: "kubernetes.io/hostname" }), {}][roll(3)]!;
      const pod = testPod(name, {
        nodeName: zones[roll(3)]!.metadata.name ?? "",
        meta: { labels: { app: roll(2) === 0 ? "web" : "db" } },
        ...spec,
      });
      kept.place(podFacts(pod));
      present.set(name, pod);
    }
    for (const wanted of [together(), apart()]) {
      const pod = testPod("new", { meta: { labels: { app: "web" } }, ...wanted });
      expect(chosen(pod, kept)).toBe(chosen(pod, stateOf(zones, [...present.values()])));
    }
  }
});
