import * as fc from "fast-check";
import type { JsonObject } from "../../src/language/object/json.ts";

/** The text of the annotation, depending on the rest of the profile; absent: no annotation. */
export type ChosenKubelet = (needs: KubeletNeeds) => string | undefined;

export interface KubeletNeeds {
  /** Pods must not run on reserved CPUs. */
  readonly strict: boolean;
  /** Reservations of memory must add up. */
  readonly countsMemory: boolean;
}

const amount = fc.constantFrom("0", "1Gi", "500Mi", "1500M", "1e9", "0.5Gi", "123456789");
const share = fc.constantFrom("5%", "0%", "12.5%");
const duration = fc.constantFrom("5s", "1m30s", "0s", "1.5h");
const truth = fc.constantFrom("true", "false");
const count = fc.integer({ min: 0, max: 1000 });
const memory = fc.record({ memory: amount, cpu: fc.constantFrom("1", "500m") }, { requiredKeys: [] });

const fields: fc.Arbitrary<JsonObject> = fc.record(
  {
    maxPods: count,
    podPidsLimit: fc.constantFrom(-1, 4096),
    failSwapOn: fc.boolean(),
    memoryManagerPolicy: fc.constantFrom("None", "Static"),
    topologyManagerScope: fc.constantFrom("pod", "container"),
    syncFrequency: duration,
    allowedUnsafeSysctls: fc.array(fc.constantFrom("net.core.somaxconn", "kernel.msg*"), { maxLength: 2 }),
    featureGates: fc.dictionary(fc.constantFrom("A", "__proto__"), fc.boolean()),
    kubeReserved: memory,
    systemReserved: memory,
    evictionHard: fc.record(
      { "memory.available": fc.oneof(amount, share), "pid.available": share, "nodefs.available": share },
      { requiredKeys: [] },
    ),
    cpuManagerPolicyOptions: fc.record(
      { "full-pcpus-only": truth, "strict-cpu-reservation": truth, "align-by-socket": truth },
      { requiredKeys: [] },
    ),
    reservedMemory: fc.array(fc.record({ numaNode: fc.nat(3), limits: fc.record({ memory: amount }) }), {
      maxLength: 2,
    }),
    authentication: fc.record({ anonymous: fc.record({ enabled: fc.boolean() }) }),
    logging: fc.record({ format: fc.constantFrom("json", "text") }),
  },
  { requiredKeys: [] },
);

export const arbitraryKubelet: fc.Arbitrary<ChosenKubelet> = fc
  .record({ fields: fc.option(fields, { nil: undefined, freq: 2 }), shouted: fc.boolean() })
  .map((chosen) => (needs) => {
    const { strict, countsMemory } = needs;
    if (!chosen.fields && !strict) return undefined;
    const given: JsonObject = { ...chosen.fields };
    if (strict)
      given["cpuManagerPolicyOptions"] = {
        ...(given["cpuManagerPolicyOptions"] as JsonObject),
        "strict-cpu-reservation": "true",
      };
    if (countsMemory && given["evictionHard"]) {
      const { "memory.available": _, ...others } = given["evictionHard"] as JsonObject;
      given["evictionHard"] = others;
    }
    const named = Object.entries(given).map(([name, value]) => [chosen.shouted ? name.toUpperCase() : name, value]);
    return JSON.stringify(Object.fromEntries(named));
  });
