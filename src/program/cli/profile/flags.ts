import { tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { list, text, toggle, unread } from "../option/flag.ts";
import { connectionFlags, manifestFlags, mustGatherFlag, outputFlag } from "../option/shared-flags.ts";

/** Flags of `attune profile …`: a table for each command. */

/** Where nodes, pools and hardware are read from. */
export const sourceFlags = {
  mustGatherDirPath: mustGatherFlag,
  kubeconfig: text("--kubeconfig <file>", "read the cluster of this kubeconfig instead of a must-gather"),
  context: connectionFlags.context,
  namespace: text("-n, --namespace <name>", "namespace of the Profiles in the cluster", { default: tuningNamespace }),
  snapshot: list(
    "--snapshot <node=file>",
    "hardware of a node, as written by attune agent --sysinfo; also NODE.tgz, or a folder of such files; may be repeated",
  ),
};

/** Flags that describe the profile. `creator/choices.ts` reads their texts, so that it can report all faults at once. */
export const choiceFlags = {
  reservedCpuCount: unread("--reserved-cpu-count <n>", "number of CPUs for the system (required)"),
  rtKernel: unread("--rt-kernel [bool]", "run the real-time kernel (required)"),
  offlinedCpuCount: unread("--offlined-cpu-count <n>", "number of CPUs to take offline", "0"),
  splitReservedCpusAcrossNuma: unread(
    "--split-reserved-cpus-across-numa [bool]",
    "take the same number of reserved CPUs from each NUMA node",
  ),
  disableHt: unread("--disable-ht [bool]", "boot nodes with hyper-threading off"),
  userLevelNetworking: unread(
    "--user-level-networking [bool]",
    "limit network card queues to the number of reserved CPUs",
  ),
  powerConsumptionMode: unread(
    "--power-consumption-mode <mode>",
    "default, low-latency or ultra-low-latency",
    "default",
  ),
  perPodPowerManagement: unread(
    "--per-pod-power-management [bool]",
    "let pods control the power management of their CPUs",
  ),
  topologyManagerPolicy: unread(
    "--topology-manager-policy <policy>",
    "single-numa-node, best-effort or restricted",
    "restricted",
  ),
  profileName: unread("--profile-name <name>", "name of the profile", "performance"),
  enableHardwareTuning: unread(
    "--enable-hardware-tuning [bool]",
    "add a comment on how to set the maximum CPU frequencies",
  ),
};

export const createFlags = {
  ...sourceFlags,
  kubeconfig: { ...sourceFlags.kubeconfig, shownDefault: "$KUBECONFIG, if no other source is given" },
  mcpName: text("--mcp-name <name>", "name of the MachineConfigPool; on a cluster without pools, role of the nodes"),
  nodePoolName: text("--node-pool-name <name>", "name of the NodePool of a hosted cluster"),
  ...choiceFlags,
};

export const infoFlags = {
  ...sourceFlags,
  mustGatherDirPath: {
    ...mustGatherFlag,
    shownDefault: "must-gather, if it exists and no other source is given",
  },
  kubeconfig: { ...sourceFlags.kubeconfig, shownDefault: connectionFlags.kubeconfig.shownDefault },
  output: outputFlag(["text", "json", "yaml"], "text, json or yaml"),
  json: toggle("--json", "print JSON in one line"),
  text: toggle("--text", "print text, as -o text does"),
};

export const checkFlags = {
  ...manifestFlags,
  mustGatherDirPath: mustGatherFlag,
  output: outputFlag(["table", "json", "yaml"], "table, json or yaml"),
};
