import { type Case, counted, machine, node } from "./case.ts";

const field = "spec.nodeSelector";
const many = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];

export const nodeCases: readonly Case[] = [
  { what: "a cluster that it suits", cluster: {}, finds: [] },
  { what: "no nodes yet", cluster: { nodes: [] }, finds: [["NoNodes", field]] },
  {
    what: "a node without an architecture",
    cluster: { nodes: [node("worker-0"), { name: "worker-1", cpus: 8, topology: machine() }] },
    finds: [["ArchitectureUnknown", field, "worker-1 has reported no architecture"]],
  },
  {
    what: "nodes of two architectures",
    cluster: { nodes: [node("worker-0"), node("worker-1"), node("worker-2", { architecture: "arm64" })] },
    finds: [["ArchitecturesDiffer", field, "worker-2 has arm64, the other 2 have amd64"]],
  },
  {
    what: "nodes with two numbers of CPUs",
    spec: { cpu: { reserved: "0-3", isolated: "4-79" } },
    cluster: { nodes: [...many.map((name) => counted(name, 80)), counted("worker-3", 64)] },
    finds: [
      ["CpuCountsDiffer", field, "worker-3 has 64, the other 12 have 80"],
      ["CpusExceedCount", "spec.cpu", "worker-3 has 64"],
    ],
  },
  {
    what: "nodes of which one is larger",
    cluster: {
      nodes: [node("worker-0"), node("worker-1"), node("worker-2", { cpus: 8, topology: machine({ cores: 4 }) })],
    },
    finds: [
      ["CpuCountsDiffer", field, "worker-2 has 16, the other 2 have 8"],
      ["CpuInNoPool", "spec.cpu", "CPU 8-15 of worker-2"],
    ],
  },
  {
    what: "nodes of which one has restarted with CPUs switched off",
    spec: { cpu: { reserved: "0,4", isolated: "1-2,5-6", offlined: "3,7" } },
    cluster: { nodes: [counted("worker-0", 8), counted("worker-1", 6)] },
    finds: [],
  },
  {
    what: "nodes with fewer CPUs than the profile names, which cannot have restarted with it",
    spec: { cpu: { reserved: "0", isolated: "1", offlined: "2" } },
    cluster: { nodes: [counted("worker-0", 2), counted("worker-1", 1)] },
    finds: [
      ["CpuCountsDiffer", field, "worker-1 has 1, worker-0 has 2"],
      ["CpusExceedCount", "spec.cpu", "worker-1 has 1"],
    ],
  },
  {
    what: "nodes of which one has restarted without second threads",
    spec: { cpu: { reserved: "0", isolated: "1-3" }, additionalKernelArgs: ["nosmt"] },
    cluster: { nodes: [node("worker-0"), node("worker-1", { cpus: 4 })] },
    finds: [],
  },
  {
    what: "nodes that number their CPUs in two ways",
    cluster: { nodes: [node("worker-0"), node("worker-1"), node("worker-2", { topology: machine({ move: 2 }) })] },
    finds: [["TopologiesDiffer", field, "worker-2 has another CPU topology than worker-0 and worker-1"]],
  },
  {
    what: "nodes that differ in memory alone",
    cluster: { nodes: [node("worker-0"), node("worker-1", { topology: machine({ memory: 32 }) })] },
    finds: [],
  },
  {
    what: "nodes of which one has offline CPUs with an unknown place",
    spec: { cpu: { reserved: "0,4", isolated: "1-2,5-6", offlined: "3,7" } },
    cluster: {
      nodes: [node("worker-0"), node("worker-1", { topology: withoutCore(3) })],
    },
    finds: [],
  },
];

function withoutCore(first: number) {
  const topology = machine();
  return {
    numaNodes: topology.numaNodes.map((numaNode) => ({
      ...numaNode,
      cores: numaNode.cores.filter(({ cpus }) => cpus[0] !== first),
    })),
    offline: [first, first + 4],
  };
}
