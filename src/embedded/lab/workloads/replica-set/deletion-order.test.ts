import { describe, expect, it } from "vitest";
import { formatTime } from "../../../../language/object/time.ts";
import type { Pod } from "../workload-objects.ts";
import { inDeletionOrder } from "./deletion-order.ts";

const now = Date.parse("2026-01-01T00:00:00Z");

interface Sketch {
  node?: string;
  phase?: string;
  readyFor?: number;
  age?: number;
  cost?: string;
  restarts?: number;
}

function pod(name: string, { node = "n", phase = "Running", readyFor, age = 1000, cost, restarts = 0 }: Sketch): Pod {
  const since = (seconds: number): string => formatTime(now - seconds * 1000);
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      uid: name,
      creationTimestamp: since(age),
      annotations: cost === undefined ? {} : { "controller.kubernetes.io/pod-deletion-cost": cost },
    },
    spec: { ...(node && { nodeName: node }), containers: [] },
    status: {
      phase,
      conditions:
        readyFor === undefined ? [] : [{ type: "Ready", status: "True", lastTransitionTime: since(readyFor) }],
      containerStatuses: [{ name: "c", image: "", imageID: "", ready: true, restartCount: restarts }],
    },
  };
}

describe("of two pods, the first to be deleted is the one", () => {
  it.each<{ that: string; first: Sketch; second: Sketch }>([
    { that: "is on no node", first: { node: "", readyFor: 1 }, second: { phase: "Pending" } },
    { that: "is pending", first: { phase: "Pending" }, second: { phase: "Unknown" } },
    { that: "is unknown", first: { phase: "Unknown" }, second: {} },
    { that: "is not ready", first: { cost: "9" }, second: { readyFor: 1, cost: "1" } },
    { that: "costs less", first: { readyFor: 900, cost: "-1" }, second: { readyFor: 1 } },
    {
      that: "has a cost that cannot be read",
      first: { readyFor: 900, cost: "+5" },
      second: { readyFor: 1, cost: "1" },
    },
    { that: "was ready for less long", first: { readyFor: 10 }, second: { readyFor: 500 } },
    { that: "restarted more", first: { readyFor: 10, restarts: 2 }, second: { readyFor: 10, restarts: 1 } },
    { that: "is younger", first: { readyFor: 10, age: 20 }, second: { readyFor: 10, age: 900 } },
    { that: "has the lesser uid, at about the same age", first: { readyFor: 300 }, second: { readyFor: 301 } },
  ])("that $that", ({ first, second }) => {
    const pods = [pod("a", first), pod("b", second)];
    expect(inDeletionOrder(pods.toReversed(), [], now).map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
  });

  it("that shares its node with more pods of the workload", () => {
    const crowded = [pod("x", { readyFor: 900 }), pod("y", { readyFor: 900 })];
    const alone = pod("z", { node: "m", readyFor: 1 });
    const order = inDeletionOrder([alone, ...crowded], [alone, ...crowded], now);
    expect(order.map(({ metadata }) => metadata.name)).toEqual(["x", "y", "z"]);
  });
});
