import { describe, expect, it } from "vitest";
import type { Json } from "../../src/language/object/json.ts";
import { applyMergePatch } from "../../src/language/patch/merge-patch.ts";
import { nodePoolCrds } from "../../src/domain/node-pool/crds.ts";
import { validateSchema } from "../../src/language/schema/validate.ts";
import type { Schema } from "../../src/language/schema/schema.ts";
import type { Protocol } from "../../src/domain/node-tuning/api.ts";
import { casesOf, type RecordedCase } from "./cases.ts";
import { differences } from "./differences.ts";
import { comparable, inColumn } from "./columns.ts";
import { NodePoolWorld, reducedObject } from "./node-pool-world.ts";

export interface NodePoolExpectation {
  readonly conditions?: Record<string, Record<string, object>>;
  readonly configMaps?: Record<string, object>;
  readonly payload?: Record<string, readonly object[]>;
  readonly gone?: readonly string[];
}

type Case = RecordedCase<NodePoolExpectation>;

const files = ["tuning-config", "performance-profile", "config-manifests", "copies", "profile-status"];

describe.each(files)("%s", (file) => {
  const cases = casesOf<Case>(file);
  const [accepted, refused] = [cases.filter((one) => !one.rejected), cases.filter((one) => one.rejected)];
  for (const protocol of ["documented", "shipped"] as const)
    it.each(accepted.map((recorded): [string, Case] => [recorded.id, recorded]))(`%s (${protocol})`, (id, recorded) => {
      run(id, recorded, protocol);
    });

  if (refused.length > 0)
    it.each(refused.map((recorded): [string, Case] => [recorded.id, recorded]))("%s by the CRD", (_, { objects }) => {
      const [crd] = nodePoolCrds as unknown as [{ spec: { versions: [{ schema: { openAPIV3Schema: Schema } }] } }];
      const { openAPIV3Schema } = crd.spec.versions[0].schema;
      const spec = { clusterName: "demo", ...objects[0]?.nodePool?.spec };
      expect(validateSchema({ spec }, openAPIV3Schema).map(({ field }) => field)).toEqual(["spec.tuningConfig"]);
    });
});

function run(id: string, recorded: Case, protocol: Protocol): void {
  const world = new NodePoolWorld(recorded, protocol);
  const ours = differences[id]?.[protocol] ?? [];
  let expected: Json = { conditions: {}, configMaps: {} };
  let differs = false;
  for (const [index, { change = [], expect: step = {} }] of recorded.steps.entries()) {
    for (const one of change) world.change(one);
    world.settle();
    expected = accumulated(expected, step, world);
    const inNames = inColumn(expected, protocol, (pool) => world.refersToTuning(pool)) as Json;
    const wanted = applyMergePatch(inNames, (ours[index] ?? {}) as Json);
    const observed = comparable(world.observed() as unknown as Json, wanted);
    expect(observed).toEqual(wanted);
    for (const [name, objects] of Object.entries(step.payload ?? {}))
      if (name.endsWith(`F${index === 0 ? 1 : 2}`) && ours.length === 0)
        expect(world.payloads.get("np1")?.objects.map(reducedObject)).toMatchObject(
          objects.map((one) => inPayload(one, protocol)),
        );
    differs ||= JSON.stringify(wanted) !== JSON.stringify(inNames);
  }
  expect(differs).toBe(ours.length > 0);
}

/** Under the documented column a KubeletConfig is found by the label of its role. */
function inPayload(object: object, protocol: Protocol): object {
  const { machineConfigPoolSelector, ...rest } = object as { machineConfigPoolSelector?: object; labels?: object };
  if (protocol === "shipped" || !machineConfigPoolSelector) return object;
  return { ...rest, labels: { ...rest.labels, "machineconfiguration.openshift.io/role": "worker" } };
}

function accumulated(before: Json, { gone = [], ...step }: NodePoolExpectation, world: NodePoolWorld): Json {
  const state = structuredClone(before) as {
    conditions: Record<string, Record<string, Json>>;
    configMaps: Record<string, Json>;
  };
  for (const path of gone) {
    const [part, name = "", , type = "", rest] = path.split("/");
    if (part === "configMaps") delete state.configMaps[name];
    else if (type) delete state.conditions[name]?.[rest === undefined ? type : `${type}/${rest}`];
  }
  for (const [name, conditions] of Object.entries(step.conditions ?? {}))
    state.conditions[name] = { ...state.conditions[name], ...(conditions as Record<string, Json>) };
  for (const [name, object] of Object.entries(step.configMaps ?? {})) state.configMaps[name] = object as Json;
  // Recordings show those of the input, and conditions, where they matter.
  for (const [name, conditions] of Object.entries(world.observed().conditions))
    for (const type of ["ValidMachineConfig", "ValidTuningConfig"])
      state.conditions[name] = { [type]: conditions[type] as Json, ...state.conditions[name] };
  return state;
}
