import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deepFreeze } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { validateSchema } from "../../../language/schema/validate.ts";
import { convertProfile } from "./conversion.ts";
import { conversionAnnotation } from "./conversion-data.ts";
import { schemas, type Version } from "../schemas.ts";
import { anyOf } from "../testing/any-of-schema.ts";

const group = "performance.openshift.io";
const irq = "globallyDisableIrqLoadBalancing";
const versions = Object.keys(schemas) as Version[];

function profile(version: Version, spec?: object, data?: unknown): KubeObject {
  const annotations = data === undefined ? {} : { annotations: { [conversionAnnotation]: JSON.stringify(data) } };
  return {
    apiVersion: `${group}/${version}`,
    kind: "PerformanceProfile",
    metadata: { name: "p", ...annotations },
    ...(spec ? { spec } : {}),
  };
}

function to(version: Version, object: KubeObject): KubeObject {
  return convertProfile(deepFreeze(object), `${group}/${version}`);
}

/** A client that reads an object, changes its spec and writes it back. */
function edited(object: KubeObject, change: (spec: Record<string, Record<string, unknown>>) => void): KubeObject {
  const copy = structuredClone(object);
  change(copy["spec"] as Record<string, Record<string, unknown>>);
  return copy;
}

const dataOf = ({ metadata }: KubeObject): unknown =>
  JSON.parse(metadata.annotations?.[conversionAnnotation] ?? "null");

const whole = profile("v2", {
  cpu: { reserved: "0-1", isolated: "4-7", offlined: "8", shared: "2", ovsDpdk: "3", balanceIsolated: false },
  hardwareTuning: { isolatedCpuFreq: 2_500_000, reservedCpuFreq: 2_800_000 },
  net: { userLevelNetworking: true, devices: [{ interfaceName: "eth*" }] },
  nodeSelector: { "node-role.kubernetes.io/rt": "" },
  kernelPageSize: "64k",
  workloadHints: { realTime: true, mixedCpus: true },
});

describe("a profile in another version", () => {
  const anyProfile = (version: Version): fc.Arbitrary<KubeObject> =>
    fc
      .record(
        {
          labels: fc.constant({ a: "b" }),
          annotations: fc.dictionary(fc.string({ maxLength: 5 }), fc.string(), { minKeys: 1 }),
        },
        { requiredKeys: [] },
      )
      .chain((metadata) =>
        fc
          .record(
            {
              spec: anyOf(schemas[version].properties?.["spec"] ?? {}),
              status: anyOf(schemas[version].properties?.["status"] ?? {}),
            },
            { requiredKeys: [] },
          )
          .map((rest) => ({ ...profile(version), metadata: { name: "p", ...metadata }, ...rest })),
      );

  it.each(versions.flatMap((from) => versions.flatMap((via) => (from === via ? [] : [[from, via] as const]))))(
    "is what it was when it comes back: %s by way of %s",
    (from, via) => {
      fc.assert(
        fc.property(anyProfile(from), (object) => {
          const there = to(via, object);
          expect(there.apiVersion).toBe(`${group}/${via}`);
          expect(to(from, there)).toEqual(object);
        }),
        { numRuns: 200 },
      );
    },
  );

  it.each([
    ["v1", "v1alpha1"],
    ["v1alpha1", "v1"],
  ] as const)("is the same by way of %s and %s", (first, second) => {
    fc.assert(
      fc.property(anyProfile("v2"), (object) => {
        expect(to("v2", to(second, to(first, object)))).toEqual(object);
      }),
      { numRuns: 200 },
    );
  });

  it.each(versions)("of %s has no field that its version has not", (version) => {
    expect(validateSchema(to(version, whole), schemas[version])).toEqual([]);
    const spec = to(version, whole)["spec"] as { cpu: object };
    const fields = schemas[version].properties?.["spec"]?.properties ?? {};
    expect(Object.keys(spec).filter((key) => !(key in fields))).toEqual([]);
    expect(Object.keys(spec.cpu).filter((key) => !(key in (fields["cpu"]?.properties ?? {})))).toEqual([]);
  });

  it("has all fields that its version has", () => {
    expect(to("v1", whole)["spec"]).toMatchObject({
      cpu: { reserved: "0-1", isolated: "4-7", offlined: "8", balanceIsolated: false },
      hardwareTuning: { isolatedCpuFreq: 2_500_000 },
      workloadHints: { realTime: true },
    });
    expect(dataOf(to("v1", whole))).toEqual({
      v2: {
        cpu: { shared: "2", ovsDpdk: "3" },
        [irq]: null,
        kernelPageSize: "64k",
        workloadHints: { mixedCpus: true },
      },
    });
  });
});

describe("interrupts", () => {
  it.each([
    ["v1", {}, true],
    ["v1", { [irq]: true }, true],
    ["v1", { [irq]: false }, false],
    ["v1alpha1", {}, true],
  ] as const)("of %s %j are banned in v2: %s", (version, spec, banned) => {
    expect(to("v2", profile(version, spec))["spec"]).toEqual({ [irq]: banned });
  });

  it("are set in v1 if v2 leaves them unset, which means the opposite there", () => {
    expect(to("v1", profile("v2", {}))["spec"]).toEqual({ [irq]: false });
  });

  it("have the last value of v1", () => {
    const inV1 = to("v1", whole);
    const banned = edited(inV1, (spec) => Object.assign(spec, { [irq]: true }));
    expect(to("v2", banned)["spec"]).toHaveProperty(irq, true);
    const unsaid = edited(inV1, (spec) => delete spec[irq]);
    expect(to("v2", unsaid)["spec"]).toHaveProperty(irq, true);
    expect(to("v1", to("v2", unsaid))["spec"]).not.toHaveProperty(irq);
  });

  it("have the last value of v2, even if v1 had them unset before", () => {
    const inV2 = to("v2", profile("v1", {}));
    const allowed = edited(inV2, (spec) => Object.assign(spec, { [irq]: false }));
    expect(to("v1", allowed)).toEqual(profile("v1", { [irq]: false }));
    expect(dataOf(to("v1alpha1", allowed))).toEqual({ v2: { [irq]: false } });
  });
});

describe("a change in an older version", () => {
  it.each(["v1", "v1alpha1"] as const)("of %s keeps all that it cannot say", (version) => {
    const changed = edited(to(version, whole), ({ cpu }) => Object.assign(cpu!, { isolated: "5-7" }));
    const expected = edited(whole, ({ cpu }) => Object.assign(cpu!, { isolated: "5-7" }));
    expect(to("v2", changed)).toEqual(expected);
  });

  it("that removes the enclosing object removes it", () => {
    const changed = edited(to("v1", whole), (spec) => {
      delete spec["cpu"];
      delete spec["workloadHints"];
    });
    const spec = to("v2", changed)["spec"];
    expect(spec).not.toHaveProperty("cpu");
    expect(spec).not.toHaveProperty("workloadHints");
    expect(spec).toHaveProperty("kernelPageSize", "64k");
  });

  it("has precedence over the annotation for fields that the version has", () => {
    const object = profile(
      "v1",
      { cpu: { isolated: "1" }, [irq]: true },
      { v2: { cpu: { isolated: "2", offlined: "3", shared: "4" }, net: { userLevelNetworking: true }, [irq]: null } },
    );
    expect(to("v2", object)).toEqual(profile("v2", { cpu: { isolated: "1", shared: "4" }, [irq]: true }));
  });

  it("that removes the annotation drops the fields it kept", () => {
    const { metadata, ...rest } = to("v1", whole);
    const without = { ...rest, metadata: { name: metadata.name! } };
    expect((to("v2", without)["spec"] as { cpu: object }).cpu).not.toHaveProperty("shared");
  });
});

describe("an annotation of another client", () => {
  it.each([
    ["no JSON", "{"],
    ["null", "null"],
    ["a list", "[1]"],
    ["a text for a version", '{"v2":"x","v1":7}'],
    ["values of other types", '{"v2":{"kernelPageSize":{"a":1},"cpu":{"shared":5},"workloadHints":[]}}'],
    ["fields that v2 has not", '{"v2":{"gpu":1,"cpu":{"gpu":1},"__proto__":{"kernelPageSize":"4k"}}}'],
    ["null for all", '{"v2":{"kernelPageSize":null,"cpu":null,"net":null}}'],
    ["depth without end", `{"v2":{"net":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}}}`],
  ])("that is %s is ignored", (_, text) => {
    for (const version of ["v1", "v1alpha1"] as const) {
      const object = profile(version, { cpu: { isolated: "1" } });
      const hostile = { ...object, metadata: { name: "p", annotations: { [conversionAnnotation]: text } } };
      const { spec } = to("v2", hostile) as { spec?: { net?: object } };
      if (spec?.net) expect(spec.net).toEqual({});
      delete spec?.net;
      expect(spec).toEqual({ cpu: { isolated: "1" }, [irq]: true });
    }
  });

  it("does not affect reading v2", () => {
    const hostile = { ...whole, metadata: { name: "p", annotations: { [conversionAnnotation]: '{"v2":{"cpu":7}}' } } };
    expect(to("v2", to("v1", hostile))).toEqual(whole);
  });
});

it("any object from a file is converted there and back", () => {
  const object = fc.record({
    from: fc.constantFrom(...versions),
    via: fc.constantFrom(...versions),
    annotations: fc.oneof(fc.constant(null), fc.dictionary(fc.constant(conversionAnnotation), fc.json())),
    spec: fc.oneof(
      fc.jsonValue(),
      fc.dictionary(fc.constantFrom("cpu", "net", irq, "kernelPageSize", "workloadHints"), fc.jsonValue()),
    ),
  });
  fc.assert(
    fc.property(object, ({ from, via, annotations, spec }) => {
      const given = { ...profile(from), metadata: { name: "p", annotations }, spec } as unknown as KubeObject;
      expect(to(from, to(via, given)).apiVersion).toBe(given.apiVersion);
    }),
    { numRuns: 500 },
  );
});

it.each(["performance.openshift.io/v3", "v2", "other/v2", "performance.openshift.io/constructor"])(
  "%s is no version of profiles",
  (apiVersion) => {
    expect(() => convertProfile(whole, apiVersion)).toThrow(`${apiVersion} is not a version of PerformanceProfile`);
  },
);
