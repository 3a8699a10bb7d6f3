import { describe, expect, it } from "vitest";
import { formatTime } from "../../language/object/time.ts";
import type { KubeletConfig, MachineConfig, MachineConfigPool } from "../machine-config/api.ts";
import type { Tuned } from "../node-tuning/api.ts";
import type { PoolOutcome } from "../node-tuning/boot/boot-arguments.ts";
import { barrier } from "./barrier.ts";
import { derivedSetAnnotation } from "./derived-set.ts";
import { heldAnnotation, heldText } from "./held.ts";

/**
 * All states in which an operator may be killed while it carries out one change of a profile: every object as before or
 * after it, in every combination. Node tuning sees a Tuned only after it was written, and nodes report only after that.
 */
interface Stored {
  readonly tuned: Version;
  readonly machineConfig: Version;
  readonly kubeletConfig: Version;
  readonly bootArguments: Version;
  readonly reported: boolean;
}
type Version = "before" | "after";

const versions: readonly Version[] = ["before", "after"];
const states = versions.flatMap((tuned) =>
  versions.flatMap((machineConfig) =>
    versions.flatMap((kubeletConfig) =>
      versions.flatMap((bootArguments) =>
        [false, true].map((reported): Stored => ({ tuned, machineConfig, kubeletConfig, bootArguments, reported })),
      ),
    ),
  ),
);

const role = { role: "rt" };
const meta = (name: string, set: string): { name: string; annotations: Record<string, string> } => ({
  name,
  annotations: { [derivedSetAnnotation]: set },
});

/** The sets and boot arguments of each version; none: the profile does not exist. */
type Sides = Readonly<Record<Version, { readonly set: string; readonly words: string[] } | undefined>>;

function opensIn(stored: Stored, sides: Sides): boolean {
  const [tuned, config, kubelet, boot] = [
    stored.tuned,
    stored.machineConfig,
    stored.kubeletConfig,
    stored.bootArguments,
  ].map((version) => sides[version]);
  const tuneds: Tuned[] = tuned ? [{ apiVersion: "", kind: "Tuned", metadata: meta("t", tuned.set) }] : [];
  const outcome: PoolOutcome | undefined = !tuned
    ? undefined
    : stored.reported
      ? { type: "agreed", arguments: tuned.words }
      : { type: "waiting", nodes: ["n"] };
  const sources: MachineConfig[] = [
    ...(config ? [{ apiVersion: "", kind: "MachineConfig", metadata: meta("50-performance-p", config.set) }] : []),
    ...(boot
      ? [
          {
            apiVersion: "",
            kind: "MachineConfig",
            metadata: { name: "50-nto-rt" },
            spec: { kernelArguments: boot.words },
          },
        ]
      : []),
  ];
  const kubeletConfigs: KubeletConfig[] = kubelet
    ? [
        {
          apiVersion: "",
          kind: "KubeletConfig",
          metadata: meta("performance-p", kubelet.set),
          spec: { machineConfigPoolSelector: { matchLabels: role } },
        },
      ]
    : [];
  // It has waited long enough, but not for the longest time.
  const now = Date.parse("2026-01-01T00:02:00Z");
  const since = formatTime(now - 60_000);
  const held = heldText({ rendering: "new", since, readySince: since });
  const pool: MachineConfigPool = {
    apiVersion: "",
    kind: "MachineConfigPool",
    metadata: { name: "rt", labels: role, annotations: { [heldAnnotation]: held } },
    spec: { configuration: { name: "old" } },
  };
  const orphaned = boot && !tuned ? ["50-nto-rt"] : [];
  const pools = outcome ? [{ pool: "rt", rule: {} as never, outcome }] : [];
  const decision = { tuneds, poolsOf: new Map([["t", ["rt"]]]), pools, orphaned };
  return barrier({ pool, rendering: "new", sources, kubeletConfigs, boot: decision, untold: [], now }).type === "open";
}

const one = { set: "p/1", words: ["a"] };
const two = { set: "p/2", words: ["b"] };

describe("wherever an operator is killed, no rendering with half of a change is released (machine-config W-20)", () => {
  it.each<[string, Sides]>([
    ["creation", { before: undefined, after: one }],
    ["edit", { before: one, after: two }],
    ["deletion", { before: two, after: undefined }],
  ])("%s", (_, sides) => {
    const released = states.filter((stored) => opensIn(stored, sides));
    const isWhole = ({ tuned, machineConfig, kubeletConfig, bootArguments }: Stored): boolean =>
      new Set([tuned, machineConfig, kubeletConfig, bootArguments]).size === 1;
    expect(released.filter((stored) => !isWhole(stored))).toEqual([]);
    expect(released.some(({ tuned }) => tuned === "after")).toBe(true);
    expect(released.filter(({ tuned, reported }) => sides[tuned] && !reported)).toEqual([]);
  });
});
