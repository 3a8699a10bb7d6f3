import { describe, expect, it } from "vitest";
import { formatTime } from "../../language/object/time.ts";
import type { KubeletConfig, MachineConfig, MachineConfigPool } from "../machine-config/api.ts";
import { rememberedAnnotation } from "../machine-config/pool-configs/remembered.ts";
import type { Tuned } from "../node-tuning/api.ts";
import type { PoolOutcome } from "../node-tuning/boot/boot-arguments.ts";
import type { BootDecision } from "../node-tuning/boot/boot-decision.ts";
import { type BarrierInput, barrier, longestMs, quietMs } from "./barrier.ts";
import { derivedSetAnnotation } from "./derived-set.ts";
import { describeHeld, type Held, heldAnnotation, heldOf, heldText } from "./held.ts";

const start = Date.parse("2026-01-01T00:00:00Z");
const role = { role: "rt" };

function poolWith(held?: Held | string, current = "rendered-rt-old"): MachineConfigPool {
  const text = typeof held === "object" ? heldText(held) : held;
  const annotations = text === undefined ? {} : { [heldAnnotation]: text };
  return {
    apiVersion: "",
    kind: "",
    metadata: { name: "rt", labels: role, annotations },
    spec: { configuration: { name: current } },
  };
}

const meta = (name: string, set?: string): { name: string; annotations?: Record<string, string> } => ({
  name,
  ...(set === undefined ? {} : { annotations: { [derivedSetAnnotation]: set } }),
});
const machineConfig = (name: string, set?: string, kernelArguments: string[] = []): MachineConfig => ({
  apiVersion: "",
  kind: "MachineConfig",
  metadata: meta(name, set),
  spec: { kernelArguments },
});
const kubeletConfig = (set: string): KubeletConfig => ({
  apiVersion: "",
  kind: "KubeletConfig",
  metadata: meta("performance-p", set),
  spec: { machineConfigPoolSelector: { matchLabels: role } },
});
/** Its files were made. */
const accepted: KubeletConfig = {
  apiVersion: "",
  kind: "KubeletConfig",
  metadata: { name: "mine", uid: "1", generation: 2 },
  spec: { machineConfigPoolSelector: { matchLabels: role } },
  status: {
    observedGeneration: 2,
    conditions: [{ type: "Accepted", status: "True", reason: "", message: "", lastTransitionTime: "" }],
  },
};
/** With what one KubeletConfig said. */
const generated = (uid: string, generation: number): MachineConfig => ({
  apiVersion: "",
  kind: "MachineConfig",
  metadata: {
    name: "99-rt-generated-kubelet",
    annotations: { [rememberedAnnotation]: JSON.stringify({ mine: { uid, generation, settings: {} } }) },
  },
});
const tuned = (set: string): Tuned => ({
  apiVersion: "",
  kind: "Tuned",
  metadata: meta("t", set),
  spec: { recommend: [{ profile: "t", priority: 20, machineConfigLabels: role }] },
});

function boot(outcome?: PoolOutcome, tuneds: Tuned[] = [], orphaned: string[] = []): BootDecision {
  return {
    tuneds,
    orphaned,
    poolsOf: new Map([
      ["t", ["rt"]],
      ["elsewhere", ["x"]],
    ]),
    pools: outcome ? [{ pool: "rt", rule: {} as never, outcome }] : [],
  };
}

const ready: BarrierInput = {
  pool: poolWith(),
  rendering: "rendered-rt-new",
  sources: [],
  kubeletConfigs: [],
  boot: boot(),
  untold: [],
  now: start,
};

const ago = (ms: number, more: Partial<Held> = {}): Held => ({
  rendering: "rendered-rt-new",
  since: formatTime(start - ms),
  readySince: formatTime(start - ms),
  ...more,
});

describe("a rendering", () => {
  it("is released after a quiet time, which begins again with every other rendering", () => {
    const first = barrier(ready);
    expect(first).toEqual({
      type: "held",
      held: { rendering: "rendered-rt-new", since: formatTime(start), readySince: formatTime(start) },
      isSettling: true,
      againInMs: quietMs,
    });
    expect(barrier({ ...ready, pool: poolWith(ago(quietMs)) })).toEqual({ type: "open" });
    const other = barrier({ ...ready, pool: poolWith(ago(quietMs, { rendering: "rendered-rt-other" })) });
    expect(other).toMatchObject({ type: "held", againInMs: quietMs });
  });

  it("waits for the quiet time after the last of what was missing has come", () => {
    const held = ago(60_000, { waitsFor: "boot arguments of nodes", readySince: undefined });
    expect(barrier({ ...ready, pool: poolWith(held) })).toMatchObject({
      type: "held",
      held: { since: held.since, readySince: formatTime(start) },
      againInMs: quietMs,
    });
  });

  it("that the pool has already is not held", () => {
    expect(barrier({ ...ready, rendering: "rendered-rt-old", pool: poolWith(ago(1)) })).toEqual({ type: "open" });
  });

  const joined = { metadata: { name: "a", labels: { role: "rt" } } };
  const ofPool = { ...ready, rendering: "rendered-rt-old", untold: [joined] };
  const waiting = { boot: boot({ type: "waiting", nodes: ["a"] }) };

  it("that the pool has already waits for a node that joins, and has not reported", () => {
    const held = {
      rendering: "rendered-rt-old",
      since: formatTime(start),
      waitsFor: "boot arguments of nodes",
      nodes: ["a"],
    };
    expect(barrier({ ...ofPool, ...waiting })).toEqual({ type: "held", held, isSettling: false, againInMs: longestMs });
    expect(barrier({ ...ofPool, ...waiting, untold: [] })).toEqual({ type: "open" });
    expect(
      barrier({ ...ofPool, ...waiting, pool: poolWith({ ...held, since: formatTime(start - longestMs) }) }),
    ).toEqual({
      type: "open",
      held: { ...held, since: formatTime(start - longestMs), released: true },
    });
    expect(barrier(ofPool)).toEqual({ type: "open" });
  });

  it.each([
    ["the node had no labels", {}, "held"],
    ["the node was in another pool", { a: { role: "worker" } }, "held"],
    ["the node was in the pool", { a: { role: "rt" } }, "open"],
  ] as const)("when node tuning decided while %s: %s is %s", (_, labelsOf, type) => {
    const decided = { ...boot(), labelsOf: new Map<string, Record<string, string>>(Object.entries(labelsOf)) };
    expect(barrier({ ...ofPool, boot: decided })).toMatchObject({
      type,
      ...(type === "held" ? { held: { waitsFor: "the decision about boot arguments", nodes: ["a"] } } : {}),
    });
  });

  it.each([
    ["the operator has just started", { boot: undefined }, "the decision about boot arguments", undefined],
    [
      "a node has not reported",
      { boot: boot({ type: "waiting", nodes: ["a", "b"] }) },
      "boot arguments of nodes",
      ["a", "b"],
    ],
    [
      "no node has applied its profile",
      { boot: boot({ type: "unapplied" }) },
      "a node that has applied its profile",
      undefined,
    ],
    [
      "nodes disagree",
      {
        boot: boot({
          type: "conflict",
          values: new Map([
            ["x", ["b"]],
            ["y", ["a"]],
          ]),
        }),
      },
      "nodes that agree on boot arguments",
      ["a", "b"],
    ],
    [
      "its boot arguments are not written yet",
      { boot: boot({ type: "agreed", arguments: ["quiet"] }) },
      "MachineConfig 50-nto-rt",
      undefined,
    ],
    [
      "its boot arguments are older",
      {
        boot: boot({ type: "agreed", arguments: ["quiet"] }),
        sources: [machineConfig("50-nto-rt", undefined, ["loud"])],
      },
      "MachineConfig 50-nto-rt",
      undefined,
    ],
    [
      "its boot arguments are not deleted yet",
      { boot: boot(undefined, [], ["50-nto-rt"]), sources: [machineConfig("50-nto-rt")] },
      "MachineConfig 50-nto-rt",
      undefined,
    ],
    [
      "node tuning has not seen the Tuned of its MachineConfig",
      {
        boot: boot(undefined, [tuned("p/1")]),
        sources: [machineConfig("mc", "p/2")],
        kubeletConfigs: [kubeletConfig("p/2")],
      },
      "the objects of PerformanceProfile p",
      undefined,
    ],
    [
      "the MachineConfig of a Tuned is not written yet",
      { boot: boot(undefined, [tuned("p/1")]) },
      "the objects of PerformanceProfile p",
      undefined,
    ],
    [
      "the KubeletConfig is older",
      {
        boot: boot(undefined, [tuned("p/2")]),
        sources: [machineConfig("mc", "p/2")],
        kubeletConfigs: [kubeletConfig("p/1")],
      },
      "the objects of PerformanceProfile p",
      undefined,
    ],
    [
      "the files of a KubeletConfig are not made yet",
      { kubeletConfigs: [{ ...kubeletConfig("p/1"), metadata: { name: "mine", generation: 2 } }] },
      "the files of KubeletConfig mine",
      undefined,
    ],
    [
      "the event of the MachineConfig with these files has not come yet",
      { kubeletConfigs: [accepted] },
      "MachineConfig 99-rt-generated-kubelet",
      undefined,
    ],
    [
      "the MachineConfig with these files is that of an older generation",
      { kubeletConfigs: [accepted], sources: [generated("1", 1)] },
      "MachineConfig 99-rt-generated-kubelet",
      undefined,
    ],
    [
      "the MachineConfig with these files is that of a former KubeletConfig",
      { kubeletConfigs: [accepted], sources: [generated("0", 2)] },
      "MachineConfig 99-rt-generated-kubelet",
      undefined,
    ],
    [
      "the files of a KubeletConfig that is gone are left",
      { sources: [generated("1", 2)] },
      "MachineConfig 99-rt-generated-kubelet",
      undefined,
    ],
    [
      "only the KubeletConfig is left of a deleted profile",
      { kubeletConfigs: [kubeletConfig("p/1")] },
      "the objects of PerformanceProfile p",
      undefined,
    ],
  ] as const)("is held while %s, at most five minutes", (_, input, waitsFor, nodes) => {
    const long = { ...ready, ...input, pool: poolWith(ago(longestMs - 1000)) } as BarrierInput;
    expect(barrier(long)).toMatchObject({
      type: "held",
      held: { waitsFor, ...(nodes ? { nodes } : {}) },
      againInMs: 1000,
    });
    const late = barrier({ ...long, now: start + 1000 });
    expect(late).toMatchObject({ type: "open", held: { waitsFor, released: true } });
    if (!late.held) throw new Error("no reason");
    const released = { ...long, pool: poolWith(late.held, long.rendering) };
    expect(barrier(released), "the reason stays while it holds").toMatchObject({
      type: "open",
      held: { released: true },
    });
    expect(barrier({ ...ready, pool: released.pool })).toEqual({ type: "open" });
  });

  it("with all objects of a profile and its boot arguments is released", () => {
    const input = {
      ...ready,
      boot: boot({ type: "agreed", arguments: ["quiet"] }, [tuned("p/1")]),
      sources: [machineConfig("50-performance-p", "p/1"), machineConfig("50-nto-rt", undefined, ["quiet"])],
      kubeletConfigs: [kubeletConfig("p/1")],
      pool: poolWith(ago(quietMs)),
    };
    expect(barrier(input)).toEqual({ type: "open" });
  });

  it.each<[string, Partial<BarrierInput>]>([
    ["of this generation", { kubeletConfigs: [accepted], sources: [generated("1", 2)] }],
    [
      "of an earlier generation, if this one was refused",
      {
        kubeletConfigs: [{ ...accepted, status: { observedGeneration: 2, conditions: [] } }],
        sources: [generated("1", 1)],
      },
    ],
    ["of another pool", { kubeletConfigs: [{ ...accepted, spec: {} }] }],
  ])("with the files of a KubeletConfig %s is released", (_, input) => {
    expect(barrier({ ...ready, ...input, pool: poolWith(ago(quietMs)) })).toEqual({ type: "open" });
  });

  it("does not wait for the objects of another pool's profile", () => {
    const elsewhere = { ...tuned("q/1"), metadata: meta("elsewhere", "q/1") };
    expect(barrier({ ...ready, boot: boot(undefined, [elsewhere]), pool: poolWith(ago(quietMs)) })).toEqual({
      type: "open",
    });
  });

  it("waits from now on if the clock was set back", () => {
    const held = ago(-longestMs);
    expect(barrier({ ...ready, pool: poolWith(held) })).toMatchObject({ type: "held", againInMs: quietMs });
  });
});

describe("what is held", () => {
  it.each([
    "",
    "{",
    "[]",
    "null",
    "{}",
    '{"rendering":1,"since":"2026-01-01T00:00:00Z"}',
    '{"rendering":"r","since":"x"}',
  ])("is nothing where another client wrote %j", (text) => {
    expect(heldOf(poolWith(text))).toBeUndefined();
    expect(barrier({ ...ready, pool: poolWith(text) })).toMatchObject({ type: "held", againInMs: quietMs });
  });

  it("names ten of thousands of nodes", () => {
    const nodes = Array.from({ length: 5000 }, (_, index) => `node-${index}`);
    const text = heldText(ago(0, { nodes }));
    expect(text.length).toBeLessThan(1000);
    expect(describeHeld(heldOf(poolWith(text)) as Held)).toMatch(/: node-0, .*node-9, and 4990 more \(since /);
  });
});
