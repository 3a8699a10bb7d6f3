import { type Case, counted, machine, node } from "./case.ts";

const reserved = "0,4";
const isolated = "1-3,5-7";

export const cpuCases: readonly Case[] = [
  {
    what: "one CPU in two pools",
    spec: { cpu: { reserved: "0-1,4", isolated } },
    finds: [["CpuPoolsOverlap", "spec.cpu.isolated", "CPU 1 is in reserved as well"]],
  },
  {
    what: "five pools that all overlap, each pair once",
    spec: {
      cpu: { reserved: "1", isolated: "1", offlined: "1", shared: "1", ovsDpdk: "1" },
      workloadHints: { mixedCpus: true },
    },
    finds: [
      ["CpuPoolsOverlap", "spec.cpu.isolated", "reserved"],
      ["CpuPoolsOverlap", "spec.cpu.offlined", "reserved"],
      ["CpuPoolsOverlap", "spec.cpu.offlined", "isolated"],
      ["CpuPoolsOverlap", "spec.cpu.shared", "reserved"],
      ["CpuPoolsOverlap", "spec.cpu.shared", "isolated"],
      ["CpuPoolsOverlap", "spec.cpu.shared", "offlined"],
      ["CpuPoolsOverlap", "spec.cpu.ovsDpdk", "reserved"],
      ["CpuPoolsOverlap", "spec.cpu.ovsDpdk", "isolated"],
      ["CpuPoolsOverlap", "spec.cpu.ovsDpdk", "offlined"],
      ["CpuPoolsOverlap", "spec.cpu.ovsDpdk", "shared"],
    ],
  },
  {
    what: "pools that overlap beside an invalid one",
    spec: { cpu: { reserved: "0-", isolated: "1-3", shared: "2-4" }, workloadHints: { mixedCpus: true } },
    finds: [
      ["CpuListMalformed", "spec.cpu.reserved"],
      ["CpuPoolsOverlap", "spec.cpu.shared", "CPUs 2-3 are in isolated"],
    ],
  },
  {
    what: "optional pools that are there and empty",
    spec: { cpu: { reserved, isolated, offlined: "", shared: "", ovsDpdk: "" } },
    cluster: {},
    finds: [],
  },
  {
    what: "CPU 0 switched off",
    spec: { cpu: { reserved: "1", isolated: "2-3", offlined: "0" } },
    finds: [["CpuZeroOfflined", "spec.cpu.offlined"]],
  },
  {
    what: "CPU 0 isolated",
    spec: { cpu: { reserved: "1", isolated: "0,2-3" } },
    finds: [["CpuZeroIsolated", "spec.cpu.isolated"]],
  },
  {
    what: "CPU 0 for OVS-DPDK",
    spec: { cpu: { reserved: "1", isolated: "2-3", ovsDpdk: "0" } },
    finds: [["CpuZeroIsolated", "spec.cpu.ovsDpdk"]],
  },
  {
    what: "shared CPUs without the hint",
    spec: { cpu: { reserved: "0", isolated: "1-3", shared: "4" } },
    finds: [["SharedCpusUnused", "spec.cpu.shared", "workloadHints.mixedCpus"]],
  },
  {
    what: "CPUs that the nodes do not have",
    spec: { cpu: { reserved, isolated: "1-3,5-9", offlined: "12" } },
    cluster: {},
    finds: [
      ["CpuDoesNotExist", "spec.cpu.isolated", "worker-0 and worker-1 have no CPU 8-9, only 0-7"],
      ["CpuDoesNotExist", "spec.cpu.offlined", "no CPU 12"],
    ],
  },
  {
    what: "CPUs that are switched off now",
    spec: { cpu: { reserved, isolated: "1-3,5-9" } },
    cluster: { nodes: [node("worker-0", { topology: { ...machine(), offline: [8, 9] } })] },
    finds: [],
  },
  {
    what: "more CPUs than the kubelet counts",
    spec: { cpu: { reserved: "0-3", isolated: "4-9" } },
    cluster: { nodes: [counted("worker-0", 8)] },
    finds: [["CpusExceedCount", "spec.cpu", "10 CPUs up to CPU 9, but worker-0 has 8"]],
  },
  {
    what: "a number beyond what the kubelet counts",
    spec: { cpu: { reserved: "0-3", isolated: "90-93" } },
    cluster: { nodes: [counted("worker-0", 8)] },
    finds: [["CpusExceedCount", "spec.cpu", "up to CPU 93"]],
  },
  {
    what: "CPUs that the kubelet no longer counts since they are off",
    spec: { cpu: { reserved: "0-1", isolated: "2-3,6-7", offlined: "4-5" } },
    cluster: { nodes: [counted("worker-0", 6), counted("worker-1", 8)] },
    finds: [],
  },
  {
    what: "second threads that the kubelet no longer counts",
    spec: { cpu: { reserved: "0,2", isolated: "4,6" }, additionalKernelArgs: ["nosmt"] },
    cluster: { nodes: [counted("worker-0", 4)] },
    finds: [],
  },
  {
    what: "CPUs that are in no pool",
    spec: { cpu: { reserved, isolated: "1,5" } },
    cluster: { nodes: ["a", "b", "c", "d", "e"].map((name) => node(name)) },
    finds: [["CpuInNoPool", "spec.cpu", "CPU 2-3,6-7 of a, b, c and 2 more is in no pool"]],
  },
  {
    what: "fewer CPUs in pools than the kubelet counts",
    spec: { cpu: { reserved: "0-1", isolated: "2-5" } },
    cluster: { nodes: [counted("worker-0", 8)] },
    finds: [["CpuInNoPool", "spec.cpu", "pools have 6 CPUs, but worker-0 has 8"]],
  },
  {
    what: "cores split between two pools",
    spec: { cpu: { reserved: "0-1", isolated: "2-7" } },
    cluster: { nodes: [node("worker-0")] },
    finds: [
      ["CoreIsSplit", "spec.cpu.isolated", "reserved and isolated: keep each of 0,4 and 1,5 together (on worker-0)"],
    ],
  },
  {
    what: "cores of which one thread is switched off",
    spec: { cpu: { reserved: "0", isolated: "1-3", offlined: "4-7" } },
    cluster: {},
    finds: [],
  },
  {
    what: "first threads alone, as the kernel starts no others",
    spec: { cpu: { reserved: "0", isolated: "1-3" }, additionalKernelArgs: ["nosmt"] },
    cluster: {},
    finds: [],
  },
  {
    what: "second threads that the kernel does not start",
    spec: { additionalKernelArgs: ["nosmt=force"] },
    cluster: { nodes: [node("worker-0")] },
    finds: [
      ["CpuOffWithNosmt", "spec.cpu.reserved", "CPU 4 of worker-0 will be off"],
      ["CpuOffWithNosmt", "spec.cpu.isolated", "CPU 5-7"],
    ],
  },
];
