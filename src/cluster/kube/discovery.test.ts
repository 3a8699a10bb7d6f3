import { describe, expect, test } from "vitest";
import { apiErrorFromStatus } from "./api-error.ts";
import { Discovery } from "./discovery.ts";

const documents: Record<string, unknown> = {
  "/apis": {
    groups: [
      { name: "apps", versions: [{ groupVersion: "apps/v1" }], preferredVersion: { groupVersion: "apps/v1" } },
      {
        name: "tuned.openshift.io",
        versions: [{ groupVersion: "tuned.openshift.io/v2" }, { groupVersion: "tuned.openshift.io/v1" }],
        preferredVersion: { groupVersion: "tuned.openshift.io/v1" },
      },
      { name: "other.io", versions: [{ groupVersion: "other.io/v1" }] },
    ],
  },
  "/api/v1": {
    resources: [
      { name: "nodes", singularName: "node", namespaced: false, kind: "Node", verbs: ["get"], shortNames: ["no"] },
      { name: "nodes/status", singularName: "", namespaced: false, kind: "Node", verbs: ["get"] },
    ],
  },
  "/apis/apps/v1": {
    resources: [
      { name: "daemonsets", singularName: "daemonset", namespaced: true, kind: "DaemonSet", shortNames: ["ds"] },
    ],
  },
  "/apis/tuned.openshift.io/v1": { resources: [{ name: "tuneds", singularName: "", namespaced: true, kind: "Tuned" }] },
  "/apis/tuned.openshift.io/v2": {
    resources: [{ name: "tuneds", singularName: "tuned", namespaced: true, kind: "Tuned" }],
  },
  "/apis/other.io/v1": {
    resources: [{ name: "tuneds", singularName: "tuned", namespaced: false, kind: "Tuned", shortNames: ["nodes"] }],
  },
};

function discovering(answers: Record<string, unknown> = { ...documents }) {
  const asked: string[] = [];
  const raw = async (_method: string, path: string): Promise<unknown> => {
    asked.push(path);
    const document = answers[path];
    if (document instanceof Error) throw document;
    if (document === undefined) throw apiErrorFromStatus({ kind: "Status", code: 404, reason: "NotFound" });
    return document;
  };
  return { discovery: new Discovery({ raw }), asked, answers };
}

test.each([
  ["v1", "Node", { plural: "nodes", namespaced: false, subresources: ["status"], shortNames: ["no"] }],
  ["apps/v1", "DaemonSet", { plural: "daemonsets", namespaced: true, subresources: [] }],
  ["apps/v1", "Node", undefined],
  ["nowhere/v1", "Node", undefined],
])("%s %s is found by asking for its group only", async (apiVersion, kind, expected) => {
  const { discovery, asked } = discovering();
  const found = await discovery.kind(apiVersion, kind);
  if (expected) expect(found).toMatchObject({ apiVersion, kind, ...expected });
  else expect(found).toBeUndefined();
  expect(asked).toHaveLength(1);
});

describe("what users type", () => {
  test.each([
    ["nodes", "v1 Node"],
    ["Node", "v1 Node"],
    ["no", "v1 Node"],
    ["ds", "apps/v1 DaemonSet"],
    ["daemonset.apps", "apps/v1 DaemonSet"],
    ["tuned", "tuned.openshift.io/v1 Tuned"],
    ["tuneds.tuned.openshift.io", "tuned.openshift.io/v1 Tuned"],
    ["tuneds.v2.tuned.openshift.io", "tuned.openshift.io/v2 Tuned"],
    ["tuneds.other.io", "other.io/v1 Tuned"],
    ["nothing", undefined],
    ["constructor", undefined],
  ])("%s is %s", async (name, expected) => {
    const found = await discovering().discovery.resource(name);
    expect(found && `${found.apiVersion} ${found.kind}`).toBe(expected);
  });
});

test("found kinds are cached, but a missing kind is requested again", async () => {
  const { discovery, asked, answers } = discovering();
  await Promise.all([discovery.kind("v1", "Node"), discovery.kind("v1", "Node")]);
  expect(asked).toEqual(["/api/v1"]);
  expect(await discovery.kind("v1", "Pod")).toBeUndefined();
  answers["/api/v1"] = { resources: [{ name: "pods", namespaced: true, kind: "Pod" }] };
  expect(await discovery.kind("v1", "Pod")).toMatchObject({ plural: "pods", singular: "pod" });
});

test("a failure is not cached", async () => {
  const { discovery, answers } = discovering({ "/api/v1": new Error("down") });
  await expect(discovery.kind("v1", "Node")).rejects.toThrow("down");
  answers["/api/v1"] = documents["/api/v1"];
  expect(await discovery.kind("v1", "Node")).toMatchObject({ kind: "Node" });
});
