import { expect, it } from "vitest";
import type { KubeObject } from "../../../language/object/meta.ts";
import { decideDeletions } from "./decide-deletions.ts";

const object = (kind: string, name: string, namespace?: string): KubeObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
});
const tuneds = object("CustomResourceDefinition", "tuneds.tuned.openshift.io");
const profiles = object("CustomResourceDefinition", "performanceprofiles.performance.openshift.io");
const policy = object("ValidatingAdmissionPolicy", "attune-converted-profiles");
const namespace = object("Namespace", "n");
const ours = [object("Deployment", "attune-operator", "s"), policy, tuneds, profiles, namespace];
const tuned = object("Tuned", "mine", "n");
const performance = object("PerformanceProfile", "p");

/** The reasons for keeping objects, by name. */
function kept(users: Record<string, KubeObject[]>, crds = false): Record<string, string> {
  const decided = decideDeletions({ ours, users: new Map(Object.entries(users)), crds });
  expect(decided.map((one) => one.object)).toEqual(ours);
  return Object.fromEntries(
    decided.flatMap(({ object, keptBecause }) => (keptBecause ? [[object.metadata.name, keptBecause]] : [])),
  );
}

it("deletes everything where users have nothing", () => {
  expect(kept({})).toEqual({});
});

it("keeps a CRD that users have objects of, and the namespace that these are in", () => {
  expect(kept({ "tuneds.tuned.openshift.io": [tuned], n: [tuned] })).toEqual({
    "tuneds.tuned.openshift.io": "it has objects of users: Tuned n/mine; --crds deletes them too",
    n: "it contains Tuned n/mine",
  });
});

it("with --crds deletes both", () => {
  expect(kept({ "tuneds.tuned.openshift.io": [tuned], n: [tuned] }, true)).toEqual({});
});

it("keeps a namespace with other objects of users, also with --crds", () => {
  const secret = object("Secret", "theirs", "n");
  expect(kept({ "tuneds.tuned.openshift.io": [tuned], n: [tuned, secret] }, true)).toEqual({
    n: "it contains Secret n/theirs",
  });
});

it("keeps the policy against unconverted profiles with the profiles", () => {
  expect(Object.keys(kept({ "performanceprofiles.performance.openshift.io": [performance] }))).toEqual([
    "attune-converted-profiles",
    "performanceprofiles.performance.openshift.io",
  ]);
});

it("names a few of many objects", () => {
  const many = Array.from({ length: 10_000 }, (_, index) => object("Tuned", `t${index}`, "n"));
  const because = kept({ "tuneds.tuned.openshift.io": many })["tuneds.tuned.openshift.io"];
  expect(because).toBe(
    "it has objects of users: Tuned n/t0, Tuned n/t1, Tuned n/t2, Tuned n/t3, Tuned n/t4 and 9995 more; --crds deletes them too",
  );
});
