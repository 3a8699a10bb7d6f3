import { describe, expect, it } from "vitest";
import type { MachineConfig, MachineConfigPool } from "../../machine-config/api.ts";
import type { Tuned } from "../../node-tuning/api.ts";
import type { BootDecision } from "../../node-tuning/boot/boot-decision.ts";
import { derivedSetAnnotation } from "../../rollout/derived-set.ts";
import {
  isRendered,
  mayPauseAnnotation,
  pausedForAnnotation,
  pausedSinceAnnotation,
  pausePatch,
  pauses,
  resume,
} from "./pause.ts";

const role = (name: string): Record<string, string> => ({ role: name });
const at = (seconds: number): number => Date.parse("2026-01-01T00:00:00Z") + seconds * 1000;

function pool(
  name: string,
  roles: string[],
  more: { paused?: boolean; for?: string; since?: string; mayPause?: string } = {},
): MachineConfigPool {
  const annotations = {
    [mayPauseAnnotation]: more.mayPause ?? "true",
    ...(more.for === undefined ? {} : { [pausedForAnnotation]: more.for }),
    ...(more.since === undefined ? {} : { [pausedSinceAnnotation]: more.since }),
  };
  return {
    apiVersion: "",
    kind: "MachineConfigPool",
    metadata: { name, resourceVersion: "7", annotations, labels: role(name) },
    spec: {
      machineConfigSelector: { matchExpressions: [{ key: "role", operator: "In", values: roles }] },
      ...(more.paused === undefined ? {} : { paused: more.paused }),
    },
  };
}

describe("pools are paused before the objects of a profile change (machine-config W-20)", () => {
  const next = { set: "p/2", labels: role("worker") };
  const change = { profile: "p", next, isChanging: true };
  it.each<[string, MachineConfigPool[], Parameters<typeof pauses>[1], string[]]>([
    [
      "each pool that selects its MachineConfig",
      [pool("worker", ["worker"]), pool("rt", ["worker", "rt"]), pool("x", ["x"])],
      change,
      ["worker p/2", "rt p/2"],
    ],
    ["not one whose owner does not let it", [pool("worker", ["worker"], { mayPause: "false" })], change, []],
    ["not one that a user has paused", [pool("worker", ["worker"], { paused: true })], change, []],
    ["not one that is paused for it", [pool("worker", ["worker"], { paused: true, for: "p/2" })], change, []],
    [
      "one that is paused for an older change waits for the newer",
      [pool("worker", ["worker"], { paused: true, for: "p/1" })],
      change,
      ["worker p/2"],
    ],
    [
      "also if nothing has to be written any more",
      [pool("worker", ["worker"], { paused: true, for: "p/1" })],
      { ...change, isChanging: false },
      ["worker p/2"],
    ],
    [
      "not for another profile that is at rest",
      [pool("worker", ["worker"], { paused: true, for: "q/1" })],
      { ...change, isChanging: false },
      [],
    ],
    ["none without a change", [pool("worker", ["worker"])], { ...change, isChanging: false }, []],
    [
      "a pool that loses the MachineConfig waits until it is gone",
      [pool("worker", ["worker"]), pool("x", ["x"])],
      { ...change, labels: role("x") },
      ["worker p/2", "x p/"],
    ],
    [
      "a deletion too",
      [pool("worker", ["worker"])],
      { profile: "p", labels: role("worker"), isChanging: true },
      ["worker p/"],
    ],
  ])("%s", (_, pools, given, expected) => {
    expect(pauses(pools, given).map((one) => `${one.pool.metadata.name} ${one.set}`)).toEqual(expected);
  });

  it("a pool that a user resumed is not paused again for the same change", () => {
    const resumed = pool("worker", ["worker"], { paused: false, for: "p/1", since: "2026-01-01T00:00:00Z" });
    expect(pausePatch({ pool: resumed, set: "p/2" }, at(60))).toEqual({
      metadata: {
        resourceVersion: "7",
        annotations: { [pausedForAnnotation]: "p/2", [pausedSinceAnnotation]: "2026-01-01T00:00:00Z" },
      },
    });
  });
});

describe("a paused pool is resumed", () => {
  const marked = (kind: string, set: string): MachineConfig => ({
    apiVersion: "",
    kind,
    metadata: { name: kind, generation: 1, labels: role("worker"), annotations: { [derivedSetAnnotation]: set } },
  });
  const boot = (set?: string): BootDecision => ({
    tuneds: set === undefined ? [] : [marked("Tuned", set) as Tuned],
    poolsOf: new Map([["Tuned", ["worker"]]]),
    pools: [],
    orphaned: [],
  });
  const kubelet = (set: string): object => ({
    ...marked("KubeletConfig", set),
    spec: { machineConfigPoolSelector: { matchLabels: role("worker") } },
    status: { observedGeneration: 1 },
  });
  const decided = (
    waits: string | undefined,
    sets: readonly (string | undefined)[],
    now = at(10),
  ): string | undefined => {
    const [tuned, config, kubeletSet] = sets;
    const since = "2026-01-01T00:00:00Z";
    return resume({
      pool: pool("worker", ["worker"], waits === undefined ? {} : { paused: true, for: waits, since }),
      sources: config === undefined ? [] : [marked("MachineConfig", config)],
      kubeletConfigs: kubeletSet === undefined ? [] : [kubelet(kubeletSet) as never],
      boot: boot(tuned),
      now,
    })?.type;
  };
  it.each<[string, string | undefined, (string | undefined)[], number, string | undefined]>([
    ["never, if it was not paused", undefined, ["p/1", "p/1", "p/1"], 10, undefined],
    ["not before the first object is written", "p/2", ["p/1", "p/1", "p/1"], 10, "wait"],
    ["not in the middle", "p/2", ["p/2", "p/2", "p/1"], 10, "wait"],
    ["when all are written and rendered", "p/2", ["p/2", "p/2", "p/2"], 10, "when rendered"],
    ["not before a deletion begins", "p/", ["p/1", "p/1", "p/1"], 10, "wait"],
    ["not in the middle of a deletion", "p/", [undefined, undefined, "p/1"], 10, "wait"],
    ["after a deletion", "p/", [undefined, undefined, undefined], 10, "when rendered"],
    ["after ten minutes in any case", "p/2", ["p/1", "p/1", "p/1"], 600, "now"],
    ["after a clock was set back far", "p/2", ["p/1", "p/1", "p/1"], -301, "now"],
    ["not after one was set back a little", "p/2", ["p/1", "p/1", "p/1"], -3, "wait"],
  ])("%s", (_, waits, sets, seconds, expected) => {
    expect(decided(waits, sets, at(seconds))).toBe(expected);
  });

  it("a text that is no time ends the pause", () => {
    const broken = pool("worker", ["worker"], { paused: true, for: "p/2", since: "soon" });
    expect(resume({ pool: broken, sources: [], kubeletConfigs: [], boot: boot(), now: at(0) })).toEqual({
      type: "now",
    });
  });

  it("what is rendered is compared by content, and the images of the other operator do not count", () => {
    const config = (name: string, spec: MachineConfig["spec"]): MachineConfig => ({
      apiVersion: "",
      kind: "MachineConfig",
      metadata: { name, labels: role("worker") },
      spec: spec ?? {},
    });
    const file = (source: string): object => ({
      ignition: { version: "3.2.0" },
      storage: { files: [{ path: "/etc/a", mode: 0o644, contents: { source } }] },
    });
    const sources = [config("50", { kernelArguments: ["a"] }), config("99", { config: file("data:,x%20y") })];
    const rendered = (text: string, words: string[]): MachineConfig =>
      config("rendered", { kernelArguments: words, osImageURL: "other", config: file(`data:;base64,${btoa(text)}`) });
    const of = pool("worker", ["worker"]);
    expect(isRendered(of, sources, rendered("x y", ["a"]))).toBe(true);
    expect(isRendered(of, sources, rendered("x", ["a"]))).toBe(false);
    expect(isRendered(of, sources, rendered("x y", []))).toBe(false);
    expect(isRendered(of, [...sources, config("98", { kernelArguments: ["b"] })], rendered("x y", ["a"]))).toBe(false);
  });
});
