import { describe, expect, test } from "vitest";
import { testNode, testPod } from "../testing/objects.ts";
import type { Node, Pod } from "../workload-objects.ts";
import { ClusterState } from "./cluster-state.ts";
import { decideNode } from "./decide.ts";
import { type PodFacts, podFacts } from "./pod-facts.ts";
import { decidePreemption, type ProtectedPods } from "./preemption.ts";

function preempting(pod: Pod, nodes: Node[], pods: Pod[], budgets: ProtectedPods[] = []): string {
  const state = new ClusterState();
  for (const node of nodes) state.setNode(node.metadata.name ?? "", node);
  for (const one of pods) state.place(podFacts(one));
  const facts = podFacts(pod);
  const decision = decideNode(facts, state);
  if (decision.type === "node") throw new Error("it fits anyway");
  const before = picture(state);
  const preemption = decidePreemption(facts, decision.rejections, state, budgets);
  // The search changes the state, and must restore it.
  expect(picture(state)).toEqual(before);
  expect(decideNode(facts, state)).toEqual(decision);
  if (preemption.type === "victims")
    return `${preemption.nodeName}: ${preemption.victims.map(({ name }) => name).join(" ")}`;
  return preemption.type === "none" ? preemption.message : preemption.type;
}

function picture(state: ClusterState): unknown {
  return state.nodes.map((node) => [
    node.name,
    [...node.pods.keys()].toSorted(),
    [...node.requested],
    node.ports.length,
  ]);
}

const on = (node: string, name: string, priority: number, cpu: string): Pod =>
  testPod(name, { nodeName: node, priority, requests: { cpu } });
const withMeta = (pod: Pod, meta: Pod["metadata"]): Pod => ({ ...pod, metadata: { ...pod.metadata, ...meta } });
const vip = (more: Parameters<typeof testPod>[1] = {}): Pod =>
  testPod("vip", { priority: 100, requests: { cpu: "2" }, ...more });
const one = [testNode("a")];
const two = [testNode("a"), testNode("b")];
const covering = (name: string, allowed: number): ProtectedPods => ({
  covers: (pod: PodFacts) => pod.name === name,
  allowed,
});

describe("preemption", () => {
  test.each<{ what: string; pod?: Pod; nodes?: Node[]; pods: Pod[]; budgets?: ProtectedPods[]; so: string }>([
    { what: "deletes pods of the lowest priority", pods: [on("a", "x", 5, "2"), on("a", "y", 1, "2")], so: "a: y" },
    {
      what: "deletes as few as necessary",
      pods: [on("a", "x", 1, "2"), on("a", "y", 1, "1"), on("a", "z", 1, "1")],
      so: "a: y z",
    },
    {
      what: "spares pods of the same priority",
      pods: [on("a", "x", 100, "4")],
      so: "0/1 nodes are available: 1 No preemption victims found for incoming pod.",
    },
    {
      what: "does not help where pods are not the obstacle",
      pod: vip({ nodeSelector: { gpu: "1" } }),
      pods: [on("a", "x", 1, "4")],
      so: "0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
    },
    {
      what: "does not help where the node is too small",
      pod: vip({ requests: { cpu: "5" } }),
      pods: [on("a", "x", 1, "4")],
      so: "0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
    },
    {
      what: "is not done with preemptionPolicy Never",
      pod: vip({ preemptionPolicy: "Never" }),
      pods: [on("a", "x", 1, "4")],
      so: "not eligible due to preemptionPolicy=Never.",
    },
    {
      what: "chooses the node with the victims of the lowest priority",
      nodes: two,
      pods: [on("a", "x", 5, "4"), on("b", "y", 4, "4")],
      so: "b: y",
    },
    {
      what: "violates no budget where another node fits",
      nodes: two,
      pods: [on("a", "x", 1, "4"), on("b", "y", 50, "4")],
      budgets: [covering("x", 0)],
      so: "b: y",
    },
    {
      what: "uses the disruptions that a budget allows",
      nodes: two,
      pods: [on("a", "x", 1, "4"), on("b", "y", 50, "4")],
      budgets: [covering("x", 1)],
      so: "a: x",
    },
    {
      what: "spares a pod that a budget protects on the same node",
      pods: [on("a", "x", 1, "2"), on("a", "y", 1, "2")],
      budgets: [covering("y", 0)],
      so: "a: x",
    },
    {
      what: "waits for victims that are terminating",
      pod: vip({ status: { nominatedNodeName: "a" } }),
      pods: [withMeta(on("a", "x", 1, "4"), { deletionTimestamp: "2026-01-01T00:00:00Z" })],
      so: "waiting",
    },
    {
      what: "deletes pods that anti-affinity excludes",
      pod: vip({
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "loud" } } },
            ],
          },
        },
      }),
      pods: [withMeta(on("a", "x", 1, "1"), { labels: { app: "loud" } }), on("a", "y", 1, "1")],
      so: "a: x",
    },
  ])("$what: $so", ({ pod = vip(), nodes = one, pods, budgets, so }) => {
    expect(preempting(pod, nodes, pods, budgets)).toBe(so);
  });
});
