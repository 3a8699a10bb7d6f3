import { expect, test } from "vitest";
import { annotations, ownAnnotations } from "./node-annotations.ts";
import { type NodeProgress, nextProgress } from "./node-progress.ts";
import { judgeNode } from "./node-state.ts";

const start = Date.parse("2026-01-01T00:00:00Z");
const after = (minutes: number): string => `${new Date(start + minutes * 60_000).toISOString().slice(0, 19)}Z`;

/** The progress of a node that was told `new`, given what was stored. */
function progress(
  written: Record<string, string>,
  minutes: number,
  before?: Partial<NodeProgress> | string,
): NodeProgress | undefined {
  const known = { config: "new", phase: "Told", since: after(0), failures: 0 };
  const stored = typeof before === "string" ? before : JSON.stringify({ ...known, ...before });
  const all = { currentConfig: "old", desiredConfig: "new", state: "Done", ...written };
  const entries = Object.entries(all).map(([name, value]) => [annotations[name as keyof typeof annotations], value]);
  const metadata = {
    name: "n",
    annotations: {
      ...(Object.fromEntries(entries) as Record<string, string>),
      ...(before ? { [ownAnnotations.progress]: stored } : {}),
    },
  };
  return nextProgress(judgeNode({ apiVersion: "v1", kind: "Node", metadata }), "new", after(minutes));
}

test.each<[string, Record<string, string>, string]>([
  ["told", {}, "Told"],
  ["working", { state: "Working" }, "Working"],
  ["waiting for its drain", { state: "Working", desiredDrain: "drain-new" }, "Draining"],
  ["drained", { state: "Working", desiredDrain: "drain-new", lastAppliedDrain: "drain-new" }, "Working"],
  ["restarting", { state: "Working", postConfigAction: "Rebooting" }, "Rebooting"],
  ["degraded", { state: "Degraded", reason: "r" }, "Failed"],
])("a node that is %s is in a phase of its own", (_, written, phase) => {
  expect(progress(written, 0)).toMatchObject({ config: "new", phase, since: after(0) });
});

test.each<[number, Record<string, string>, NodeProgress["phase"]]>([
  [15, {}, "Told"],
  [60, { state: "Working" }, "Working"],
  [60, { state: "Working", desiredDrain: "drain-new" }, "Draining"],
  [15, { state: "Working", postConfigAction: "Rebooting" }, "Rebooting"],
])("after %i minutes without progress it has failed (machine-config W-15)", (minutes, written, phase) => {
  expect(progress(written, minutes - 1, { phase })).toMatchObject({ phase });
  expect(progress(written, minutes, { phase })).toMatchObject({ phase: "Failed", stuckIn: phase, failures: 1 });
});

test("a failure that the operator found lasts until the node goes on, and is counted once", () => {
  const failed = { phase: "Failed", stuckIn: "Rebooting", failures: 1, reason: "silent" } as const;
  expect(progress({ state: "Working", postConfigAction: "Rebooting" }, 90, failed)).toMatchObject(failed);
  expect(progress({ state: "Working" }, 90, failed)).toMatchObject({ phase: "Working", since: after(90), failures: 1 });
});

test("a second failure on the same config is counted, one on another is not", () => {
  const once = { phase: "Working", failures: 1 } as const;
  expect(progress({ state: "Degraded", reason: "r" }, 1, once)).toMatchObject({ phase: "Failed", failures: 2 });
  expect(progress({ state: "Degraded", reason: "r" }, 1, { ...once, config: "older" })).toMatchObject({ failures: 1 });
});

test("nothing is remembered of a node that is done, but that it failed twice on what its pool still wants", () => {
  const done = { currentConfig: "new", state: "Done" };
  expect(progress(done, 1, { failures: 1 })).toBeUndefined();
  const back = { desiredConfig: "old", state: "Done" };
  expect(progress(back, 1, { phase: "Failed", failures: 2 })).toMatchObject({ config: "new", failures: 2 });
  expect(progress(back, 1, { phase: "Failed", failures: 2, config: "older" })).toBeUndefined();
});

test.each([
  "",
  "{",
  "null",
  `{"config":1}`,
  `{"config":"new","phase":"x","since":"2026-01-01T00:00:00Z","failures":0}`,
])("what another client wrote (%j) starts the deadline again", (text) => {
  expect(progress({}, 100, text || "x")).toMatchObject({ phase: "Told", since: after(100) });
});

test("a clock that was set back does not make a deadline longer", () => {
  expect(progress({}, -600, { since: after(0) })).toMatchObject({ phase: "Told", since: after(-600) });
});

test("a node that gives a reason without end does not fill the annotations and the status of its pool", () => {
  expect(progress({ state: "Degraded", reason: "r".repeat(200_000) }, 1, {})?.reason).toHaveLength(2000);
});

test("a node that works after it has restarted verifies, and remembers it", () => {
  const working = { state: "Working", desiredDrain: "drain-new", lastAppliedDrain: "drain-new" };
  const rebooting = { ...working, postConfigAction: "Rebooting" };
  expect(progress(working, 1, { phase: "Draining" })).not.toHaveProperty("booted");
  expect(progress(rebooting, 1, { phase: "Working" })).not.toHaveProperty("booted");
  expect(progress(working, 1, { phase: "Rebooting" })).toMatchObject({ phase: "Working", booted: true });
  expect(progress(working, 2, { phase: "Working", booted: true })).toMatchObject({ booted: true });
});
