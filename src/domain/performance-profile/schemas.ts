import type { Schema } from "../../language/schema/schema.ts";

const text: Schema = { type: "string" };
const flag: Schema = { type: "boolean" };

function said(schema: Schema, description: string): Schema {
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

const cpuset = (of: string): Schema => said(text, `${of} A list as in "0-3,8".`);

const cpu = {
  reserved: cpuset("CPUs of the system: daemons, infrastructure containers, interrupts."),
  isolated: cpuset("CPUs of workloads."),
  balanceIsolated: said(
    flag,
    "Whether the scheduler balances load among the isolated CPUs. False suits workloads that place every thread themselves. Default true.",
  ),
};
const pools = "CPUs by what they are for. Each is in one pool at most.";
const offlined = cpuset("CPUs that are switched off at boot.");
const shared = cpuset("CPUs that workloads with isolated ones may use besides, with the hint mixedCpus.");
const ovsDpdk = cpuset("CPUs of the poll-mode threads of OVS-DPDK.");

const hardwareTuning = said(
  object({
    isolatedCpuFreq: said(kiloHertz, "Highest frequency of the isolated CPUs in kHz."),
    reservedCpuFreq: said(kiloHertz, "Highest frequency of the reserved CPUs in kHz."),
  }),
  "Limits of CPU frequencies. Both are needed.",
);

const hugepages = said(
  object({
    defaultHugepagesSize: said(text, "The size that programs get when they name none."),
    pages: said(
      list(
        object({
          size: said(text, "2M and 1G on amd64; on arm64 it depends on kernelPageSize."),
          count: said(int32, "How many."),
          node: said(int32, "On which NUMA node. Without one they are spread over all."),
        }),
      ),
      "Huge pages that are set aside.",
    ),
  }),
  "Huge pages.",
);

const net = said(
  object({
    userLevelNetworking: said(flag, "Gives network cards as many queues as there are reserved CPUs. Default false."),
    devices: said(
      list(
        object({
          interfaceName: said(text, 'Name of an interface; "*" stands for any text, a leading "!" for all others.'),
          vendorID: said(text, "Vendor of the card, as in 0x1af4."),
          deviceID: said(text, "Model of the card, as in 0x1000. Needs the vendor."),
        }),
      ),
      "Which cards. Default all.",
    ),
  }),
  "Network cards.",
);

const hints = {
  highPowerConsumption: said(flag, "Low latency whatever it costs in power. Default false."),
  realTime: said({ ...flag, default: true }, "Tuned for latency that is bounded. Default true."),
  perPodPowerManagement: said(flag, "Pods choose C-states and frequency governors themselves. Default false."),
};
const trade = "What workloads need, and what may be paid for it.";
const mixedCpus = said(flag, "Pods with isolated CPUs may also have shared ones. Default false.");

const everywhere = {
  additionalKernelArgs: said(list(text), "Appended to the boot arguments as they are."),
  hugepages,
  machineConfigLabel: said(labels, "One label for the MachineConfig. Default: the role that nodeSelector names."),
  machineConfigPoolSelector: said(labels, "One label of pools. Default: those of the pool that nodeSelector leads to."),
  nodeSelector: said(labels, "One label of the nodes; it leads to their pool."),
  numa: said(
    object({
      topologyPolicy: said(text, "none, best-effort, restricted or single-numa-node. Default best-effort."),
    }),
    "How close to each other a pod gets its CPUs, memory and devices.",
  ),
  realTimeKernel: said(
    object({ enabled: said(flag, "Whether nodes run the real-time kernel. Default false.") }),
    "The kernel of the nodes.",
  ),
};

const irq = said(
  flag,
  "Bans interrupts from isolated CPUs for good; otherwise pods ask for it one by one. Default false.",
);

const status = object({
  conditions: list(
    object(
      { type: text, status: text, reason: text, message: text, lastTransitionTime: time, lastHeartbeatTime: time },
      "type",
      "status",
    ),
  ),
  tuned: said(text, "The Tuned that was derived, namespace and name."),
  runtimeClass: said(text, "The RuntimeClass that was derived."),
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

/** Shapes of PerformanceProfiles, oldest version last. What they mean is judged in findings.ts. */
export const schemas = {
  v2: version(
    object(
      {
        ...everywhere,
        cpu: said(object({ ...cpu, offlined, shared, ovsDpdk }, "reserved", "isolated"), pools),
        hardwareTuning,
        net,
        globallyDisableIrqLoadBalancing: irq,
        kernelPageSize: said({ ...text, default: "4k" }, "4k, or on arm64 also 64k."),
        workloadHints: said(object({ ...hints, mixedCpus }), trade),
      },
      "cpu",
      "nodeSelector",
    ),
  ),
  v1: version(
    object(
      {
        ...everywhere,
        cpu: said(object({ ...cpu, offlined }, "isolated"), pools),
        hardwareTuning,
        net,
        globallyDisableIrqLoadBalancing: irq,
        workloadHints: said(object(hints), trade),
      },
      "cpu",
      "nodeSelector",
    ),
  ),
  v1alpha1: version(object({ ...everywhere, cpu: said(object(cpu), pools) })),
} satisfies Record<string, Schema>;

export type Version = keyof typeof schemas;
