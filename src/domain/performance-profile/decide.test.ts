import { describe, expect, it } from "vitest";
import { findCondition } from "../../language/object/condition.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import type { MachineConfigPool } from "../machine-config/api.ts";
import type { Profile } from "../node-tuning/api.ts";
import type { PoolOutcome } from "../node-tuning/boot/boot-arguments.ts";
import { releasedSetsAnnotation, setOf } from "../rollout/derived-set.ts";
import { annotations, type PerformanceProfile, type PerformanceProfileSpec } from "./api.ts";
import { decideProfile, type DerivedKind, type ProfileDecision, type ProfileInput } from "./decide.ts";
import type { HoldInput } from "./other-operator/hold.ts";
import { profileStatus } from "./status.ts";
import { profileOf } from "./testing/facts.ts";
import { withoutPools } from "./without-pools.ts";

const role = "machineconfiguration.openshift.io/role";
const finalizer = "foreground-deletion";

const pool: MachineConfigPool = {
  apiVersion: "",
  kind: "MachineConfigPool",
  metadata: { name: "worker-cnf", labels: { [role]: "worker-cnf" } },
  spec: {
    nodeSelector: { matchLabels: { "node-role.kubernetes.io/worker-cnf": "" } },
    machineConfigSelector: { matchLabels: { [role]: "worker-cnf" } },
  },
};

function profile(spec: PerformanceProfileSpec = {}, said: Record<string, string> = {}): PerformanceProfile {
  const made = profileOf(spec, { annotations: said }) as PerformanceProfile;
  return { ...made, metadata: { ...made.metadata, uid: "u", generation: 1, finalizers: [finalizer] } };
}

const input = (more: Partial<ProfileInput> = {}): ProfileInput => ({
  profile: profile(),
  surroundings: {
    nodes: [],
    otherProfiles: [],
    pools: [pool],
    partitioning: "None",
    mixedCpusAllowed: false,
    foreignWorkloads: [],
  },
  observed: {},
  nodeProfiles: [],
  finalizer,
  ...more,
});

/** The objects of a decision as they exist after it. */
function observedAfter({ objects }: ProfileDecision): Partial<Record<DerivedKind, KubeObject>> {
  return Object.fromEntries(objects.map((object) => [object.kind, object]));
}

const objects = observedAfter(decideProfile(input()));
const set = setOf(objects.Tuned as KubeObject) ?? "";
const config = { name: "rendered-worker-cnf-1", source: [{ name: "50-performance-cnf" }] };

/** A pool whose nodes have the objects of the profile. */
function updated(more: Partial<NonNullable<MachineConfigPool["status"]>> = {}, spec: object = {}): MachineConfigPool {
  return {
    ...pool,
    metadata: { ...pool.metadata, annotations: { [releasedSetsAnnotation]: set } },
    spec: { ...pool.spec, configuration: config, ...spec },
    status: { configuration: config, ...more },
  };
}

const seen = { ...objects, KubeletConfig: { ...objects.KubeletConfig, status: {} } as unknown as KubeObject };
const inPool = (one: MachineConfigPool, more: Partial<ProfileInput> = {}): ProfileInput =>
  input({ surroundings: { ...input().surroundings, pools: [one] }, observed: seen, ...more });

function withoutAnyPool(): ProfileInput {
  const surroundings = { ...input().surroundings, pools: undefined };
  return input({ surroundings, observed: observedAfter(decideProfile(input({ surroundings }))) });
}

const condition = (type: string, status: "True" | "False", reason = "", message = ""): never =>
  ({ type, status, reason, message }) as never;

function nodeProfile(name: string, ...conditions: never[]): Profile {
  return {
    apiVersion: "",
    kind: "Profile",
    metadata: { name },
    spec: { config: { tunedProfile: "x" } },
    status: { tunedProfile: "x", conditions },
  };
}

describe("the state of a profile", () => {
  const applied = nodeProfile("a", condition("Applied", "True"), condition("Degraded", "False"));
  it.each<[string, ProfileInput, object]>([
    ["whose objects do not exist yet", input(), { type: "progressing", reason: "DeploymentStarting" }],
    ["that its pool has not rendered", inPool(pool), { type: "progressing", reason: "MCPUpdating" }],
    ["whose nodes have everything", inPool(updated(), { nodeProfiles: [applied] }), { type: "available" }],
    [
      "for an empty pool (weak point 4: nothing waits for nodes that do not exist)",
      inPool(updated()),
      { type: "available" },
    ],
    [
      "of a cluster without pools, which says what nodes lack",
      withoutAnyPool(),
      { type: "available", message: withoutPools },
    ],
    [
      "whose pool updates nodes (weak point 2)",
      inPool(updated({ configuration: { name: "rendered-worker-cnf-0" }, updatedMachineCount: 1, machineCount: 3 })),
      { type: "progressing", reason: "MCPUpdating", message: expect.stringContaining("1 of 3 nodes") as string },
    ],
    [
      "whose pool is paused",
      inPool(updated({ configuration: { name: "rendered-worker-cnf-0" } }, { paused: true })),
      { type: "progressing", reason: "MCPPaused" },
    ],
    [
      "whose nodes are being tuned",
      inPool(updated(), { nodeProfiles: [applied, nodeProfile("b", condition("Applied", "False"))] }),
      { type: "progressing", reason: "NodesBeingTuned", message: "waiting for node b to apply the profile" },
    ],
    [
      "whose KubeletConfig failed last",
      inPool(updated(), {
        observed: {
          ...objects,
          KubeletConfig: {
            ...objects.KubeletConfig,
            status: {
              conditions: [
                { type: "Failure", message: "new", lastTransitionTime: "2026-01-02T00:00:00Z" },
                { type: "Success", message: "old", lastTransitionTime: "2026-01-01T00:00:00Z" },
              ],
            },
          } as unknown as KubeObject,
        },
      }),
      { type: "degraded", reason: "KubeletConfigFailure", message: "KubeletConfig performance-cnf: new" },
    ],
    [
      "whose pool is degraded",
      inPool(updated({ conditions: [condition("RenderDegraded", "True", "RenderFailed", "bad file")] })),
      {
        type: "degraded",
        reason: "MCPDegraded",
        message: "MachineConfigPool worker-cnf: RenderDegraded: RenderFailed: bad file",
      },
    ],
    [
      "whose pool says that it is degraded without any text",
      inPool(updated({ conditions: [condition("NodeDegraded", "True")] })),
      { type: "available" },
    ],
    [
      "that a node cannot apply",
      inPool(updated(), {
        nodeProfiles: [
          nodeProfile("b", condition("Applied", "False"), condition("Degraded", "True", "X", "no such file")),
        ],
      }),
      { type: "degraded", reason: "TunedProfileDegraded", message: "node b: no such file" },
    ],
    [
      "that a node applied with warnings",
      inPool(updated(), {
        nodeProfiles: [nodeProfile("b", condition("Applied", "True"), condition("Degraded", "True"))],
      }),
      { type: "available" },
    ],
    [
      "with an annotation that is no JSON",
      input({ profile: profile({}, { [annotations.experimentalKubelet]: "{x" }) }),
      { type: "degraded", reason: "ComponentCreationFailed" },
    ],
    [
      "with OVS-DPDK on CPUs that nothing protects",
      input({ profile: profile({ cpu: { reserved: "0", isolated: "1-2", ovsDpdk: "3" } }) }),
      { type: "degraded", reason: "OvsDpdkCPUsPrerequisiteNotMet" },
    ],
    [
      "whose labels no pool selects",
      input({ profile: profile({ machineConfigLabel: { other: "label" } }) }),
      { type: "degraded", reason: "BadMachineConfigLabels" },
    ],
    [
      "whose MachineConfig belongs to another",
      input({ observed: { MachineConfig: ownedBy("other") } }),
      {
        type: "degraded",
        reason: "ComponentCreationFailed",
        message: expect.stringContaining("belongs to Other other") as string,
      },
    ],
  ])("%s", (_, given, state) => {
    expect(decideProfile(given).state).toMatchObject(state);
  });
});

function ownedBy(name: string): KubeObject {
  const owner = { apiVersion: "x/v1", kind: "Other", name, uid: name, controller: true };
  return { apiVersion: "", kind: "MachineConfig", metadata: { name: "50-performance-cnf", ownerReferences: [owner] } };
}

describe("the objects of a profile", () => {
  it("are four, and three of them a set", () => {
    expect(Object.keys(objects)).toEqual(["Tuned", "MachineConfig", "KubeletConfig", "RuntimeClass"]);
    expect(Object.values(objects).map(setOf)).toEqual([set, set, set, undefined]);
  });

  it("are not written while it is paused, and its state is still reported", () => {
    const { objects: written, state } = decideProfile(input({ profile: profile({}, { [annotations.pause]: "true" }) }));
    expect([written, state?.type]).toEqual([[], "progressing"]);
  });

  it("stay and are repaired when its nodes no longer suit it, but are not changed", () => {
    const nodes = ["amd64", "arm64"].map((architecture) => ({ name: architecture, architecture }));
    const mixed = { ...input().surroundings, nodes };
    const kept = decideProfile(input({ surroundings: mixed, observed: objects }));
    expect([kept.objects.length, kept.state?.type]).toEqual([4, "degraded"]);
    const edited = decideProfile(
      input({ surroundings: mixed, observed: objects, profile: profile({ numa: { topologyPolicy: "restricted" } }) }),
    );
    expect(edited.objects).toEqual([]);
  });

  it("include a RuntimeClass that is replaced if another client made it with another handler: it cannot be changed", () => {
    const other = { ...objects.RuntimeClass, handler: "runc" } as KubeObject;
    const { objects: written, prunes } = decideProfile(input({ observed: { ...objects, RuntimeClass: other } }));
    expect([written.map(({ kind }) => kind), prunes]).toEqual([["Tuned", "MachineConfig", "KubeletConfig"], [other]]);
  });

  it("adopt what was there before the cluster had an owner for it", () => {
    const found = { ...objects.MachineConfig, metadata: { name: "50-performance-cnf" } } as KubeObject;
    expect(decideProfile(input({ observed: { MachineConfig: found } })).objects).toHaveLength(4);
  });
});

describe("a deleted profile", () => {
  const deleted = { ...profile(), metadata: { ...profile().metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
  it("goes after its objects, but leaves those of others", () => {
    const both = { ...objects, MachineConfig: ownedBy("other") };
    const first = decideProfile(input({ profile: deleted, observed: both }));
    expect([first.finalizer, first.prunes.map(({ kind }) => kind)]).toEqual([
      "keep",
      ["Tuned", "KubeletConfig", "RuntimeClass"],
    ]);
    expect(decideProfile(input({ profile: deleted, observed: { MachineConfig: ownedBy("other") } })).finalizer).toBe(
      "remove",
    );
  });

  it("does not get its finalizer again (weak point 21)", () => {
    const gone = { ...deleted, metadata: { ...deleted.metadata, finalizers: [] } };
    expect(decideProfile(input({ profile: gone, observed: objects }))).toEqual({
      finalizer: "keep",
      objects: [],
      prunes: [],
    });
  });
});

describe("where another operator rolls out the pool", () => {
  const now = Date.parse("2026-01-01T00:00:30Z");
  const hold = (
    outcome?: PoolOutcome,
    tuned: KubeObject | null | undefined = objects.Tuned,
    words?: string[],
  ): HoldInput => ({
    now,
    machineConfigs: words
      ? [
          {
            apiVersion: "",
            kind: "MachineConfig",
            metadata: { name: "50-nto-worker-cnf", labels: { [role]: "worker-cnf" } },
            spec: { kernelArguments: words },
          },
        ]
      : [],
    boot: {
      tuneds: tuned ? [tuned] : [],
      poolsOf: new Map(),
      pools: outcome ? [{ pool: "worker-cnf", rule: {} as never, outcome }] : [],
      orphaned: [],
    },
  });
  const kindsWritten = (given: Partial<ProfileInput>): string[] =>
    decideProfile(input(given)).objects.map(({ kind }) => kind);
  const tunedAt = (time: string): KubeObject => ({
    ...(objects.Tuned as KubeObject),
    metadata: {
      ...objects.Tuned?.metadata,
      annotations: { ...objects.Tuned?.metadata.annotations, "rollout.attune.dev/derived-at": time },
    },
  });
  const all = ["Tuned", "MachineConfig", "KubeletConfig", "RuntimeClass"];
  const first = ["Tuned"];
  const observed = { Tuned: tunedAt("2026-01-01T00:00:00Z") };

  it.each<[string, Partial<ProfileInput>, string[]]>([
    ["the Tuned is written first", { hold: hold() }, first],
    [
      "a RuntimeClass that is there is repaired meanwhile",
      { hold: hold(undefined, null), observed: { ...observed, RuntimeClass: objects.RuntimeClass! } },
      ["Tuned", "RuntimeClass"],
    ],
    [
      "where there must be a node, the rest waits for the first, however long",
      {
        hold: { ...hold(), firstNode: { joined: undefined } },
        observed: { Tuned: tunedAt("2025-01-01T00:00:00Z") },
      },
      first,
    ],
    [
      "and then as long for what it reports",
      {
        hold: { ...hold({ type: "waiting", nodes: ["n"] }), firstNode: { joined: "2026-01-01T00:00:00Z" } },
        observed: { Tuned: tunedAt("2025-01-01T00:00:00Z") },
      },
      first,
    ],
    ["the rest waits until node tuning has seen it", { hold: hold(undefined, null), observed }, first],
    ["and until nodes have reported", { hold: hold({ type: "waiting", nodes: ["n"] }), observed }, first],
    [
      "and until their boot arguments are written",
      { hold: hold({ type: "agreed", arguments: ["a"] }), observed },
      first,
    ],
    ["then it is written", { hold: hold({ type: "agreed", arguments: ["a"] }, objects.Tuned, ["a"]), observed }, all],
    ["without boot arguments it is written at once", { hold: hold(), observed }, all],
    [
      "after five minutes it is written without those that are missing",
      { hold: hold({ type: "waiting", nodes: ["n"] }), observed: { Tuned: tunedAt("2025-12-31T23:55:30Z") } },
      all,
    ],
    [
      "what is there is repaired at any time",
      { hold: hold({ type: "waiting", nodes: ["n"] }), observed: objects },
      all,
    ],
  ])("%s", (_, given, kinds) => {
    expect(kindsWritten(given)).toEqual(kinds);
  });

  it("says what it waits for, and looks again when the time is over", () => {
    const { state, requeueAfterMs } = decideProfile(input({ hold: hold({ type: "waiting", nodes: ["n"] }), observed }));
    expect(state).toMatchObject({
      type: "progressing",
      reason: "WaitingForBootArguments",
      message: expect.stringContaining(": n,") as string,
    });
    expect(requeueAfterMs).toBe(270_000);
  });

  it("a deleted profile gives up its Tuned first", () => {
    const metadata = { ...profile().metadata, deletionTimestamp: "2026-01-01T00:00:00Z" };
    const deleted = { ...profile(), metadata };
    const pruned = (given: Partial<ProfileInput>): string[] =>
      decideProfile(input({ profile: deleted, ...given })).prunes.map(({ kind }) => kind);
    const { Tuned: _, ...rest } = objects;
    expect(pruned({ hold: hold(), observed: objects })).toEqual(["Tuned", "RuntimeClass"]);
    expect(pruned({ hold: hold({ type: "waiting", nodes: ["n"] }), observed: rest })).toEqual(["RuntimeClass"]);
    const none = { ...hold(), boot: { ...hold().boot, tuneds: [] } as never };
    expect(pruned({ hold: none, observed: rest })).toEqual(["MachineConfig", "KubeletConfig", "RuntimeClass"]);
  });
});

describe("the status of a profile", () => {
  const status = (
    state: Parameters<typeof profileStatus>[1],
    before?: PerformanceProfile["status"],
    now = "2026-01-01T00:00:00Z",
  ): NonNullable<PerformanceProfile["status"]> =>
    profileStatus({ ...profile(), ...(before ? { status: before } : {}) }, state, now);

  it.each([
    [{ type: "available" }, ["True", "True", "False", "False"]],
    [{ type: "progressing", reason: "R", message: "m" }, ["False", "False", "True", "False"]],
    [{ type: "degraded", reason: "R", message: "m" }, ["False", "False", "False", "True"]],
  ] as const)("has four conditions: %j", (state, expected) => {
    const { conditions = [] } = status(state);
    expect(conditions.map(({ type }) => type)).toEqual(["Available", "Upgradeable", "Progressing", "Degraded"]);
    expect(conditions.map((one) => one.status)).toEqual(expected);
  });

  it("says on Available what nodes lack", () => {
    const { conditions } = status({ type: "available", message: "m" });
    expect(conditions?.map(({ message }) => message)).toEqual(["m", "", "", ""]);
  });

  it("keeps the time of conditions whose status stays (weak point 20)", () => {
    const before = status({ type: "degraded", reason: "R", message: "m" });
    const after = status({ type: "progressing", reason: "S", message: "n" }, before, "2026-01-02T00:00:00Z");
    expect(findCondition(after.conditions, "Available")?.lastTransitionTime).toBe("2026-01-01T00:00:00Z");
    expect(findCondition(after.conditions, "Degraded")?.lastTransitionTime).toBe("2026-01-02T00:00:00Z");
  });

  it("does not ask again for a field that the CRD of OpenShift drops", () => {
    const { observedGeneration: _, ...dropped } = status({ type: "available" });
    expect(status({ type: "available" }, dropped)).toEqual(dropped);
  });
});
