import type { Schema } from "../../language/schema/schema.ts";

const text: Schema = { type: "string" };
const flag: Schema = { type: "boolean" };

function described(schema: Schema, description: string): Schema {
  return { ...schema, description };
}

function object(properties: Record<string, Schema>, ...required: string[]): Schema {
  return required.length > 0 ? { type: "object", properties, required } : { type: "object", properties };
}

function list(items: Schema): Schema {
  return { type: "array", items };
}

const labels: Schema = { type: "object", additionalProperties: text };
const int32: Schema = { type: "integer", format: "int32" };
const kiloHertz: Schema = { type: "integer" };
const time: Schema = { type: "string", format: "date-time" };

const cpuset = (of: string): Schema => described(text, `${of} A list as in "0-3,8".`);

const cpu = {
  reserved: cpuset("CPUs of the system: daemons, infrastructure containers, interrupts."),
  isolated: cpuset("CPUs of workloads."),
  balanceIsolated: described(
    flag,
    "Whether the scheduler balances load among the isolated CPUs. False suits workloads that place every thread themselves. Default true.",
  ),
};
const pools = "CPUs by purpose. Each CPU is in one pool at most.";
const offlined = cpuset("CPUs that are taken offline at boot.");
const shared = cpuset("CPUs that workloads with isolated CPUs may use in addition, with the hint mixedCpus.");
const ovsDpdk = cpuset("CPUs of the poll-mode threads of OVS-DPDK.");

const hardwareTuning = described(
  object({
    isolatedCpuFreq: described(kiloHertz, "Highest frequency of the isolated CPUs in kHz."),
    reservedCpuFreq: described(kiloHertz, "Highest frequency of the reserved CPUs in kHz."),
  }),
  "Limits of CPU frequencies. Both are needed.",
);

const hugepages = described(
  object({
    defaultHugepagesSize: described(text, "The size that programs get if they name none."),
    pages: described(
      list(
        object({
          size: described(text, "2M and 1G on amd64; on arm64 it depends on kernelPageSize."),
          count: described(int32, "Number of pages."),
          node: described(int32, "NUMA node. Absent: pages are spread over all nodes."),
        }),
      ),
      "Huge pages to allocate.",
    ),
  }),
  "Huge pages.",
);

const net = described(
  object({
    userLevelNetworking: described(
      flag,
      "Gives network cards as many queues as there are reserved CPUs. Default false.",
    ),
    devices: described(
      list(
        object({
          interfaceName: described(
            text,
            'Name of an interface; "*" stands for any text, a leading "!" for all others.',
          ),
          vendorID: described(text, "Vendor of the card, as in 0x1af4."),
          deviceID: described(text, "Model of the card, as in 0x1000. Needs the vendor."),
        }),
      ),
      "Which cards. Default all.",
    ),
  }),
  "Network cards.",
);

const hints = {
  highPowerConsumption: described(flag, "Low latency at the cost of higher power consumption. Default false."),
  realTime: described({ ...flag, default: true }, "Tuning for bounded latency. Default true."),
  perPodPowerManagement: described(flag, "Pods choose C-states and frequency governors themselves. Default false."),
};
const trade = "What workloads need.";
const mixedCpus = described(flag, "Pods with isolated CPUs may also use shared ones. Default false.");

const everywhere = {
  additionalKernelArgs: described(list(text), "Appended to the boot arguments as they are."),
  hugepages,
  machineConfigLabel: described(labels, "One label for the MachineConfig. Default: the role that nodeSelector names."),
  machineConfigPoolSelector: described(
    labels,
    "One label of pools. Default: those of the pool that nodeSelector matches.",
  ),
  nodeSelector: described(labels, "One label of the nodes, which also selects their pool."),
  numa: described(
    object({
      topologyPolicy: described(text, "none, best-effort, restricted or single-numa-node. Default best-effort."),
    }),
    "Alignment of the CPUs, memory and devices of a pod.",
  ),
  realTimeKernel: described(
    object({ enabled: described(flag, "Whether nodes run the real-time kernel. Default false.") }),
    "The kernel of the nodes.",
  ),
};

const irq = described(
  flag,
  "Bans interrupts from isolated CPUs always; otherwise each pod asks for it. Default false.",
);

const status = object({
  conditions: list(
    object(
      { type: text, status: text, reason: text, message: text, lastTransitionTime: time, lastHeartbeatTime: time },
      "type",
      "status",
    ),
  ),
  tuned: described(text, "The Tuned that was derived, namespace and name."),
  runtimeClass: described(text, "The RuntimeClass that was derived."),
  observedGeneration: described({ type: "integer", format: "int64" }, "The generation that the status is about."),
});

function version(spec: Schema): Schema {
  return object({
    apiVersion: text,
    kind: text,
    metadata: { type: "object" },
    spec,
    status,
  });
}

/** Schemas of PerformanceProfiles, oldest version last. Checks of their values are in findings.ts. */
export const schemas = {
  v2: version(
    object(
      {
        ...everywhere,
        cpu: described(object({ ...cpu, offlined, shared, ovsDpdk }, "reserved", "isolated"), pools),
        hardwareTuning,
        net,
        globallyDisableIrqLoadBalancing: irq,
        kernelPageSize: described({ ...text, default: "4k" }, "4k, or on arm64 also 64k."),
        workloadHints: described(object({ ...hints, mixedCpus }), trade),
      },
      "cpu",
      "nodeSelector",
    ),
  ),
  v1: version(
    object(
      {
        ...everywhere,
        cpu: described(object({ ...cpu, offlined }, "isolated"), pools),
        hardwareTuning,
        net,
        globallyDisableIrqLoadBalancing: irq,
        workloadHints: described(object(hints), trade),
      },
      "cpu",
      "nodeSelector",
    ),
  ),
  v1alpha1: version(object({ ...everywhere, cpu: described(object(cpu), pools) })),
} satisfies Record<string, Schema>;

export type Version = keyof typeof schemas;
