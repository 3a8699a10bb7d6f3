import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { PerformanceProfile, PerformanceProfileSpec } from "../../src/domain/performance-profile/api.ts";
import { decideProfile, type DerivedKind, type ProfileInput } from "../../src/domain/performance-profile/decide.ts";
import { profileStatus } from "../../src/domain/performance-profile/status.ts";
import { profileOf } from "../../src/domain/performance-profile/testing/facts.ts";
import type { MachineConfigPool } from "../../src/domain/machine-config/api.ts";
import type { Profile } from "../../src/domain/node-tuning/api.ts";
import { releasedSetsAnnotation, setOf } from "../../src/domain/rollout/derived-set.ts";
import type { Condition } from "../../src/language/object/condition.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { readYaml } from "../../src/language/object/yaml.ts";

type NodeState = "silent" | "applied" | "behind" | "degraded";

interface Step {
  readonly nodes: Readonly<Record<string, NodeState>>;
  readonly objects?: "none" | "another handler" | "no RuntimeClass";
  readonly status: string;
}

interface Recorded {
  readonly ids: readonly string[];
  readonly profile?: {
    readonly annotations?: Record<string, string>;
    readonly spec?: PerformanceProfileSpec;
    readonly partitioning?: "AllNodes";
    readonly shared?: string;
    readonly other?: string;
    readonly status?: readonly Condition[];
  };
  readonly steps: readonly Step[];
}

/** Where Attune differs on purpose: `docs/performance-profile-parity.md` says why. */
const differences: Readonly<Record<string, readonly string[]>> = {
  // Weak point 2: the state between the objects and the nodes was not shown.
  none: ["NodesBeingTuned", "Available"],
  "op-pp-no-nodes": ["Available"],
  "op-pp-degraded-before-ready": ["TunedProfileDegraded"],
  "op-ppl-changed": ["Available", "NodesBeingTuned", "Available"],
  "op-ppl-renamed": ["Available", "NodesBeingTuned", "Available"],
  "op-ppl-operator-restart-new-release": ["Available", "NodesBeingTuned", "Available"],
  "op-pp-paused": ["Paused"],
  // Invalid profiles are refused, and say so.
  "op-pp-overlap": ["ComponentCreationFailed"],
  "op-pp-no-nodeselector": ["ComponentCreationFailed"],
  "op-pp-no-cpu": ["ComponentCreationFailed"],
  "op-ppl-becomes-invalid": ["ComponentCreationFailed"],
  "op-pp-two-configmaps-one-pool": ["ComponentCreationFailed"],
  // What belongs to others does not count.
  "op-pp-degraded-node-other-pool": ["Available", "Available"],
  "op-ppl-foreign-tuning-undecodable": ["Available"],
  "op-pools-one-invalid": ["Available"],
  // A status that others changed is written again, and an object that cannot be changed is replaced.
  "op-ppl-status-edited": ["Available"],
  "op-ppl-status-not-yaml": ["Available"],
  "op-ppl-runtimeclass-edited": ["Available"],
  "op-ppl-runtimeclass-deleted": ["DeploymentStarting"],
};

const role = "machineconfiguration.openshift.io/role";
const rendered = { name: "rendered-worker-cnf-1" };

function poolWith(set: string): MachineConfigPool {
  return {
    apiVersion: "",
    kind: "MachineConfigPool",
    metadata: { name: "worker-cnf", labels: { [role]: "worker-cnf" }, annotations: { [releasedSetsAnnotation]: set } },
    spec: {
      nodeSelector: { matchLabels: { "node-role.kubernetes.io/worker-cnf": "" } },
      machineConfigSelector: { matchLabels: { [role]: "worker-cnf" } },
      configuration: rendered,
    },
    status: { configuration: rendered },
  };
}

function nodeProfile(name: string, state: NodeState): Profile {
  const condition = (type: string, status: "True" | "False"): Condition => ({
    type,
    status,
    reason: "",
    message: "bad",
  });
  const isDegraded = state === "degraded";
  return {
    apiVersion: "",
    kind: "Profile",
    metadata: { name, generation: 2 },
    spec: { config: { tunedProfile: "x" } },
    ...(state === "silent"
      ? {}
      : {
          status: {
            tunedProfile: "x",
            observedGeneration: state === "behind" ? 1 : 2,
            conditions: [
              condition("Applied", isDegraded ? "False" : "True"),
              condition("Degraded", isDegraded ? "True" : "False"),
            ],
          },
        }),
  };
}

/** The status that Attune writes: `Available`, or the reason of what is true instead. */
function statusOf({ profile: given = {} }: Recorded, { nodes, objects }: Step): string {
  const made = profileOf(given.spec, { name: "perf", annotations: given.annotations ?? {} }) as PerformanceProfile;
  const others = [given.other, given.shared].filter((name) => name !== undefined);
  const profile: PerformanceProfile = {
    ...made,
    metadata: { ...made.metadata, uid: "u", generation: 1, finalizers: ["f"] },
    ...(given.status ? { status: { conditions: [...given.status] } } : {}),
  };
  const input = (pool: MachineConfigPool, observed: ProfileInput["observed"]): ProfileInput => ({
    profile,
    surroundings: {
      nodes: [],
      otherProfiles: others.map((name) => ({
        name,
        nodeSelector: name === given.shared ? (profile.spec?.nodeSelector ?? {}) : { another: "" },
        ...(name === given.shared ? { sharedNodes: ["own"] } : {}),
      })),
      pools: [pool],
      partitioning: given.partitioning ?? "None",
      mixedCpusAllowed: false,
      foreignWorkloads: [],
    },
    observed,
    // The controller gives those of nodes that the profile selects.
    nodeProfiles: nodes["own"] ? [nodeProfile("own", nodes["own"])] : [],
    finalizer: "f",
  });
  const derived = decideProfile(input(poolWith(""), {})).objects;
  const tuned = derived.find(({ kind }) => kind === "Tuned");
  const pool = poolWith((tuned && setOf(tuned)) ?? "");
  const there = new Map(derived.map((object): [string, KubeObject] => [object.kind, { ...object, status: {} }]));
  const runtimeClass = there.get("RuntimeClass");
  if (objects === "another handler" && runtimeClass) there.set("RuntimeClass", { ...runtimeClass, handler: "x" });
  if (objects === "no RuntimeClass") there.delete("RuntimeClass");
  if (objects === "none") there.clear();
  const observed = Object.fromEntries(there) as Partial<Record<DerivedKind, KubeObject>>;
  const { state } = decideProfile(input(pool, observed));
  if (!state) return "none";
  const { conditions = [] } = profileStatus(profile, state, "2026-01-01T00:00:00Z");
  const found = conditions.find(({ type, status }) => status === "True" && type !== "Upgradeable");
  return found?.type === "Available" ? "Available" : (found?.reason ?? "");
}

const file = new URL("../fixtures/performance-profile/status.yaml", import.meta.url);
const cases = (readYaml(readFileSync(file, "utf8")) as Recorded[]).flatMap((one) =>
  one.ids.map((id) => [id, one] as const),
);

test("all recorded cases are there", () => {
  expect(cases).toHaveLength(41);
  expect(new Set(cases.map(([id]) => id)).size).toBe(41);
});

test.each(cases)("the status of a profile is as recorded, or differs on purpose: %s", (id, one) => {
  const recorded = one.steps.map(({ status }) => status);
  const isUsual = recorded[0] === "none" && recorded[1] === "Available";
  const expected = differences[id] ?? (isUsual ? differences["none"] : recorded);
  expect(one.steps.map((step) => statusOf(one, step))).toEqual(expected);
});

test("no difference is listed that there is not", () => {
  const same = cases.filter(
    ([id, one]) => JSON.stringify(differences[id]) === JSON.stringify(one.steps.map(({ status }) => status)),
  );
  expect(same.map(([id]) => id)).toEqual([]);
});
