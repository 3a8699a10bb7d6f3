import { expect, it } from "vitest";
import type { Tuned } from "../../node-tuning/api.ts";
import { revertedEdits } from "./mirror-events.ts";

function tuned(data: string, generation: number): Tuned {
  const spec = { profile: [{ name: "web", data }] };
  return { apiVersion: "tuned.openshift.io/v1", kind: "Tuned", metadata: { name: "web-1", generation }, spec };
}

const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "tuned-np" } };
const wants = (data: string) => new Map([["web-1", { nodePool: "np", from: "tuned-np", tuned: tuned(data, 0) }]]);

it("an edit in the hosted cluster is told once, a write that is on its way and a new ConfigMap never", () => {
  const events = revertedEdits(() => configMap);
  const told = (wanted: string, observed: Tuned | undefined): string[] =>
    events({ wanted: wants(wanted), observed: observed ? [observed] : [] }).map(({ reason }) => reason);
  expect(told("a", undefined)).toEqual([]);
  expect(told("a", tuned("a", 1))).toEqual([]);
  expect(told("a", tuned("mine", 2))).toEqual(["EditReverted"]);
  expect(told("a", tuned("mine", 2))).toEqual([]);
  expect(told("a", tuned("a", 3))).toEqual([]);
  // The ConfigMap changes; the cache has the old text a while longer, then the new one.
  expect(told("b", tuned("a", 3))).toEqual([]);
  expect(told("b", tuned("a", 3))).toEqual([]);
  expect(told("b", tuned("b", 4))).toEqual([]);
  // A cache that goes back.
  expect(told("b", tuned("a", 3))).toEqual([]);
  expect(told("b", tuned("b", 4))).toEqual([]);
  expect(told("b", undefined)).toEqual(["EditReverted"]);
});

it("the event names the Tuned and the NodePool, and is of the ConfigMap that decides", () => {
  const events = revertedEdits((name) => (name === "tuned-np" ? configMap : undefined));
  events({ wanted: wants("a"), observed: [tuned("a", 1)] });
  expect(events({ wanted: wants("a"), observed: [tuned("mine", 2)] })).toMatchObject([
    {
      regarding: { kind: "ConfigMap", metadata: { name: "tuned-np" } },
      message: "Tuned web-1 of NodePool np was edited in the hosted cluster and is set back: this ConfigMap decides",
    },
  ]);
});
