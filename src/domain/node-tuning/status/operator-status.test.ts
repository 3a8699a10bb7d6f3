import { describe, expect, test } from "vitest";
import type { Condition } from "../../../language/object/condition.ts";
import { type AgentDaemonSet, isProgressing, stableAnnotation } from "../agent-daemon-set.ts";
import { apiVersion, type Profile } from "../api.ts";
import { operatorStatus, type OperatorStatusInput, statusDueAt } from "./operator-status.ts";

const now = "2026-01-01T12:00:00Z";

function agents(status: AgentDaemonSet["status"] = {}, { generation = 2, stable = "2" } = {}): AgentDaemonSet {
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "tuned", generation, annotations: { [stableAnnotation]: stable } },
    status: {
      observedGeneration: generation,
      desiredNumberScheduled: 2,
      updatedNumberScheduled: 2,
      numberAvailable: 2,
      ...status,
    },
  };
}

function profile(name: string, applied: string, degraded = "False", tunedProfile = "p"): Profile {
  const condition = (type: string, status: string): Condition => ({
    type,
    status: status as "True",
    reason: "",
    message: "",
  });
  return {
    apiVersion,
    kind: "Profile",
    metadata: { name },
    spec: { config: { tunedProfile: "p" } },
    status: { tunedProfile, conditions: [condition("Applied", applied), condition("Degraded", degraded)] },
  };
}

function conditions(more: Partial<OperatorStatusInput>): Record<string, string> {
  const status = operatorStatus(input(more));
  return Object.fromEntries((status.conditions ?? []).map(({ type, status, reason }) => [type, `${status} ${reason}`]));
}

const fine = { Available: "True AsExpected", Progressing: "False AsExpected", Degraded: "False AsExpected" };
const conflict = { pool: "worker", rule: {} as never, outcome: { type: "conflict", values: new Map() } } as const;

describe("the status of the operator", () => {
  test.each<[string, Partial<OperatorStatusInput>, Partial<Record<keyof typeof fine, string>>]>([
    ["all is well", {}, {}],
    ["no agent is available", { daemonSet: agents({ numberAvailable: 0 }) }, { Available: "False TunedUnavailable" }],
    ["a Profile is not applied", { profiles: [profile("n", "False")] }, { Available: "True ProfileProgressing" }],
    [
      "a Profile is applied, but an earlier one",
      { profiles: [profile("n", "True", "False", "q")] },
      { Available: "True ProfileProgressing" },
    ],
    [
      "a Profile has no status",
      { profiles: [{ ...profile("n", ""), status: undefined }] },
      { Available: "True ProfileProgressing" },
    ],
    [
      "one is degraded, another not applied (Q-3)",
      { profiles: [profile("a", "True", "True"), profile("b", "False")] },
      { Available: "True ProfileDegraded" },
    ],
    [
      "a rule names a profile that does not exist",
      { withoutTheirRule: [{ node: "n", because: "Tuned t recommend[0].profile: no such profile" }] },
      { Available: "True ProfileDegraded" },
    ],
    [
      "agents are rolled out",
      { daemonSet: agents({ updatedNumberScheduled: 1 }, { stable: "1" }) },
      { Progressing: "True Reconciling" },
    ],
    ["a node joins after a roll-out", { daemonSet: agents({ updatedNumberScheduled: 1, numberUnavailable: 1 }) }, {}],
    ["boot arguments disagree", { pools: [conflict] }, { Degraded: "True ProfileConflict" }],
    ["labels select several pools", { pools: [conflict], acrossPools: ["r"] }, { Degraded: "True MCLabelsAcrossMCPs" }],
  ])("%s", (_, more, expected) => {
    expect(conditions(more)).toEqual({ ...fine, ...expected });
  });

  test.each(["Unmanaged", "Removed"] as const)("in state %s nothing is wrong", (managementState) => {
    const all = `True ${managementState}`;
    expect(conditions({ managementState, daemonSet: undefined, profiles: [profile("n", "False", "True")] })).toEqual({
      Available: all,
      Progressing: `False ${managementState}`,
      Degraded: `False ${managementState}`,
    });
  });

  test("without a DaemonSet says that the agents are being created, or keeps the last conditions", () => {
    const begun = conditions({ daemonSet: undefined });
    expect(begun).toEqual({
      Available: "False TunedUnavailable",
      Progressing: "True Reconciling",
      Degraded: "False Reconciling",
    });
    const before = operatorStatus({ ...input({}), before: {} });
    expect(conditions({ daemonSet: undefined, before })).toEqual(fine);
  });

  test("is degraded after two hours without an agent, and says when that will be", () => {
    const unavailable = { daemonSet: agents({ numberAvailable: 0 }) };
    const before = operatorStatus(input(unavailable));
    expect(statusDueAt(before)).toBe(Date.parse("2026-01-01T14:00:00Z"));
    expect(conditions({ ...unavailable, before, now: "2026-01-01T14:00:00Z" })).toMatchObject({
      Degraded: "False AsExpected",
    });
    const late = conditions({ ...unavailable, before, now: "2026-01-01T14:00:01Z" });
    expect(late).toMatchObject({ Available: "False TunedUnavailable", Degraded: "True TunedUnavailable" });
  });

  test("has the versions that run, once they do", () => {
    const versions = (daemonSet: AgentDaemonSet): unknown =>
      operatorStatus(input({ daemonSet, release: "4.22" })).versions;
    expect(versions(agents())).toEqual([
      { name: "operator", version: "4.22" },
      { name: "ocp-tuned", version: "4.22" },
    ]);
    expect(versions(agents({ updatedNumberScheduled: 0 }, { stable: "1" }))).toEqual([
      { name: "operator", version: "4.22" },
    ]);
  });
});

function input(more: Partial<OperatorStatusInput>): OperatorStatusInput {
  return {
    managementState: "Managed",
    daemonSet: agents(),
    profiles: [profile("n1", "True")],
    pools: [],
    withoutTheirRule: [],
    acrossPools: [],
    release: "",
    namespace: "ns",
    before: {},
    now,
    ...more,
  };
}

test.each<[string, AgentDaemonSet, boolean]>([
  ["all were there once", agents({ numberUnavailable: 2 }), false],
  ["the controller has not seen it", agents({ observedGeneration: 1 }, { stable: "1" }), true],
  ["some are old", agents({ updatedNumberScheduled: 1 }, { stable: "1" }), true],
  ["some are not available", agents({ numberUnavailable: 1 }, { stable: "1" }), true],
  ["all are there for the first time", agents({}, { stable: "1" }), false],
])("agents of which %s: a roll-out is going on: %j", (_, daemonSet, expected) => {
  expect(isProgressing(daemonSet)).toBe(expected);
});
