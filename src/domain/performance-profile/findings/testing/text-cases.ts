import { annotations } from "../../api.ts";
import { conversionAnnotation } from "../../conversion/conversion-data.ts";
import type { Case } from "./case.ts";

const place = (name: string): string => `metadata.annotations[${name}]`;
const kubelet = (fields: unknown) => ({ [annotations.experimentalKubelet]: JSON.stringify(fields) });
const kubeletPlace = (field: string): string => `${place(annotations.experimentalKubelet)}.${field}`;

export const textCases: readonly Case[] = [
  {
    what: "fields that there are not",
    spec: { workloadHints: { perPodpowerManagement: true }, hugepages: { pages: [{ size: "1G", numa: 1 }] }, gpu: {} },
    finds: [
      ["HugepagesDefaultMissing", "spec.hugepages.defaultHugepagesSize"],
      ["UnknownField", "spec.workloadHints.perPodpowerManagement", "write perPodPowerManagement"],
      ["UnknownField", "spec.hugepages.pages[0].numa"],
      ["UnknownField", "spec.gpu"],
    ],
  },
  {
    what: "a field that is missing as another is misspelt",
    spec: { cpu: { reserved: "0", Isolated: "1" } },
    finds: [
      ["FieldMissing", "spec.cpu.isolated"],
      ["UnknownField", "spec.cpu.Isolated", "write isolated"],
    ],
  },
  {
    what: "fields of other types",
    spec: { cpu: { reserved: 0, isolated: "1" }, numa: "restricted" },
    finds: [
      ["FieldMistyped", "spec.cpu.reserved"],
      ["FieldMistyped", "spec.numa"],
    ],
  },
  { what: "a name that is none", name: "Low Latency", finds: [["NameInvalid", "metadata.name"]] },
  { what: "a name that leaves no room", name: "n".repeat(230), finds: [["NameTooLong", "metadata.name"]] },
  {
    what: "no CPUs",
    spec: { cpu: { reserved: "", isolated: "" } },
    finds: [
      ["CpuPoolEmpty", "spec.cpu.reserved"],
      ["CpuPoolEmpty", "spec.cpu.isolated"],
    ],
  },
  {
    what: "fewer pages than none",
    spec: { hugepages: { defaultHugepagesSize: "1G", pages: [{ size: "1G", count: -1, node: -1 }] } },
    finds: [
      ["HugepagesNegative", "spec.hugepages.pages[0].count"],
      ["HugepagesNegative", "spec.hugepages.pages[0].node"],
    ],
  },
  {
    what: "pages that no kernel has",
    spec: { kernelPageSize: "8k" },
    finds: [["KernelPageSizeUnknown", "spec.kernelPageSize"]],
  },
  {
    what: "a policy that no kubelet has",
    spec: { numa: { topologyPolicy: "Restricted" } },
    finds: [["TopologyPolicyUnknown", "spec.numa.topologyPolicy"]],
  },
  {
    what: "cards that are none",
    spec: {
      net: {
        userLevelNetworking: true,
        devices: [{ interfaceName: "" }, { vendorID: "1af4" }, { deviceID: "0x1000" }, {}, { interfaceName: "!ens*" }],
      },
    },
    finds: [
      ["DeviceMalformed", "spec.net.devices[0].interfaceName"],
      ["DeviceMalformed", "spec.net.devices[1].vendorID"],
      ["DeviceWithoutVendor", "spec.net.devices[2].vendorID"],
      ["DeviceUnidentified", "spec.net.devices[3]"],
    ],
  },
  {
    what: "cards that nothing is done to",
    spec: { net: { userLevelNetworking: false, devices: [{ interfaceName: "ens5" }] } },
    finds: [["DevicesIgnored", "spec.net.devices"]],
  },
  {
    what: "boot arguments that are derived",
    spec: {
      additionalKernelArgs: [
        "isolcpus=1-3",
        "nohz_full=1-3",
        "nohz=on",
        "nohz=off",
        "hugepages=4",
        "irqaffinity=0",
        "intel_pstate=disable",
        "audit=0",
      ],
      hugepages: { defaultHugepagesSize: "1G" },
    },
    finds: [
      ["KernelArgumentDerived", "spec.additionalKernelArgs[0]", "spec.cpu"],
      ["KernelArgumentDerived", "spec.additionalKernelArgs[1]"],
      ["KernelArgumentDerived", "spec.additionalKernelArgs[3]"],
      ["KernelArgumentDerived", "spec.additionalKernelArgs[4]", "spec.hugepages"],
      ["KernelArgumentDerived", "spec.additionalKernelArgs[6]", "spec.hardwareTuning"],
    ],
  },
  {
    what: "boot arguments for pages that the profile leaves alone",
    spec: { additionalKernelArgs: ["hugepages=4"] },
    finds: [],
  },
  {
    what: "boot arguments that are not one each",
    spec: {
      additionalKernelArgs: [
        "",
        "audit=0 quiet",
        'dyndbg="file a.c +p; file b.c +p"',
        'dyndbg="file a.c',
        "line\nbreak",
      ],
    },
    finds: [
      ["KernelArgumentMalformed", "spec.additionalKernelArgs[4]"],
      ["KernelArgumentUnusual", "spec.additionalKernelArgs[0]", "empty"],
      ["KernelArgumentUnusual", "spec.additionalKernelArgs[1]", "space separates"],
      ["KernelArgumentUnusual", "spec.additionalKernelArgs[3]", "quote"],
    ],
  },
  {
    what: "annotations with unknown values",
    spec: { cpu: { reserved: "0", isolated: "1", ovsDpdk: "2" } },
    annotations: {
      [annotations.pause]: "yes",
      [annotations.rps]: "all",
      [annotations.physicalRps]: "enable",
      [annotations.execAffinity]: "Disable",
      [annotations.ovsDpdkBalancing]: "off",
      [annotations.dra]: "yes",
      "performance.openshift.io/enable-rsp": "true",
      [conversionAnnotation]: "{}",
      "example.com/note": "mine",
    },
    finds: [
      ["AnnotationUnknown", place("performance.openshift.io/enable-rsp")],
      ["AnnotationValueUnknown", place(annotations.pause)],
      ["AnnotationValueUnknown", place(annotations.rps), "write true, enable, false or disable"],
      ["AnnotationValueUnknown", place(annotations.physicalRps)],
      ["AnnotationValueUnknown", place(annotations.execAffinity)],
      ["AnnotationValueUnknown", place(annotations.ovsDpdkBalancing)],
      ["AnnotationValueUnknown", place(annotations.dra)],
    ],
  },
  {
    what: "annotations with known values",
    spec: { cpu: { reserved: "0", isolated: "1", ovsDpdk: "2" } },
    annotations: {
      [annotations.pause]: "true",
      [annotations.rps]: "enable",
      [annotations.physicalRps]: "true",
      [annotations.execAffinity]: "disable",
      [annotations.ovsDpdkBalancing]: "DISABLE",
      [annotations.dra]: "F",
    },
    finds: [],
  },
  {
    what: "annotations that need something else",
    annotations: { [annotations.physicalRps]: "true", [annotations.ovsDpdkBalancing]: "disable" },
    finds: [
      ["AnnotationWithoutEffect", place(annotations.physicalRps), annotations.rps],
      ["AnnotationWithoutEffect", place(annotations.ovsDpdkBalancing), "spec.cpu.ovsDpdk"],
    ],
  },
  {
    what: "a kubelet's fields that are no JSON",
    annotations: { [annotations.experimentalKubelet]: "podPidsLimit: 4096" },
    finds: [["KubeletAnnotationMalformed", place(annotations.experimentalKubelet)]],
  },
  {
    what: "a kubelet's fields of another type",
    annotations: kubelet({ podPidsLimit: "many" }),
    finds: [["KubeletFieldMistyped", kubeletPlace("podPidsLimit")]],
  },
  {
    what: "a kubelet's fields that there are not",
    annotations: kubelet({ podPidsLimit: 4096, podPidLimit: 4096 }),
    finds: [["KubeletFieldUnknown", kubeletPlace("podPidLimit")]],
  },
  {
    what: "a kubelet's fields that others decide",
    annotations: kubelet({
      cpuManagerPolicy: "none",
      cpuManagerReconcilePeriod: "5s",
      topologyManagerPolicy: "restricted",
      reservedSystemCPUs: "0",
      memoryManagerPolicy: "Static",
    }),
    finds: [
      ["KubeletFieldOverridden", kubeletPlace("cpuManagerPolicy")],
      ["KubeletFieldOverridden", kubeletPlace("topologyManagerPolicy"), "spec.numa.topologyPolicy"],
      ["KubeletFieldOverridden", kubeletPlace("reservedSystemCPUs"), "spec.cpu"],
    ],
  },
  {
    what: "a kubelet's memory policy under one that decides it",
    spec: { numa: { topologyPolicy: "restricted" } },
    annotations: kubelet({ memoryManagerPolicy: "None" }),
    finds: [["KubeletFieldOverridden", kubeletPlace("memoryManagerPolicy")]],
  },
  {
    what: "options of a manager that is off",
    annotations: { ...kubelet({ cpuManagerPolicyOptions: { "full-pcpus-only": "true" } }), [annotations.dra]: "true" },
    finds: [["KubeletFieldOverridden", kubeletPlace("cpuManagerPolicyOptions"), annotations.dra]],
  },
  {
    what: "a share of memory where amounts are added up",
    spec: { numa: { topologyPolicy: "single-numa-node" } },
    annotations: kubelet({ evictionHard: { "memory.available": "5%" } }),
    finds: [["MemoryNotSummable", kubeletPlace("evictionHard[memory.available]")]],
  },
];
