import { describe, expect, test } from "vitest";
import { testPod } from "../testing/objects.ts";
import type { Pod } from "../workload-objects.ts";
import { decideGoneNode, excessFinished, type GoneNodeInput } from "./decide-pod-garbage.ts";

const pods = [testPod("p")];
const gone: GoneNodeInput = { exists: false, pods, since: 1000, monotonic: 41_000 };

test.each<{ when: string; input: Partial<GoneNodeInput>; decision: object }>([
  { when: "the node exists", input: { exists: true }, decision: { type: "none" } },
  { when: "no pod is left", input: { pods: [] }, decision: { type: "none" } },
  { when: "the node was just deleted", input: { monotonic: 1000 }, decision: { type: "wait", ms: 40_000 } },
  { when: "the quarantine is almost over", input: { monotonic: 40_999 }, decision: { type: "wait", ms: 1 } },
  { when: "the quarantine is over", input: {}, decision: { type: "remove", pods } },
])("when $when: $decision.type", ({ input, decision }) => {
  expect(decideGoneNode({ ...gone, ...input })).toEqual(decision);
});

describe("finished pods over the limit", () => {
  /** `name phase hour`, the hour of its creation; `-` before the name of a terminating pod. */
  const pod = (sketch: string): Pod => {
    const [name = "", phase = "", hour = ""] = sketch.split(" ");
    const deletionTimestamp = "2026-01-02T00:00:00Z";
    return testPod(name.replace("-", ""), {
      meta: { creationTimestamp: `2026-01-01T0${hour}:00:00Z`, ...(name.startsWith("-") && { deletionTimestamp }) },
      status: { phase },
    });
  };
  test.each([
    { pods: [], kept: 0, removed: [] },
    { pods: ["a Succeeded 1", "b Failed 2"], kept: 2, removed: [] },
    { pods: ["a Succeeded 2", "b Failed 1", "c Succeeded 3"], kept: 1, removed: ["b", "a"] },
    { pods: ["a Running 1", "b Pending 2"], kept: 0, removed: [] },
    { pods: ["-a Succeeded 1", "b Succeeded 2"], kept: 0, removed: ["b"] },
  ])("of $pods with $kept kept: $removed", ({ pods: sketches, kept, removed }) => {
    expect(excessFinished(sketches.map(pod), kept).map(({ metadata }) => metadata.name)).toEqual(removed);
  });
});
