import { expect, test } from "vitest";
import type { PerformanceProfile } from "./api.ts";
import { profilesOfNode } from "./of-node.ts";

function profile(name: string, role: string, conditions?: readonly (readonly [string, string, string])[]) {
  return {
    apiVersion: "performance.openshift.io/v2",
    kind: "PerformanceProfile",
    metadata: { name },
    spec: { nodeSelector: { [role]: "" } },
    ...(conditions
      ? {
          status: { conditions: conditions.map(([type, status, message]) => ({ type, status, reason: "R", message })) },
        }
      : {}),
  } as unknown as PerformanceProfile;
}

const quiet = [
  ["Available", "False", ""],
  ["Upgradeable", "False", ""],
] as const;

test("the profiles of a node are those whose selector it matches, each with the condition that says where it is", () => {
  const deleted = profile("e", "rt");
  const profiles = [
    profile("b", "rt", [...quiet, ["Progressing", "True", "0 of 1 nodes"], ["Degraded", "False", ""]]),
    profile("a", "rt", [
      ["Available", "True", ""],
      ["Upgradeable", "True", ""],
    ]),
    profile("c", "rt", [...quiet, ["Degraded", "True", "no pool"]]),
    profile("d", "rt"),
    { ...deleted, metadata: { ...deleted.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } },
    profile("other", "another"),
    { ...profile("nothing", "rt"), spec: {} } as PerformanceProfile,
  ];
  expect(profilesOfNode({ rt: "" }, profiles)).toEqual([
    { name: "a", state: "available", reason: "R", message: "" },
    { name: "b", state: "progressing", reason: "R", message: "0 of 1 nodes" },
    { name: "c", state: "degraded", reason: "R", message: "no pool" },
    { name: "d", state: "unknown", reason: "", message: "the operator has not reported on it" },
    { name: "e", state: "being deleted", reason: "", message: "" },
  ]);
  expect(profilesOfNode({}, profiles)).toEqual([]);
});
