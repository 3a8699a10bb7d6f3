import { describe, expect, it } from "vitest";
import { formatTime } from "../../../language/object/time.ts";
import { decideGate, type GateInput, outdated, type WaitingPod } from "./decide-gate.ts";

const t0 = 1_700_000_000_000;
const time = (seconds: number): string => formatTime(t0 + seconds * 1000);
const start = (id: string, seconds: number): { id: string; at: number } => ({ id, at: t0 + seconds * 1000 });

interface Shown {
  readonly id?: string;
  readonly startedAt?: number;
  readonly lastEndedAt?: number;
  readonly exitCode?: number;
  readonly restartPolicy?: string;
  readonly node?: string;
}

function podWith({ id = "c://1", startedAt = 0, lastEndedAt, exitCode, restartPolicy, node }: Shown): WaitingPod {
  const state = exitCode === undefined ? { running: { startedAt: time(startedAt) } } : { terminated: { exitCode } };
  return {
    spec: { ...(restartPolicy ? { restartPolicy } : {}), ...(node ? { nodeName: node } : {}) },
    status: {
      containerStatuses: [
        { name: "other", containerID: "c://other", state: { running: {} } },
        {
          name: "scylla",
          containerID: id,
          state,
          ...(lastEndedAt === undefined ? {} : { lastState: { terminated: { finishedAt: time(lastEndedAt) } } }),
        },
      ],
    },
  };
}

function decide(input: Partial<GateInput>): string {
  const decision = decideGate({
    starts: [start("a", 0.2)],
    openings: [],
    pod: podWith({}),
    release: undefined,
    now: t0 + 10_000,
    ...input,
  });
  if (decision.type === "open")
    return `open ${decision.opening.start} ${decision.opening.containerId} ${decision.because}`;
  if (decision.type === "wait") return `wait ${decision.containerId}`;
  return decision.type;
}

describe("the first container of a database", () => {
  it.each<[string, Partial<GateInput>, string]>([
    ["waits for a release", {}, "wait c://1"],
    ["starts with a release for it", { release: { containerId: "c://1" } }, "open a c://1 released"],
    [
      "starts with a release by the agent of its node",
      { release: { containerId: "c://1", node: "n" }, pod: podWith({ node: "n" }) },
      "open a c://1 released",
    ],
    [
      "waits with one by the agent of another node",
      { release: { node: "other" }, pod: podWith({ node: "n" }) },
      "wait c://1",
    ],
    [
      "waits with one by an agent until it knows its own node",
      { release: { node: "n" }, pod: undefined },
      "wait undefined",
    ],
    ["starts with a release for any", { release: {} }, "open a c://1 released"],
    ["starts with one for any before the kubelet reported it", { release: {}, pod: undefined }, "open a  released"],
    ["waits with a release for another", { release: { containerId: "c://2" } }, "wait c://1"],
    ["waits until the kubelet reported it", { release: { containerId: "c://1" }, pod: {} }, "wait undefined"],
    ["waits while the API server is away", { pod: undefined }, "wait undefined"],
    ["has started", { openings: [{ start: "a", containerId: "c://1" }] }, "idle"],
    ["has not begun to wait", { starts: [], release: {} }, "idle"],
  ])("%s", (_, input, expected) => {
    expect(decide(input)).toBe(expected);
  });
});

describe("a restarted database (scylla W-13, scylla-operator#2213, scylla-operator#1856)", () => {
  const opened = [{ start: "a", containerId: "c://1" }];
  const starts = [start("b", 60.5), start("a", 0.2)];
  const release = { containerId: "c://1" };
  it.each<[string, Partial<GateInput>, string]>([
    ["waits while the status shows the one before", { starts, openings: opened, release }, "wait undefined"],
    [
      "waits for a release of its own",
      { starts, openings: opened, release, pod: podWith({ id: "c://2", startedAt: 60 }) },
      "wait c://2",
    ],
    [
      "starts with it",
      { starts, openings: opened, release: { containerId: "c://2" }, pod: podWith({ id: "c://2", startedAt: 60 }) },
      "open b c://2 released",
    ],
    ["starts at once with a release for any", { starts, openings: opened, release: {} }, "open b  released"],
    [
      "is known by its ID also after the clock was set back",
      { starts, openings: opened, release: { containerId: "c://2" }, pod: podWith({ id: "c://2", startedAt: -500 }) },
      "open b c://2 released",
    ],
  ])("%s", (_, input, expected) => {
    expect(decide(input)).toBe(expected);
  });

  it.each<[string, Shown, string]>([
    ["the one before", { id: "c://1", startedAt: 0 }, "wait undefined"],
    ["the one after it", { id: "c://1", startedAt: 60 }, "open b c://1 released"],
    [
      "one of the same second, after the end of the one before",
      { startedAt: 1, lastEndedAt: 1 },
      "open b c://1 released",
    ],
    ["one of the same second, after an earlier end", { startedAt: 1, lastEndedAt: 0 }, "wait undefined"],
  ])("after one that ended while it waited is told from it by times: %s", (_, shown, expected) => {
    const given = {
      starts: [start("a", 1.2), start("b", 60.5)],
      release: { containerId: "c://1" },
      pod: podWith(shown),
    };
    expect(decide(given)).toBe(expected);
  });
});

describe("a timeout", () => {
  const timeoutMs = 60_000;
  it.each<[string, Partial<GateInput>, string]>([
    ["is not over", { now: t0 + 60_000 }, "wait c://1"],
    ["is over", { now: t0 + 60_300 }, "open a c://1 timeout"],
    ["is over while the API server is away", { now: t0 + 60_300, pod: undefined }, "open a  timeout"],
    [
      "counts from the first of the restarts while waiting",
      { starts: [start("a", 0.2), start("b", 50)], now: t0 + 60_300 },
      "open b  timeout",
    ],
    [
      "counts anew for a container after one that has started",
      { starts: [start("a", 0.2), start("b", 50)], openings: [{ start: "a", containerId: "" }], now: t0 + 60_300 },
      "wait undefined",
    ],
  ])("%s", (_, input, expected) => {
    const pod = "starts" in input ? podWith({ startedAt: 0, lastEndedAt: -1 }) : podWith({});
    expect(decide({ timeoutMs, pod, ...input })).toBe(expected);
  });
});

describe("a database that ended", () => {
  it.each<[string | undefined, number, string]>([
    [undefined, 0, "wait undefined"],
    ["Always", 1, "wait undefined"],
    ["OnFailure", 1, "wait undefined"],
    ["OnFailure", 0, "ended"],
    ["Never", 1, "ended"],
  ])("of a pod with restart policy %s, with code %i: %s", (restartPolicy, exitCode, expected) => {
    expect(decide({ pod: podWith({ exitCode, ...(restartPolicy ? { restartPolicy } : {}) }) })).toBe(expected);
  });
});

describe("files of the shared volume", () => {
  it("are outdated before the last start that went on", () => {
    const starts = ["a", "b", "c", "d"].map((id, at) => start(id, at));
    const openings = ["a", "c"].map((id) => ({ start: id, containerId: id }));
    expect(outdated({ starts, openings })).toEqual({
      starts: [start("a", 0), start("b", 1)],
      openings: [{ start: "a", containerId: "a" }],
    });
    expect(outdated({ starts: [start("a", 0), start("b", 1)], openings: [] })).toEqual({ starts: [], openings: [] });
  });
});
