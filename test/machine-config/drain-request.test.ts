import { expect, test } from "vitest";
import { decideDrain } from "../../src/domain/rollout/drain/decide-drain.ts";
import { ownAnnotations } from "../../src/domain/rollout/node-annotations.ts";
import { judgeNode } from "../../src/domain/rollout/node-state.ts";
import { nodeOf, now, type ShortNode } from "./recorded-pools.ts";

const decided = (node: Partial<ShortNode>) => decideDrain(judgeNode(nodeOf({ name: "n", ...node })), now);

test.each(["v2", "v1-", "v", "../v1", "x".repeat(100_000)])(
  "a node that was told v1 is not drained for another config (%#)",
  (config) => {
    expect(decided({ desired: "v1", desiredDrain: `drain-${config}` })).toEqual({ type: "none" });
    expect(decided({ desired: "v1", desiredDrain: "drain-v1" })).toMatchObject({ type: "drain", config: "v1" });
  },
);

test.each(["v0", "v2", "../v1"])(
  "nor is its cordon removed for another config, which it may report too early (%s)",
  (config) => {
    expect(decided({ desired: "v1", unschedulable: true, desiredDrain: `uncordon-${config}` })).toEqual({
      type: "none",
    });
    expect(decided({ desired: "v1", unschedulable: true, desiredDrain: "uncordon-v1" })).toMatchObject({
      type: "uncordon",
    });
  },
);

test("the cordon of a drain that was not answered goes when its agent asks for what it had asked for before", () => {
  const settled = { desired: "v1", desiredDrain: "uncordon-v1", lastAppliedDrain: "uncordon-v1", unschedulable: true };
  const cordoned = { annotations: { [ownAnnotations.cordonedFor]: "v2" } };
  expect(decided({ ...settled, ...cordoned })).toEqual({ type: "uncordon", request: "uncordon-v1", isOurs: true });
  expect(decided(settled)).toEqual({ type: "none" });
  expect(decided({ ...settled, ...cordoned, desired: "v2" })).toEqual({ type: "none" });
  expect(decided({ ...settled, ...cordoned, unschedulable: false })).toEqual({ type: "none" });
});

test("a node that was told nothing is not drained", () => {
  expect(decided({ desiredDrain: "drain-v1" })).toEqual({ type: "none" });
});

test("a request that says neither is named in part, without control characters", () => {
  const decision = decided({ desired: "v1", desiredDrain: `\u001b[2J${"x".repeat(100_000)}` });
  expect(decision).toMatchObject({ type: "invalid", problem: expect.stringContaining("asks for \\u001b[2Jxxx") });
  expect(JSON.stringify(decision).length).toBeLessThan(500);
});
