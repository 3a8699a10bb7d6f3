import { describe, expect, it } from "vitest";
import type { Json } from "../../src/language/object/json.ts";
import { nodePoolCrds } from "../../src/domain/node-pool/crds.ts";
import { validateSchema } from "../../src/language/schema/validate.ts";
import type { Schema } from "../../src/language/schema/schema.ts";
import type { Protocol } from "../../src/domain/node-tuning/api.ts";
import { casesOf } from "./cases.ts";
import { differences } from "./differences.ts";
import { comparable } from "./columns.ts";
import { type NodePoolCase as Case, nodePoolFiles as files, wantedSteps } from "./node-pool-steps.ts";
import { reducedObject } from "./node-pool-world.ts";

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
  let differs = false;
  for (const { world, step, index, wanted, inNames } of wantedSteps(id, recorded, protocol)) {
    expect(comparable(world.observed() as unknown as Json, wanted)).toEqual(wanted);
    for (const [name, objects] of Object.entries(step.payload ?? {}))
      if (name.endsWith(`F${index === 0 ? 1 : 2}`) && !differences[id])
        expect(world.payloads.get("np1")?.objects.map(reducedObject)).toMatchObject(
          objects.map((one) => inPayload(one, protocol)),
        );
    differs ||= JSON.stringify(wanted) !== JSON.stringify(inNames);
  }
  expect(differs).toBe((differences[id]?.[protocol] ?? []).length > 0);
}

/** Under the documented column a KubeletConfig is found by the label of its role. */
function inPayload(object: object, protocol: Protocol): object {
  const { machineConfigPoolSelector, ...rest } = object as { machineConfigPoolSelector?: object; labels?: object };
  if (protocol === "shipped" || !machineConfigPoolSelector) return object;
  return { ...rest, labels: { ...rest.labels, "machineconfiguration.openshift.io/role": "worker" } };
}
