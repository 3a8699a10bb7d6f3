import { describe, expect, it } from "vitest";
import { SmallServer } from "../testing/small-server.ts";
import { endpointSlice } from "./network/endpoint-slice.ts";
import { endpoints } from "./network/endpoints.ts";
import { networkPolicy } from "./network/network-policy.ts";
import { persistentVolumeClaim } from "./storage/persistent-volume-claim.ts";
import { podDisruptionBudget } from "./pod-disruption-budget.ts";
import { priorityClass } from "./priority-class.ts";
import { storageClass } from "./storage/storage-class.ts";
import { create, row, update } from "./testing/run-strategy.ts";

describe("PriorityClass", () => {
  it.each([
    [{ value: 5 }, []],
    [{ value: 2_000_000_000 }, ["value: Forbidden: maximum allowed value of a user defined priority is 1000000000"]],
    [
      { value: 5, metadata: { name: "system-x" } },
      [expect.stringContaining("system-x is not a known system priority class")],
    ],
    [
      { value: 5, preemptionPolicy: "Odd" },
      ['preemptionPolicy: Unsupported value: "Odd": supported values: "PreemptLowerPriority", "Never"'],
    ],
  ])("%j has the faults %j", (body, faults) => {
    expect(create(priorityClass, body).faults).toEqual(faults);
  });

  it("has an immutable value, and cannot be deleted if it is a system class", () => {
    const { object } = create(priorityClass, { value: 5 });
    expect(update(priorityClass, object, { value: 6 }).faults).toEqual([
      "value: Forbidden: may not be changed in an update.",
    ]);
    const system = create(priorityClass, { metadata: { name: "system-node-critical" }, value: 2_000_001_000 });
    expect(system.faults).toEqual([]);
    expect(priorityClass.strategy.refuseDelete?.(system.object)).toContain("cannot be deleted");
  });

  it("sets the priority of pods by name or as the default", async () => {
    const server = new SmallServer();
    await server.createNamespacesForPods("a");
    await server.create("priorityclasses", { metadata: { name: "high" }, value: 100, preemptionPolicy: "Never" });
    const pod = (name: string, spec: object) =>
      server.create("pods", {
        metadata: { namespace: "a", name },
        spec: { containers: [{ name: "c", image: "i" }], ...spec },
      });
    const named = await pod("one", { priorityClassName: "high" });
    expect(named.spec).toMatchObject({ priority: 100, preemptionPolicy: "Never" });
    expect((await pod("two", {})).spec).toMatchObject({ priority: 0, preemptionPolicy: "PreemptLowerPriority" });
    await expect(pod("three", { priorityClassName: "nope" })).rejects.toMatchObject({ code: 403 });
    await server.create("priorityclasses", { metadata: { name: "usual" }, value: 7, globalDefault: true });
    expect((await pod("four", {})).spec).toMatchObject({ priority: 7, priorityClassName: "usual" });
  });
});

describe("PodDisruptionBudget", () => {
  it.each([
    [{ minAvailable: 1 }, []],
    [
      { minAvailable: 1, maxUnavailable: 1 },
      [expect.stringContaining("minAvailable and maxUnavailable cannot be both set")],
    ],
    [{ maxUnavailable: "150%" }, ['spec.maxUnavailable: Invalid value: "150%": must not be greater than 100%']],
    [
      { unhealthyPodEvictionPolicy: "Odd" },
      ['spec.unhealthyPodEvictionPolicy: Unsupported value: "Odd": supported values: "AlwaysAllow", "IfHealthyBudget"'],
    ],
  ])("%j has the faults %j", (spec, faults) => {
    expect(create(podDisruptionBudget, { spec }).faults).toEqual(faults);
  });

  it("starts without allowed disruptions, and rejects negative counts", () => {
    const { object } = create(podDisruptionBudget, { spec: { minAvailable: "50%" } });
    expect(row(podDisruptionBudget, object)).toMatchObject({
      "Min Available": "50%",
      "Max Unavailable": "N/A",
      "Allowed Disruptions": 0,
    });
    expect(update(podDisruptionBudget, object, { status: { expectedPods: -1 } }, "status").faults).toEqual([
      "status.expectedPods: Invalid value: -1: must be greater than or equal to 0",
    ]);
  });
});

describe("StorageClass", () => {
  it("defaults to Immediate and Delete, and has an immutable provisioner", () => {
    const { object, faults } = create(storageClass, { provisioner: "x.y/z" });
    expect(faults).toEqual([]);
    expect(object).toMatchObject({ reclaimPolicy: "Delete", volumeBindingMode: "Immediate" });
    expect(update(storageClass, object, { provisioner: "q", allowVolumeExpansion: true }).faults).toEqual([
      "provisioner: Forbidden: updates to provisioner are forbidden.",
    ]);
    expect(create(storageClass, { reclaimPolicy: "Odd" }).faults).toEqual([
      "provisioner: Required value",
      'reclaimPolicy: Unsupported value: "Odd": supported values: "Delete", "Retain"',
    ]);
  });
});

describe("Endpoints", () => {
  it("shows the first three", () => {
    const addresses = [1, 2, 3, 4, 5].map((last) => ({ ip: `10.0.0.${last}` }));
    const { object } = create(endpoints, { subsets: [{ addresses, ports: [{ port: 80 }] }] });
    expect(row(endpoints, object)).toMatchObject({ Endpoints: "10.0.0.1:80,10.0.0.2:80,10.0.0.3:80 + 2 more..." });
  });

  it.each([
    [{}, ["subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`"]],
    [
      { addresses: [{ ip: "127.0.0.1" }] },
      [
        'subsets[0].addresses[0].ip: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
      ],
    ],
    [
      { addresses: [{ ip: "10.0.0.1" }], ports: [{ port: 80 }, { port: 0, name: "b" }] },
      [
        "subsets[0].ports[0].name: Required value",
        "subsets[0].ports[1].port: Invalid value: 0: must be between 1 and 65535, inclusive",
      ],
    ],
  ])("of %j has the faults %j", (subset, faults) => {
    expect(create(endpoints, { subsets: [subset] }).faults).toEqual(faults);
  });
});

describe("EndpointSlice", () => {
  it.each([
    ["IPv4", "10.0.0.1", []],
    ["Odd", "10.0.0.1", ['addressType: Unsupported value: "Odd": supported values: "FQDN", "IPv4", "IPv6"']],
    ["IPv6", "10.0.0.1", ['endpoints[0].addresses: Invalid value: "10.0.0.1": must be an IPv6 address']],
    ["IPv4", "x", [expect.stringContaining("endpoints[0].addresses[0]")]],
    ["FQDN", "example.com", []],
  ])("of type %s at %s has the faults %j", (addressType, address, faults) => {
    expect(create(endpointSlice, { addressType, endpoints: [{ addresses: [address] }] }).faults).toEqual(faults);
  });

  it("has unique port names", () => {
    const ports = [{ name: "a" }, { name: "a" }];
    expect(create(endpointSlice, { addressType: "IPv4", endpoints: [], ports }).faults).toEqual([
      'ports[1].name: Duplicate value: "a"',
    ]);
  });
});

describe("NetworkPolicy", () => {
  it("applies to egress only if it has egress rules", () => {
    expect(create(networkPolicy, { spec: { podSelector: {} } }).object.spec).toMatchObject({
      policyTypes: ["Ingress"],
    });
    const { object } = create(networkPolicy, { spec: { podSelector: {}, egress: [{ ports: [{ port: 53 }] }] } });
    expect(object.spec).toMatchObject({
      policyTypes: ["Ingress", "Egress"],
      egress: [{ ports: [{ port: 53, protocol: "TCP" }] }],
    });
  });

  const at = "spec.ingress[0]";
  it.each([
    [{ from: [{}] }, [`${at}.from[0]: Required value: must specify a peer`]],
    [
      { from: [{ ipBlock: { cidr: "10.0.0.0/8", except: ["11.0.0.0/8", "10.1.0.0/16"] } }] },
      [`${at}.from[0].ipBlock.except[0]: Invalid value: "11.0.0.0/8": must be a strict subset of \`cidr\``],
    ],
    [
      { ports: [{ port: 80, endPort: 79 }, { endPort: 7 }] },
      [
        `${at}.ports[0].endPort: Invalid value: 80: must be greater than or equal to \`port\``,
        `${at}.ports[1].endPort: Invalid value: 7: may not be specified when \`port\` is not specified`,
      ],
    ],
  ])("with the rule %j has the faults %j", (rule, faults) => {
    expect(create(networkPolicy, { spec: { podSelector: {}, ingress: [rule] } }).faults).toEqual(faults);
  });
});

describe("PersistentVolumeClaim", () => {
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };

  it("is Pending at first, and gets the protection finalizer", () => {
    const { object, faults } = create(persistentVolumeClaim, { spec });
    expect(faults).toEqual([]);
    expect(object).toMatchObject({
      metadata: { finalizers: ["kubernetes.io/pvc-protection"] },
      spec: { volumeMode: "Filesystem" },
      status: { phase: "Pending" },
    });
  });

  it("can request more only once it is bound", () => {
    const { object } = create(persistentVolumeClaim, { spec });
    const more = { spec: { resources: { requests: { storage: "2Gi" } } } };
    expect(update(persistentVolumeClaim, object, { spec: { volumeName: "v" } }).faults).toEqual([]);
    expect(update(persistentVolumeClaim, object, more).faults).toEqual([
      expect.stringContaining("spec: Forbidden: spec is immutable after creation except"),
    ]);
    const bound = update(persistentVolumeClaim, object, { status: { phase: "Bound" } }, "status");
    expect(update(persistentVolumeClaim, bound.object, more).faults).toEqual([]);
  });
});
