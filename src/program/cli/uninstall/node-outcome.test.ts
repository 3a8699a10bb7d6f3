import { expect, test } from "vitest";
import { awayBecause, type Node, outcomeOf, type Pod, progressOf } from "./node-outcome.ts";

const pod = (state?: object): Pod =>
  ({
    spec: { nodeName: "n" },
    status: state ? { containerStatuses: [{ name: "agent", state }] } : {},
  }) as unknown as Pod;

test.each<[object | undefined, string | undefined]>([
  [{ running: {} }, undefined],
  [{ terminated: { exitCode: 0 } }, undefined],
  [
    { terminated: { exitCode: 1, message: "roll back: not restored: x: EROFS\n" } },
    "roll back: not restored: x: EROFS",
  ],
  [{ terminated: { exitCode: 137 } }, "its agent ended with exit code 137"],
  [{ waiting: { reason: "ImagePullBackOff" } }, "its agent did not run (ImagePullBackOff)"],
  [undefined, "its agent did not run"],
])("the pod of an agent that is gone was last %j: %s", (state, because) => {
  const node = { node: "n", state: because === undefined ? "rolled back" : "not rolled back" };
  expect(outcomeOf(pod(state))).toEqual(because === undefined ? node : { ...node, because });
});

test.each<[object, string]>([
  [{ running: {} }, "away"],
  [{ terminated: { exitCode: 0 } }, "rolled back"],
])("the pod of an agent was last %j and is gone, while its node is away: %s", (last, state) => {
  expect(outcomeOf(pod(last), "the node is not ready").state).toBe(state);
});

test.each<[object | undefined, string]>([
  [{ running: {} }, "its agent rolls back"],
  [{ terminated: { exitCode: 0 } }, "its agent has ended, its pod is being deleted"],
  [{ waiting: { reason: "ImagePullBackOff" } }, "its agent does not run (ImagePullBackOff)"],
  [undefined, "its agent does not run"],
])("uninstall says of a node whose pod is %j: %s", (state, text) => {
  expect(progressOf(pod(state))).toBe(text);
});

test.each<[string | undefined, string | undefined]>([
  ["True", undefined],
  ["False", "the node is not ready"],
  ["Unknown", "the node is not ready"],
  [undefined, "there is no Node of this name"],
])("a node whose condition Ready is %s is away: %s", (status, because) => {
  const conditions = [{ type: "Ready", status }];
  expect(awayBecause(status === undefined ? undefined : ({ status: { conditions } } as unknown as Node))).toBe(because);
});
