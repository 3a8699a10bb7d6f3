import { describe, expect, it, test } from "vitest";
import type { Client } from "../../cluster/kube/client.ts";
import type { Json } from "../../language/object/json.ts";
import { dryRunAll, withRemovals } from "./dry-run.ts";

/** Has no methods: every request fails the test. */
const noClient = {} as Client;
const { signal } = new AbortController();

test.each([
  ["v1", "ConfigMap", "not used for tuning"],
  ["example.com/v1", "Tuned", "only tuned.openshift.io/v1 is supported"],
  ["machineconfiguration.openshift.io/v1", "MachineConfigPool", "the cluster has no such kind"],
])("sends no request for %s %s", async (apiVersion, kind, because) => {
  const manifests = [{ place: "f.yaml", object: { apiVersion, kind, metadata: { name: "x" } } }];
  const asked = await dryRunAll(noClient, manifests, { namespace: "default", absent: ["MachineConfigPool"], signal });
  expect(asked).toEqual({
    writes: [],
    removals: [],
    problems: [],
    skipped: [{ place: "f.yaml", kind, name: "x", because }],
    isTaken: false,
  });
});

describe("a patch", () => {
  test.each<[string, unknown, Json, Json]>([
    ["sets what is wanted", undefined, { a: 1 }, { a: 1 }],
    ["removes what was applied last", { a: 1, b: { c: 1, d: 2 } }, { b: { d: 2 } }, { a: null, b: { c: null, d: 2 } }],
    ["replaces lists whole", { a: [1, 2] }, { a: [2] }, { a: [2] }],
    ["replaces what was no object", { a: 1 }, { a: { b: 1 } }, { a: { b: 1 } }],
    ["sets again what another client removed", { a: 1 }, { a: 1 }, { a: 1 }],
  ])("%s", (_, applied, wanted, expected) => {
    expect(withRemovals(applied, wanted)).toEqual(expected);
  });

  it("treats names of inherited properties as ordinary ones", () => {
    const applied = JSON.parse('{"__proto__": {"a": 1}, "constructor": 1}') as Json;
    const patch = withRemovals(applied, JSON.parse('{"__proto__": {"b": 1}}') as Json);
    expect(JSON.stringify(patch)).toBe('{"constructor":null,"__proto__":{"a":null,"b":1}}');
  });
});
