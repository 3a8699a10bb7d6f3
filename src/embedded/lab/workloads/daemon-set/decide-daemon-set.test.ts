import { describe, expect, test } from "vitest";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { formatTime } from "../../../../language/object/time.ts";
import { newRevision } from "../revisions/controller-revision.ts";
import { testPod } from "../testing/objects.ts";
import type { ControllerRevision, DaemonSet, Pod } from "../workload-objects.ts";
import type { DaemonNode } from "./daemon-nodes.ts";
import { revisionLabel } from "./daemon-pod.ts";
import { decideDaemonSet, outdatedRevisions } from "./decide-daemon-set.ts";

const now = Date.parse("2026-01-01T00:00:00Z");

type Spec = Partial<NonNullable<DaemonSet["spec"]>>;
function daemonSet(spec: Spec = {}, image = "one"): DaemonSet {
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "agent", namespace: "default", uid: "d" },
    spec: {
      selector: {},
      template: { metadata: {}, spec: { containers: [{ name: "c", image }] } },
      ...spec,
    },
  };
}

/** `name new|old ready|pending|failed|terminating`. */
function pod(sketch: string, nodeName = "a"): Pod {
  const [name = "", revision = "new", state = "ready"] = sketch.split(" ");
  const phases: Record<string, string> = { failed: "Failed", pending: "Pending" };
  return testPod(name, {
    nodeName,
    meta: {
      labels: { [revisionLabel]: revision },
      ...(state === "terminating" && { deletionTimestamp: formatTime(now) }),
    },
    status: {
      phase: phases[state] ?? "Running",
      conditions: state === "ready" ? [{ type: "Ready", status: "True" }] : [],
    },
  });
}

const node = (name: string, fit: DaemonNode["fit"], ...pods: string[]): DaemonNode => ({
  name,
  fit,
  pods: pods.map((sketch) => pod(sketch, name)),
});

const surge: Spec = { updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } } };

describe("a pass over a DaemonSet", () => {
  test.each<{
    when: string;
    spec?: Spec;
    nodes: DaemonNode[];
    stray?: Pod[];
    backoffMs?: number;
    decision: { create?: string[]; delete?: string[]; replaced?: string[]; requeueAfterMs?: number };
  }>([
    { when: "a node needs a pod", nodes: [node("a", "run")], decision: { create: ["a"] } },
    { when: "a node gets no new pod", nodes: [node("a", "stay")], decision: {} },
    { when: "a node keeps its pod", nodes: [node("a", "stay", "x")], decision: {} },
    {
      when: "a node does not fit any more",
      nodes: [node("a", "never", "x", "y new terminating")],
      decision: { delete: ["x"] },
    },
    { when: "a pod is terminating", nodes: [node("a", "run", "x new terminating")], decision: {} },
    { when: "a node has two pods", nodes: [node("a", "run", "x", "y")], decision: { delete: ["y"] } },
    { when: "a node may have two pods", spec: surge, nodes: [node("a", "run", "x", "y")], decision: {} },
    {
      when: "a pod failed",
      nodes: [node("a", "run", "x new failed")],
      decision: { delete: ["x"], replaced: ["a"] },
    },
    {
      when: "a pod failed within the backoff",
      nodes: [node("a", "run", "x new failed")],
      backoffMs: 700,
      decision: { requeueAfterMs: 700 },
    },
    {
      when: "a pod of a deleted node was never bound",
      nodes: [],
      stray: [{ ...pod("x"), spec: { containers: [] } }, pod("bound", "gone")],
      decision: { delete: ["x"] },
    },
    {
      when: "pods are old: one at a time",
      nodes: [node("a", "run", "x old"), node("b", "run", "y old")],
      decision: { delete: ["x"] },
    },
    {
      when: "a pod is old, and another one is missing",
      nodes: [node("a", "run", "x old"), node("b", "run")],
      decision: { create: ["b"] },
    },
    {
      when: "a pod is old, and another one is unavailable",
      nodes: [node("a", "run", "x old"), node("b", "run", "y new pending")],
      decision: {},
    },
    {
      when: "a pod is old, and the strategy is OnDelete",
      spec: { updateStrategy: { type: "OnDelete" } },
      nodes: [node("a", "run", "x old")],
      decision: {},
    },
    {
      when: "pods are old, with a surge",
      spec: surge,
      nodes: [node("a", "run", "x old"), node("b", "run", "y old")],
      decision: { create: ["a"] },
    },
    {
      when: "the new pod of a surge is available",
      spec: surge,
      nodes: [node("a", "run", "x old", "z new")],
      decision: { delete: ["x"] },
    },
  ])("when $when", ({ spec, nodes, stray = [], backoffMs = 0, decision }) => {
    const input = { daemonSet: daemonSet(spec), nodes, stray, hash: "new", now, backoffMs: () => backoffMs };
    const { events: _, ...decided } = decideDaemonSet(input);
    const names = decided.delete.map(({ metadata }) => metadata.name);
    expect({ ...decided, delete: names }).toEqual({ create: [], delete: [], replaced: [], ...decision });
  });

  test.each([
    { phase: "failed", event: { type: "Warning", reason: "FailedDaemonPod" } },
    { phase: "ready", event: undefined },
  ])("records an event for a pod that is $phase: $event.reason", ({ phase, event }) => {
    const nodes = [node("a", "run", `x new ${phase}`)];
    const input = { daemonSet: daemonSet(), nodes, stray: [], hash: "new", now, backoffMs: () => 0 };
    expect(decideDaemonSet(input).events).toEqual(event ? [expect.objectContaining(event)] : []);
  });
});

describe("outdated revisions of a DaemonSet", () => {
  const revised = { kind: kinds.daemonSet, hashLabel: revisionLabel };
  const revision = (image: string, number: number): ControllerRevision => {
    const made = newRevision(revised, daemonSet({}, image), number, 0);
    return { ...made, metadata: { ...made.metadata, name: `${image}-${number}`, labels: { [revisionLabel]: image } } };
  };
  const current = revision("one", 9);
  const old = ["two", "three", "four"].map((image, index) => revision(image, index + 1));
  test.each([
    { what: "are none within the limit", limit: 3, revisions: [current, ...old], pods: [], outdated: [] },
    {
      what: "are the oldest over the limit",
      limit: 1,
      revisions: [...old.toReversed(), current],
      pods: [],
      outdated: ["two-1", "three-2"],
    },
    {
      what: "are none that a pod has",
      limit: 0,
      revisions: [current, ...old],
      pods: ["x three"],
      outdated: ["two-1", "four-3"],
    },
    {
      what: "are duplicates of the current one",
      limit: 3,
      revisions: [current, revision("one", 4), ...old],
      pods: [],
      outdated: ["one-4"],
    },
  ])("$what", ({ limit, revisions, pods, outdated }) => {
    const found = outdatedRevisions({
      daemonSet: daemonSet({ revisionHistoryLimit: limit }),
      current,
      revisions,
      pods: pods.map((sketch) => pod(sketch)),
    });
    expect(found.map(({ metadata }) => metadata.name)).toEqual(outdated);
  });
});
