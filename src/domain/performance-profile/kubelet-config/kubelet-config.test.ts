import { describe, expect, it } from "vitest";
import { at, type JsonObject } from "../../../language/object/json.ts";
import { annotations, type PerformanceProfileSpec } from "../api.ts";
import type { DerivationInput } from "../derivation.ts";
import { kubeletConfigOf } from "./kubelet-config.ts";
import type { TopologyPolicy } from "../profile-facts.ts";
import { inputOf } from "../testing/facts.ts";

interface Asked {
  readonly kubelet?: JsonObject;
  readonly dra?: boolean;
  readonly cluster?: Partial<DerivationInput>;
}

function kubelet(spec: PerformanceProfileSpec, { kubelet: fields, dra = false, cluster = {} }: Asked = {}): unknown {
  const said = {
    ...(fields ? { [annotations.experimentalKubelet]: JSON.stringify(fields) } : {}),
    ...(dra ? { [annotations.dra]: "true" } : {}),
  };
  return kubeletConfigOf(inputOf(spec, { annotations: said, cluster })).spec?.kubeletConfig;
}

function aligned(topologyPolicy: TopologyPolicy): PerformanceProfileSpec {
  return { numa: { topologyPolicy } };
}

describe("a kubelet", () => {
  it("allocates exclusive CPUs, and reserves those of the system", () => {
    expect(kubelet({})).toEqual({
      apiVersion: "kubelet.config.k8s.io/v1beta1",
      kind: "KubeletConfiguration",
      cpuManagerPolicy: "static",
      cpuManagerReconcilePeriod: "5s",
      topologyManagerPolicy: "best-effort",
      reservedSystemCPUs: "0-3",
      evictionHard: {
        "memory.available": "100Mi",
        "nodefs.available": "10%",
        "imagefs.available": "15%",
        "nodefs.inodesFree": "5%",
      },
      kubeReserved: { memory: "500Mi" },
      systemReserved: { memory: "500Mi" },
    });
  });

  const cpu = { reserved: "3,0-2", isolated: "4-5", offlined: "6-7", shared: "8-9" };
  it.each<[string, PerformanceProfileSpec, boolean, string]>([
    ["reserved ones", { cpu }, true, "0-3"],
    ["shared ones where they are mixed", { cpu, workloadHints: { mixedCpus: true } }, true, "0-3,8-9"],
    ["not shared ones where the cluster does not mix", { cpu, workloadHints: { mixedCpus: true } }, false, "0-3"],
    ["OVS-DPDK's", { cpu: { ...cpu, ovsDpdk: "10-11" } }, true, "0-3,10-11"],
    ["all three", { cpu: { ...cpu, ovsDpdk: "10-11" }, workloadHints: { mixedCpus: true } }, true, "0-3,8-11"],
  ])("reserves CPUs from pods: %s", (_, spec, mixedCpusAllowed, expected) => {
    expect(at(kubelet(spec, { cluster: { mixedCpusAllowed } }), "reservedSystemCPUs")).toBe(expected);
  });

  it.each<[TopologyPolicy, JsonObject]>([
    ["none", {}],
    ["best-effort", {}],
    ["restricted", { memory: "Static", reserved: [{ numaNode: 0, limits: { memory: "1100Mi" } }] }],
    [
      "single-numa-node",
      {
        memory: "Static",
        reserved: [{ numaNode: 0, limits: { memory: "1100Mi" } }],
        options: { "full-pcpus-only": "true" },
      },
    ],
  ])("under policy %s reserves memory and keeps cores whole as needed", (policy, { memory, reserved, options }) => {
    const fields = kubelet(aligned(policy));
    expect(at(fields, "topologyManagerPolicy")).toBe(policy);
    expect(at(fields, "memoryManagerPolicy")).toBe(memory);
    expect(at(fields, "reservedMemory")).toEqual(reserved);
    expect(at(fields, "cpuManagerPolicyOptions")).toEqual(options);
  });

  it.each<[string, TopologyPolicy, JsonObject, JsonObject]>([
    [
      "an eviction threshold is its author's, key by key",
      "none",
      { evictionHard: { "memory.available": "2Gi", "pid.available": "10%" } },
      {
        evictionHard: {
          "memory.available": "2Gi",
          "pid.available": "10%",
          "nodefs.available": "10%",
          "imagefs.available": "15%",
          "nodefs.inodesFree": "5%",
        },
      },
    ],
    [
      "so is what is kept back",
      "none",
      { kubeReserved: { memory: "1Gi", cpu: "1" }, systemReserved: { cpu: "2" } },
      { kubeReserved: { memory: "1Gi", cpu: "1" }, systemReserved: { memory: "500Mi", cpu: "2" } },
    ],
    [
      "what must hold is not",
      "none",
      {
        cpuManagerPolicy: "none",
        cpuManagerReconcilePeriod: "1m",
        topologyManagerPolicy: "restricted",
        reservedSystemCPUs: "7",
        kind: "Pod",
      },
      {
        cpuManagerPolicy: "static",
        cpuManagerReconcilePeriod: "5s",
        topologyManagerPolicy: "none",
        reservedSystemCPUs: "0-3",
        kind: "KubeletConfiguration",
      },
    ],
    [
      "memory's policy is, where nothing depends on it",
      "best-effort",
      { memoryManagerPolicy: "None" },
      { memoryManagerPolicy: "None" },
    ],
    ["and is not elsewhere", "restricted", { memoryManagerPolicy: "None" }, { memoryManagerPolicy: "Static" }],
    [
      "amounts add up in the form of the first",
      "restricted",
      { kubeReserved: { memory: "1G" }, systemReserved: { memory: "24M" }, evictionHard: { "memory.available": "0" } },
      { reservedMemory: [{ numaNode: 0, limits: { memory: "1024M" } }] },
    ],
    [
      "a list of reserved memory is whole",
      "restricted",
      { reservedMemory: [{ numaNode: 1, limits: { memory: "2Gi" } }], evictionHard: { "memory.available": "5%" } },
      { reservedMemory: [{ numaNode: 1, limits: { memory: "2Gi" } }] },
    ],
    [
      "an empty one is none",
      "restricted",
      { reservedMemory: [] },
      { reservedMemory: [{ numaNode: 0, limits: { memory: "1100Mi" } }] },
    ],
    [
      "whole cores can be waived",
      "single-numa-node",
      { cpuManagerPolicyOptions: { "full-pcpus-only": "false", "strict-cpu-reservation": "true" } },
      { cpuManagerPolicyOptions: { "full-pcpus-only": "false", "strict-cpu-reservation": "true" } },
    ],
    [
      "options need no policy",
      "none",
      { cpuManagerPolicyOptions: { "align-by-socket": "true" } },
      { cpuManagerPolicyOptions: { "align-by-socket": "true" } },
    ],
    [
      "everything else is passed on",
      "none",
      { PodPidsLimit: 4096, allowedUnsafeSysctls: ["net.*"], nonsense: 1 },
      { podPidsLimit: 4096, allowedUnsafeSysctls: ["net.*"], nonsense: undefined as never },
    ],
  ])("%s", (_, policy, fields, expected) => {
    const found = kubelet(aligned(policy), { kubelet: fields });
    expect(Object.fromEntries(Object.keys(expected).map((name) => [name, at(found, name)]))).toEqual(expected);
  });

  it("with dynamic resource allocation manages nothing, and keeps the author's fields", () => {
    const fields = { cpuManagerPolicyOptions: { "full-pcpus-only": "true" }, cpuManagerPolicy: "static", maxPods: 9 };
    expect(kubelet(aligned("single-numa-node"), { kubelet: fields, dra: true })).toEqual({
      apiVersion: "kubelet.config.k8s.io/v1beta1",
      kind: "KubeletConfiguration",
      cpuManagerPolicy: "none",
      topologyManagerPolicy: "none",
      memoryManagerPolicy: "None",
      maxPods: 9,
    });
  });
});

describe("the pools", () => {
  const pool = {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfigPool",
    metadata: { name: "p", labels: { a: "1", b: "2" } },
  };
  it.each<[string, PerformanceProfileSpec, Partial<DerivationInput>, Record<string, string>]>([
    ["are those that are asked for", { machineConfigPoolSelector: { mine: "" } }, { pool }, { mine: "" }],
    ["are those with the labels of the pool that was found", {}, { pool }, { a: "1", b: "2" }],
    [
      "have the role of the nodes where no pool is known",
      {},
      {},
      { "machineconfiguration.openshift.io/role": "worker-cnf" },
    ],
    [
      "have it whatever the MachineConfig is labelled with",
      { machineConfigLabel: { x: "y" } },
      {},
      { "machineconfiguration.openshift.io/role": "worker-cnf" },
    ],
  ])("%s", (_, spec, cluster, expected) => {
    const config = kubeletConfigOf(inputOf(spec, { cluster }));
    expect(config.metadata).toEqual({ name: "performance-cnf" });
    expect(config.spec?.machineConfigPoolSelector).toEqual({ matchLabels: expected });
  });
});
