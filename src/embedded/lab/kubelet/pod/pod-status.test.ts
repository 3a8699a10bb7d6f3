import { describe, expect, test } from "vitest";
import { ContainerRun } from "../container/container-run.ts";
import { phaseOf, podStatus, statusPatch, type PodView } from "./pod-status.ts";

const at = { wall: Date.parse("2026-01-01T00:00:00Z"), monotonic: 0 };

/** `main:running`, `init:0`, `side:waiting`, `main:crash` … */
function runOf(text: string, index: number): ContainerRun {
  const [kind, state = ""] = text.split(":");
  const role = kind === "init" ? "init" : kind === "side" ? "sidecar" : "main";
  const run = new ContainerRun(`${kind}-${index}`, role);
  if (state === "waiting") return run;
  run.started(at);
  run.ready = true;
  if (state === "running") return run;
  run.end(state === "crash" ? 1 : Number(state), at);
  if (state === "crash") run.wait("CrashLoopBackOff", "back-off");
  else run.ready = role === "init" && state === "0";
  return run;
}

function viewOf(containers: string, { over = false, restartPolicy = "Always" } = {}): PodView {
  const runs = containers.split(" ").map(runOf);
  const specs = (roles: string[]) =>
    runs.filter(({ role }) => roles.includes(role)).map(({ name }) => ({ name, image: "x" }));
  return {
    pod: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p", namespace: "ns", uid: "u", generation: 3 },
      spec: { restartPolicy, containers: specs(["main"]), initContainers: specs(["init", "sidecar"]) },
    },
    containers: runs,
    over,
    startTime: "2026-01-01T00:00:00Z",
    hostIP: "127.0.0.1",
    podIP: "10.0.0.1",
  };
}

describe("the phase of a pod", () => {
  test.each([
    ["main:waiting", {}, "Pending"],
    ["main:running", {}, "Running"],
    ["main:running main:waiting", {}, "Pending"],
    ["main:running main:crash", {}, "Running"],
    ["main:crash", {}, "Running"],
    ["main:0", {}, "Running"],
    ["init:waiting main:waiting", {}, "Pending"],
    ["init:0 main:running", {}, "Running"],
    ["init:crash main:waiting", {}, "Pending"],
    ["init:1 main:waiting", { restartPolicy: "Never" }, "Failed"],
    ["main:0 main:0", { over: true, restartPolicy: "Never" }, "Succeeded"],
    ["main:0 main:1", { over: true, restartPolicy: "Never" }, "Failed"],
    ["side:1 main:0", { over: true, restartPolicy: "Never" }, "Succeeded"],
    ["main:waiting", { over: true }, "Failed"],
  ])("with %s %j is %s", (containers, options, phase) => {
    expect(phaseOf(viewOf(containers, options))).toBe(phase);
  });
});

describe("the conditions of a pod", () => {
  test.each([
    ["main:running", {}, ["True", "True", "True", "True", "True"]],
    ["main:running main:crash", {}, ["True", "True", "False ContainersNotReady", "False ContainersNotReady", "True"]],
    [
      "init:waiting main:waiting",
      {},
      ["True", "False ContainersNotInitialized", "False ContainersNotReady", "False ContainersNotReady", "True"],
    ],
    [
      "side:waiting main:waiting",
      {},
      ["True", "False ContainersNotInitialized", "False ContainersNotReady", "False ContainersNotReady", "True"],
    ],
    ["main:0", { over: true }, ["False", "True PodCompleted", "False PodCompleted", "False PodCompleted", "True"]],
    ["main:1", { over: true }, ["False", "True", "False PodFailed", "False PodFailed", "True"]],
  ])("with %s %j", (containers, options, wanted) => {
    const { conditions } = podStatus(viewOf(containers, options));
    expect(conditions.map(({ status, reason = "" }) => `${status} ${reason}`.trim())).toEqual(wanted);
    expect(conditions.every((one) => (one as { observedGeneration?: number }).observedGeneration === 3)).toBe(true);
  });
});

describe("the status patch", () => {
  const status = podStatus(viewOf("main:running"));
  const stored = { ...status, ...(statusPatch(undefined, status, at.wall) as object) };

  test("is empty when the status is stored already, also beside conditions of other controllers", () => {
    expect(statusPatch(stored, status, at.wall + 5000)).toBeUndefined();
    const other = { type: "example.com/x", status: "True" };
    expect(statusPatch({ ...stored, conditions: [...stored.conditions, other] }, status, at.wall)).toBeUndefined();
  });

  test("has only what differs, and a new transition time where the status of a condition changed", () => {
    const view = viewOf("main:running");
    const [run] = view.containers;
    run!.ready = false;
    expect(statusPatch(stored, podStatus(view), at.wall + 5000)).toEqual({
      containerStatuses: [expect.objectContaining({ ready: false })],
      conditions: ["Ready", "ContainersReady"].map((type) => ({
        type,
        status: "False",
        reason: "ContainersNotReady",
        message: "containers with unready status: [main-0]",
        observedGeneration: 3,
        lastTransitionTime: "2026-01-01T00:00:05Z",
      })),
    });
  });

  test("clears reason and message of a condition that has none any more", () => {
    const unready = stored.conditions.map((one) => ({ ...one, status: "False", reason: "Old", message: "old" }));
    const patch = statusPatch({ ...stored, conditions: unready }, status, at.wall) as { conditions: object[] };
    expect(patch.conditions[0]).toMatchObject({ status: "True", reason: null, message: null });
  });
});
