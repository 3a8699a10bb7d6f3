import * as fc from "fast-check";
import type { Resources } from "../../src/language/cpu/qos-class.ts";
import { compareQuantities, parseQuantity } from "../../src/language/object/quantity.ts";

/** Once in `odds` pods or containers. */
const seldom = <T>(one: fc.Arbitrary<T>, odds: number): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: odds - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: one });

const cpu = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 0, max: 400_000 }).map((amount) => `${amount}m`) },
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      "0",
      "1",
      "0.1",
      "1.5",
      "2",
      "300",
      "1n",
      "1500u",
      "100500u",
      "1e2",
      "2k",
      "1Ki",
      "5e-1",
      "64e0",
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom("9223372036854775807m", "9223372036854775808m", "9e15", "1e30", "8Ei") },
);
const memory = fc.constantFrom("0", "1", "64Mi", "1Gi", "100M", "1500m", "1e9");

/** None, a request, a limit, both alike, or a smaller request: the API server refuses a larger one. */
const amounts = (one: fc.Arbitrary<string>): fc.Arbitrary<{ request?: string; limit?: string }> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant({}) },
    { weight: 8, arbitrary: one.map((request) => ({ request })) },
    one.map((limit) => ({ limit })),
    one.map((both) => ({ request: both, limit: both })),
    fc.tuple(one, one).map(([a, b]) => {
      const [request, limit] = compareQuantities(parseQuantity(a), parseQuantity(b)) <= 0 ? [a, b] : [b, a];
      return { request, limit };
    }),
  );

/** What a user asks for directly, or has copied from a pod that was admitted before. */
const cores = seldom(fc.constantFrom("0", "1", "250", "1k", "300k"), 12);

const resources: fc.Arbitrary<Resources> = fc
  .record({ cpu: amounts(cpu), memory: amounts(memory), cores, gpu: seldom(fc.constant("1"), 8) })
  .map((asked) => {
    const both = {
      ...(asked.cores === undefined ? {} : { "management.workload.openshift.io/cores": asked.cores }),
      ...(asked.gpu === undefined ? {} : { "nvidia.com/gpu": asked.gpu }),
    };
    const list = (part: "request" | "limit"): Record<string, string> => ({
      ...(asked.cpu[part] === undefined ? {} : { cpu: asked.cpu[part] }),
      ...(asked.memory[part] === undefined ? {} : { memory: asked.memory[part] }),
      ...both,
    });
    return { requests: list("request"), limits: list("limit") };
  });

/** Of a container in a Guaranteed pod. */
const alike: fc.Arbitrary<Resources> = fc.tuple(cpu, memory).map(([some, bytes]) => {
  const both = { cpu: some, memory: bytes };
  return { requests: both, limits: both };
});

const target = fc.constantFrom('{"effect":"PreferredDuringScheduling"}', '{ "effect" : "PreferredDuringScheduling" }');
const settings = [
  '{"cpushares":2}',
  '{"cpushares": 256}',
  '{"cpushares":256,"cpulimit":500}',
  '{"cpuset":"0-63"}',
  "{",
  "null",
  '{"__proto__":{"cpushares":2}}',
  '{"cpushares":1e3}',
  '{"cpushares":99999999999999999999}',
  '"é"',
  "",
];
const told = fc.constantFrom(...settings);

const annotations = fc
  .record({
    target: fc.oneof({ weight: 1, arbitrary: fc.constant(undefined) }, { weight: 11, arbitrary: target }),
    badTarget: seldom(fc.string({ maxLength: 20 }), 20),
    type: fc.constantFrom("management", "management", "management", "test", "Upper_Case", "requests", "__proto__"),
    containers: fc.array(fc.tuple(fc.nat({ max: 5 }), told), { maxLength: 3 }),
    source: seldom(fc.constantFrom("file", "http", "api", ""), 8),
    other: seldom(fc.string({ maxLength: 40, unit: "binary" }), 4),
  })
  .map(({ target: effect, badTarget, type, containers, source, other }) =>
    Object.fromEntries([
      ...containers.map(([index, value]) => [`resources.workload.openshift.io/c${index}`, value] as const),
      ...(effect === undefined ? [] : [[`target.workload.openshift.io/${type}`, badTarget ?? effect] as const]),
      ...(source === undefined ? [] : [["kubernetes.io/config.source", source] as const]),
      ...(other === undefined ? [] : [["other", other] as const]),
    ]),
  );

/** A pod as a client sends it: the API server accepts all but a few of them. */
export const randomPod = fc
  .record({
    annotations,
    init: fc.array(fc.tuple(resources, fc.boolean()), { maxLength: 2 }),
    app: fc.array(resources, { minLength: 1, maxLength: 4 }),
    guaranteed: seldom(fc.array(alike, { minLength: 1, maxLength: 3 }), 12),
  })
  .map(({ annotations: own, guaranteed, ...containers }) => {
    const { init, app } = guaranteed ? { init: [], app: guaranteed } : containers;
    const container = (index: number, some: Resources): object => ({ name: `c${index}`, image: "i", resources: some });
    return {
      metadata: { annotations: own },
      spec: {
        initContainers: init.map(([some, isSidecar], index) => ({
          ...container(index, some),
          ...(isSidecar ? { restartPolicy: "Always" } : {}),
        })),
        containers: app.map((some, index) => container(init.length + index, some)),
      },
    };
  });

export const randomCluster = fc.record({
  infrastructure: fc
    .tuple(fc.constantFrom("AllNodes", "AllNodes", "None"), fc.constantFrom("HighlyAvailable", "SingleReplica"))
    .map(([cpuPartitioning, topology]) => ({
      cpuPartitioning,
      controlPlaneTopology: topology,
      infrastructureTopology: topology,
    })),
  namespace: fc.constantFrom(
    ...["management,test", "management", "management, test,Upper_Case,requests,__proto__"].map((list) => ({
      annotations: { "workload.openshift.io/allowed": list } as Record<string, string>,
    })),
    { annotations: {} },
  ),
  nodes: fc.constant([{ "management.workload.openshift.io/cores": "16k" }]),
});
