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
  // It tries by moving pods about, and must leave no trace.
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
    { what: "takes the least important", pods: [on("a", "x", 5, "2"), on("a", "y", 1, "2")], so: "a: y" },
    {
      what: "takes as few as it needs",
      pods: [on("a", "x", 1, "2"), on("a", "y", 1, "1"), on("a", "z", 1, "1")],
      so: "a: y z",
    },
    {
      what: "spares those who are as important",
      pods: [on("a", "x", 100, "4")],
      so: "0/1 nodes are available: 1 No preemption victims found for incoming pod.",
    },
    {
      what: "is of no use where pods are not what is in the way",
      pod: vip({ nodeSelector: { gpu: "1" } }),
      pods: [on("a", "x", 1, "4")],
      so: "0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
    },
    {
      what: "is of no use where the node is too small",
      pod: vip({ requests: { cpu: "5" } }),
      pods: [on("a", "x", 1, "4")],
      so: "0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
    },
    {
      what: "is not for those who do not want it",
      pod: vip({ preemptionPolicy: "Never" }),
      pods: [on("a", "x", 1, "4")],
      so: "not eligible due to preemptionPolicy=Never.",
    },
    {
      what: "chooses the node whose victims matter least",
      nodes: two,
      pods: [on("a", "x", 5, "4"), on("b", "y", 4, "4")],
      so: "b: y",
    },
    {
      what: "breaks no budget where another node will do",
      nodes: two,
      pods: [on("a", "x", 1, "4"), on("b", "y", 50, "4")],
      budgets: [covering("x", 0)],
      so: "b: y",
    },
    {
      what: "may use what a budget allows",
      nodes: two,
      pods: [on("a", "x", 1, "4"), on("b", "y", 50, "4")],
      budgets: [covering("x", 1)],
      so: "a: x",
    },
    {
      what: "spares on one node whom a budget protects",
      pods: [on("a", "x", 1, "2"), on("a", "y", 1, "2")],
      budgets: [covering("y", 0)],
      so: "a: x",
    },
    {
      what: "waits for those who leave already",
      pod: vip({ status: { nominatedNodeName: "a" } }),
      pods: [withMeta(on("a", "x", 1, "4"), { deletionTimestamp: "2026-01-01T00:00:00Z" })],
      so: "waiting",
    },
    {
      what: "removes whom the pod cannot stand",
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
