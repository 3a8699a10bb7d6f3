import { describe, expect, it } from "vitest";
import { applyDefaults } from "../../../language/schema/defaults.ts";
import { pruneUnknown } from "../../../language/schema/prune.ts";
import type { Schema } from "../../../language/schema/schema.ts";
import { checkStructural } from "../../../language/schema/structural.ts";
import { compileRules } from "../../../language/schema/validate-rules.ts";
import { validateSchema } from "../../../language/schema/validate.ts";
import { scyllaCrds } from "./crds.ts";

interface Version {
  schema: { openAPIV3Schema: Schema };
  subresources: object;
  additionalPrinterColumns: { name: string }[];
}

const kinds = scyllaCrds.map((crd): [string, Version] => {
  const { names, versions } = crd["spec"] as { names: { kind: string }; versions: [Version] };
  return [names.kind, versions[0]];
});
const [, nodeConfig] = kinds[0]!;
const schema = nodeConfig.schema.openAPIV3Schema;

/** What the API server stores of an object, and what it finds wrong with it. */
function admitted(object: object): { object: Record<string, unknown>; faults: string[] } {
  const stored = structuredClone(object) as Record<string, unknown>;
  pruneUnknown(stored, schema, { root: true });
  applyDefaults(stored, schema);
  return { object: stored, faults: validateSchema(stored, schema).map(({ field }) => field) };
}

const defaults = {
  placement: { nodeSelector: { "scylla-operator.scylladb.com/node-pool": "scylla" } },
  disableOptimizations: false,
  engine: "perftune",
};

describe.each(kinds)("the CRD of %s", (_, { schema: { openAPIV3Schema }, subresources }) => {
  it("has a schema that an API server accepts, and a status of its own", () => {
    expect(checkStructural(openAPIV3Schema, "schema")).toEqual([]);
    expect(compileRules(openAPIV3Schema)).not.toHaveProperty("errors");
    expect(subresources).toEqual({ status: {} });
  });
});

describe("a ScyllaNodeConfig", () => {
  it.each<[string, object]>([
    ["no spec", {}],
    ["null as spec", { spec: null }],
    ["an empty spec", { spec: {} }],
    ["null as placement", { spec: { placement: null } }],
    ["an empty placement", { spec: { placement: {} } }],
    ["null as selector", { spec: { placement: { nodeSelector: null } } }],
  ])("with %s gets the default selector", (_, object) => {
    expect(admitted(object)).toEqual({ object: { spec: defaults }, faults: [] });
  });

  it("keeps an empty selector, which selects every node", () => {
    expect(admitted({ spec: { placement: { nodeSelector: {} } } }).object["spec"]).toMatchObject({
      placement: { nodeSelector: {} },
    });
  });

  it("is accepted as clients in Go write it, with null for empty lists and times (W scylla-operator#896)", () => {
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: null } };
    const { faults } = admitted({
      spec: { placement: { affinity: { nodeAffinity }, tolerations: null }, engine: null },
      status: {
        observedGeneration: 1,
        conditions: [{ type: "Available", status: "True", lastTransitionTime: null, reason: "", message: "" }],
        current: { desired: 0, actual: 0, ready: 0 },
        updated: { desired: 0, actual: 0, ready: 0 },
        stale: false,
      },
    });
    expect(faults).toEqual([]);
    expect(admitted({ status: { conditions: null } }).faults).toEqual([]);
    expect(admitted({ spec: { placement: { affinity: null } } }).faults).toEqual([]);
  });

  it("keeps all of an affinity", () => {
    const term = { topologyKey: "zone", labelSelector: { matchLabels: { a: "b" } }, namespaces: ["c"] };
    const affinity = {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            {
              matchExpressions: [{ key: "a", operator: "Gt", values: ["1"] }],
              matchFields: [{ key: "metadata.name", operator: "In", values: ["n"] }],
            },
          ],
        },
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: { matchExpressions: [] } }],
      },
      podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] },
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term }],
      },
    };
    const { object, faults } = admitted({ spec: { placement: { affinity } } });
    expect(faults).toEqual([]);
    expect(object["spec"]).toMatchObject({ placement: { affinity } });
  });

  it.each<[string, object, string[]]>([
    ["an unknown engine", { engine: "tuned" }, ["spec.engine"]],
    [
      "an unknown effect",
      { placement: { tolerations: [{ effect: "Never" }] } },
      ["spec.placement.tolerations[0].effect"],
    ],
    ["a selector of numbers", { placement: { nodeSelector: { a: 1 } } }, ["spec.placement.nodeSelector.a"]],
    [
      "an unknown operator",
      {
        placement: {
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "Near" }] }],
              },
            },
          },
        },
      },
      [
        "spec.placement.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].operator",
      ],
    ],
  ])("with %s is rejected", (_, spec, faults) => {
    expect(admitted({ spec }).faults).toEqual(faults);
  });

  it("shows in kubectl what its user wrote, and how far its agents are", () => {
    expect(nodeConfig.additionalPrinterColumns.map(({ name }) => name)).toEqual([
      "Engine",
      "Disabled",
      "Desired",
      "Ready",
      "Available",
      "Progressing",
      "Degraded",
      "Overlapping",
      "Age",
    ]);
  });
});
