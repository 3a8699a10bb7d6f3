import { describe, expect, test } from "vitest";
import { formatTime } from "../../../../language/object/time.ts";
import { testNode, testPod } from "../testing/objects.ts";
import type { Pod } from "../workload-objects.ts";
import { decideNodeLifeCycle, type NodeLifeCycleInput } from "./decide-node-life-cycle.ts";

const now = Date.parse("2026-01-01T00:10:00Z");
const ready = [{ type: "Ready", status: "True" }];
const unready = [{ type: "Ready", status: "False" }];
const unknown = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"].map((type) => ({ type, status: "Unknown" }));
const addedAgo = (seconds: number) => ({
  key: "node.kubernetes.io/not-ready",
  effect: "NoExecute",
  timeAdded: formatTime(now - seconds * 1000),
});

/** A pod on the node that tolerates the taint for some seconds, without a limit (`Infinity`), or not at all. */
function pod(name: string, tolerates?: number, more: Parameters<typeof testPod>[1] = {}): Pod {
  const toleration = {
    key: "node.kubernetes.io/not-ready",
    operator: "Exists",
    ...(tolerates !== Infinity && { tolerationSeconds: tolerates ?? 0 }),
  };
  return testPod(name, {
    nodeName: "a",
    tolerations: tolerates === undefined ? [] : [toleration],
    status: { phase: "Running", conditions: ready },
    ...more,
  });
}

function decide(input: Partial<NodeLifeCycleInput>): object {
  const plan = decideNodeLifeCycle({ node: testNode("a"), pods: [], silentMs: 0, anyReady: true, now, ...input });
  const names = (pods: readonly Pod[]): (string | undefined)[] => pods.map(({ metadata }) => metadata.name);
  return {
    unknown: plan.unknown.map(({ type }) => type),
    unready: names(plan.unready),
    taints: plan.taints?.map(({ key, effect }) => `${key.split("/").at(-1)}:${effect}`),
    evict: names(plan.evict),
    requeueAfterMs: plan.requeueAfterMs,
  };
}

const nothing = { unknown: [], unready: [], taints: undefined, evict: [], requeueAfterMs: undefined };

describe("a pass over a node", () => {
  test.each<{ when: string; input: Partial<NodeLifeCycleInput>; plan: object }>([
    { when: "it has just been heard of", input: {}, plan: { requeueAfterMs: 40_000 } },
    { when: "it has been silent for a while", input: { silentMs: 39_999 }, plan: { requeueAfterMs: 1 } },
    {
      when: "it has been silent for 40 s",
      input: { silentMs: 40_000, pods: [pod("p")] },
      // The node is not Unknown in the cache yet: pods and taints follow in the next pass.
      plan: { unknown: ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"] },
    },
    {
      when: "it is Unknown already",
      input: { silentMs: 50_000, node: testNode("a", { conditions: unknown }), pods: [pod("p")] },
      plan: { unready: ["p"], taints: ["unreachable:NoSchedule", "unreachable:NoExecute"] },
    },
    {
      when: "no node is ready",
      input: { silentMs: 50_000, node: testNode("a", { conditions: unknown }), anyReady: false },
      plan: { taints: ["unreachable:NoSchedule"] },
    },
    {
      when: "it is not ready: pods that are unready or terminating stay as they are",
      input: {
        node: testNode("a", { conditions: unready }),
        pods: [
          pod("ready"),
          pod("unready", undefined, { status: { phase: "Running", conditions: unready } }),
          pod("terminating", undefined, { meta: { deletionTimestamp: formatTime(now) } }),
        ],
      },
      plan: { unready: ["ready"], taints: ["not-ready:NoSchedule", "not-ready:NoExecute"], requeueAfterMs: 40_000 },
    },
    {
      when: "it is ready again: its taints go",
      input: { node: testNode("a", { taints: [addedAgo(10)] }), pods: [pod("p", 300)] },
      plan: { taints: [], requeueAfterMs: 40_000 },
    },
    {
      when: "it is tainted: each pod is evicted when its toleration ends",
      input: {
        node: testNode("a", { conditions: unready, taints: [addedAgo(100)] }),
        pods: [
          pod("never"),
          pod("past", 99),
          pod("now", 100),
          pod("soon", 130),
          pod("later", 200),
          pod("always", Infinity),
        ].map((one) => ({ ...one, status: { phase: "Running" } })),
      },
      plan: {
        taints: ["not-ready:NoSchedule", "not-ready:NoExecute"],
        evict: ["never", "past", "now"],
        requeueAfterMs: 30_000,
      },
    },
    {
      when: "a pod on a tainted node is terminating",
      input: {
        silentMs: 50_000,
        node: testNode("a", { conditions: unknown, taints: [addedAgo(100)] }),
        pods: [pod("p", undefined, { meta: { deletionTimestamp: formatTime(now) } })],
      },
      plan: { taints: ["unreachable:NoSchedule", "unreachable:NoExecute"] },
    },
  ])("when $when", ({ input, plan }) => {
    expect(decide(input)).toEqual({ ...nothing, ...plan });
  });
});
