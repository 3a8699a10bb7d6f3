import { annotations } from "../../api.ts";
import type { Case } from "./case.ts";

const shared = { reserved: "0,4", isolated: "1-2,5-6", shared: "3,7" };
const ovsDpdk = { reserved: "0,4", isolated: "1-2,5-6", ovsDpdk: "3,7" };
const mixed = { cpu: shared, workloadHints: { mixedCpus: true } };

export const hintCases: readonly Case[] = [
  {
    what: "the real-time kernel without the hint for it",
    spec: { realTimeKernel: { enabled: true }, workloadHints: { realTime: false } },
    finds: [["RealTimeHintOff", "spec.workloadHints.realTime"]],
  },
  {
    what: "the real-time kernel and no word about the hint",
    spec: { realTimeKernel: { enabled: true }, workloadHints: {} },
    finds: [],
  },
  {
    what: "both hints for power",
    spec: { workloadHints: { highPowerConsumption: true, perPodPowerManagement: true } },
    finds: [["PowerHintsConflict", "spec.workloadHints"]],
  },
  {
    what: "nothing to share",
    spec: { workloadHints: { mixedCpus: true } },
    finds: [["SharedCpusMissing", "spec.workloadHints.mixedCpus", "spec.cpu.shared"]],
  },
  { what: "CPUs to share where that is allowed", spec: mixed, cluster: { mixedCpusAllowed: true }, finds: [] },
  {
    what: "CPUs to share where that is not allowed",
    spec: mixed,
    cluster: {},
    finds: [["MixedCpusNotAllowed", "spec.workloadHints.mixedCpus"]],
  },
  {
    what: "CPUs to share that the kubelet does not give out",
    spec: mixed,
    annotations: { [annotations.dra]: "true" },
    cluster: { mixedCpusAllowed: true },
    finds: [["MixedCpusWithDra", "spec.workloadHints.mixedCpus"]],
  },
  {
    what: "shared CPUs that the cluster does not allow",
    spec: mixed,
    annotations: { [annotations.dra]: "true" },
    cluster: {},
    finds: [["MixedCpusNotAllowed", "spec.workloadHints.mixedCpus"]],
  },
  {
    what: "a policy for a manager that is off",
    spec: { numa: { topologyPolicy: "restricted" } },
    annotations: { [annotations.dra]: "1" },
    finds: [["TopologyPolicyIgnored", "spec.numa.topologyPolicy"]],
  },
  {
    what: "one frequency",
    spec: { hardwareTuning: { isolatedCpuFreq: 2_500_000 } },
    finds: [["FrequencyMissing", "spec.hardwareTuning.reservedCpuFreq"]],
  },
  {
    what: "frequencies that are none",
    spec: { hardwareTuning: { isolatedCpuFreq: 0, reservedCpuFreq: -1 } },
    finds: [
      ["FrequencyNotPositive", "spec.hardwareTuning.isolatedCpuFreq"],
      ["FrequencyNotPositive", "spec.hardwareTuning.reservedCpuFreq"],
    ],
  },
  {
    what: "frequencies in other units",
    spec: { hardwareTuning: { isolatedCpuFreq: 2500, reservedCpuFreq: 2_500_000_000 } },
    finds: [
      ["FrequencyUnlikely", "spec.hardwareTuning.isolatedCpuFreq", "2.5 MHz"],
      ["FrequencyUnlikely", "spec.hardwareTuning.reservedCpuFreq"],
    ],
  },
  {
    what: "CPUs of OVS-DPDK that pods may use as well",
    spec: { cpu: ovsDpdk },
    cluster: {},
    finds: [["OvsDpdkUnprotected", "spec.cpu.ovsDpdk"]],
  },
  { what: "CPUs of OVS-DPDK where no cluster is asked", spec: { cpu: ovsDpdk }, finds: [] },
  {
    what: "CPUs of OVS-DPDK on a partitioned cluster",
    spec: { cpu: ovsDpdk },
    cluster: { partitioning: "AllNodes" },
    finds: [],
  },
  {
    what: "CPUs of OVS-DPDK that the kubelet keeps pods off",
    spec: { cpu: ovsDpdk },
    annotations: {
      [annotations.experimentalKubelet]: '{"cpuManagerPolicyOptions":{"strict-cpu-reservation":"true"}}',
    },
    cluster: {},
    finds: [],
  },
  {
    what: "others' tables on a partitioned cluster",
    cluster: {
      partitioning: "AllNodes",
      foreignWorkloads: [
        { machineConfig: "02-worker-pinning", path: "/etc/crio/crio.conf.d/01-pinning" },
        { machineConfig: "99-worker-pinning", path: "/etc/crio/crio.conf.d/99-workload-pinning.conf" },
      ],
    },
    finds: [
      ["ForeignWorkloadsTable", "spec.cpu.reserved", "02-worker-pinning has the file /etc/crio/crio.conf.d/01-pinning"],
      ["ForeignWorkloadsTable", "spec.cpu.reserved", "may override"],
    ],
  },
  {
    what: "one reserved CPU on a partitioned cluster",
    spec: { cpu: { reserved: "0", isolated: "1-7" } },
    cluster: { partitioning: "AllNodes" },
    finds: [
      ["CoreIsSplit", "spec.cpu.isolated"],
      ["ReservedTooSmall", "spec.cpu.reserved", "share CPU 0"],
    ],
  },
  {
    what: "one reserved CPU on a cluster that is not partitioned",
    spec: { cpu: { reserved: "0", isolated: "1-7" } },
    cluster: {},
    finds: [["CoreIsSplit", "spec.cpu.isolated"]],
  },
  {
    what: "others' tables on a cluster that is not partitioned",
    cluster: { foreignWorkloads: [{ machineConfig: "02-worker", path: "/etc/crio/crio.conf.d/01-pinning" }] },
    finds: [],
  },
];
