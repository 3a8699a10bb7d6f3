import { describe, expect, it } from "vitest";
import { deepFreeze } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { admitMixedCpus } from "../mixed-cpus/admit-mixed-cpus.ts";
import { admitNode } from "../node/admit-node.ts";
import { coresOf } from "../names.ts";
import { type ReleaseName, releases } from "../release.ts";
import { askingPod, partitioned, reviewOf } from "../testing/review.ts";
import { admitPod } from "./admit-pod.ts";
import { containersOf } from "./pod.ts";
import { validatePod } from "./validate-pod.ts";

const small = { requests: { cpu: "250m", memory: "1Gi" } };
const target = "target.workload.openshift.io/management";
const names = Object.keys(releases) as ReleaseName[];

describe("annotations of a hostile client", () => {
  const deep = `${"[".repeat(100_000)}12345678901234567890${"]".repeat(100_000)}`;
  it.each<[string, string, string]>([
    ["an object of prototypes", '{"__proto__":{"effect":"PreferredDuringScheduling"}}', "effect-unparsable"],
    ["a prototype for a key", '{"__proto__":"PreferredDuringScheduling"}', "effect-missing"],
    ["the name of a method", '{"constructor":"PreferredDuringScheduling"}', "effect-missing"],
    ["a duplicate key, of which the last counts", '{"effect":"x","effect":"PreferredDuringScheduling"}', "rewritten"],
    ["text after the value", '{"effect":"PreferredDuringScheduling"} {}', "effect-unparsable"],
    ["another case", '{"Effect":"PreferredDuringScheduling"}', "effect-missing"],
    ["letters that look alike", '{"effect":"PreferredDuringSсheduling"}', "effect-unsupported"],
    ["a hundred thousand brackets", deep, "effect-unparsable"],
    ["200 KB of text", "é".repeat(100_000), "effect-unparsable"],
    ["null", "null", "effect-missing"],
  ])("has %s: %#", (_, value, rule) => {
    for (const release of ["documented", "current"] as const) {
      const answer = admitPod(reviewOf(askingPod([{ name: "c", resources: small }], { [target]: value }), release));
      expect(answer.rule).toBe(rule);
      expect(JSON.stringify(answer.problems).length).toBeLessThan(300_000);
    }
  });

  it.each([deep, '{"cpushares":2,"__proto__":1}', "9".repeat(1000), '{"cpushares":1.5}', '{"cpushares":"2"}', "[]"])(
    "tells CRI-O nothing else than integers: %#",
    (value) => {
      const pod = askingPod([{ name: "c", resources: small }], { "resources.workload.openshift.io/c": value });
      for (const release of names)
        expect(validatePod(reviewOf(pod, release)).problems.map(({ code }) => code)).not.toEqual([]);
      expect(admitPod(reviewOf(pod)).object.metadata.annotations).toMatchObject({
        "resources.workload.openshift.io/c": '{"cpushares":256}',
      });
    },
  );

  it("has names of prototypes everywhere", () => {
    const pod = JSON.parse(
      `{"apiVersion":"v1","kind":"Pod","metadata":{"annotations":{"__proto__":"x","${target}":"{\\"effect\\":\\"PreferredDuringScheduling\\"}"}},
        "spec":{"containers":[{"name":"__proto__","resources":{"requests":{"cpu":"1","memory":"1","__proto__":"1"}}}]}}`,
    ) as KubeObject;
    const { object, rule } = admitPod(reviewOf(deepFreeze(pod)));
    expect(rule).toBe("rewritten");
    expect(Object.keys(object.metadata.annotations ?? {})).toContain("__proto__");
    expect(Object.keys(containersOf(object)[0]?.resources?.requests ?? {})).toContain("__proto__");
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)["cpu"]).toBeUndefined();
  });
});

describe("pods of a hostile size", () => {
  const many = (count: number): object[] =>
    Array.from({ length: count }, (_, index) => ({ name: `container-${index}`, resources: small }));

  it("moves 2,000 containers", () => {
    const { object, rule } = admitPod(reviewOf(askingPod(many(2000))));
    expect(rule).toBe("rewritten");
    expect(admitPod(reviewOf(object)).type).toBe("unchanged");
  });

  it("leaves 10,000 alone, whose annotations the API server would refuse", () => {
    const { object, rule } = admitPod(reviewOf(askingPod(many(10_000))));
    expect(rule).toBe("annotations-too-large");
    expect(containersOf(object)[9999]?.resources).toEqual(small);
  });

  it("adds no warning to a pod whose annotations have no room for it", () => {
    const pod = askingPod([{ name: "c", resources: { requests: { cpu: "1" } } }], {
      big: "x".repeat(256 * 1024 - 100),
    });
    const { object, rule, warnings } = admitPod(reviewOf(pod));
    expect([rule, Object.keys(object.metadata.annotations ?? {}), warnings.length]).toEqual([
      "qos-would-change",
      ["big"],
      1,
    ]);
  });

  it("reports a hundred of 10,000 problems", () => {
    const annotations = Object.fromEntries(many(10_000).map((_, i) => [`resources.workload.openshift.io/c${i}`, "{"]));
    expect(validatePod(reviewOf(askingPod([], annotations))).problems).toHaveLength(100);
  });
});

describe("amounts beyond all machines", () => {
  it.each([
    ["9223372036854775807m", "rewritten"],
    ["9223372036854775808m", "cpu-out-of-range"],
    ["9E", "cpu-out-of-range"],
    ["1e30", "cpu-out-of-range"],
    ["1e999", "cpu-out-of-range"],
    ["-1", "cpu-out-of-range"],
    ["", "cpu-out-of-range"],
    ["1 ", "cpu-out-of-range"],
    ["0x10", "cpu-out-of-range"],
    ["1e-3", "rewritten"],
  ])("%j of CPU: %s", (cpu, rule) => {
    for (const release of ["documented", "current"] as const) {
      const pod = askingPod([{ name: "c", resources: { requests: { cpu, memory: "1Gi" } } }]);
      const answer = admitPod(reviewOf(deepFreeze(pod), release));
      expect(answer.rule).toBe(rule);
      if (rule === "rewritten") expect(admitPod(reviewOf(answer.object, release)).type).toBe("unchanged");
    }
  });

  it("takes 100 PB of memory for memory", () => {
    const pod = askingPod([{ name: "c", resources: { requests: { cpu: "1", memory: "100P" } } }]);
    expect(admitPod(reviewOf(pod)).rule).toBe("rewritten");
  });
});

it.each<[string, unknown]>([
  ["no spec", undefined],
  ["a text for a spec", "x"],
  ["a text for containers", { containers: "x" }],
  ["null for a container", { containers: [null, 5, []] }],
  ["null for resources", { containers: [{ name: "c", resources: null }] }],
  ["null for requests", { containers: [{ name: "c", resources: { requests: null, limits: 5 } }] }],
  ["no number of cores", { containers: [{ name: "c", resources: { requests: { [coresOf("management")]: "x" } } }] }],
  ["null for an amount", { containers: [{ name: "c", resources: { requests: { cpu: null, memory: {} } } }] }],
])("answers about a pod with %s", (_, spec) => {
  for (const release of names)
    for (const admit of [admitPod, validatePod, admitMixedCpus, admitNode])
      for (const kind of ["Pod", "Node"])
        for (const annotations of [null, undefined, "x", askingPod([]).metadata.annotations]) {
          const object = { apiVersion: "v1", kind, metadata: { annotations }, spec } as unknown as KubeObject;
          for (const namespace of [partitioned.namespace, { type: "found", name: "other", annotations: {} } as const]) {
            const { type } = admit(reviewOf(object, release, { view: { ...partitioned, namespace } }));
            expect(["unchanged", "changed", "refused"]).toContain(type);
          }
        }
});
