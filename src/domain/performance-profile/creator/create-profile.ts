import { formatRanges } from "../../../language/cpu/cpu-set.ts";
import type { MachineConfigPool } from "../../machine-config/api.ts";
import { apiVersion, type PerformanceProfile } from "../api.ts";
import { allocate, type Allocation } from "./allocate.ts";
import type { Choices } from "./choices.ts";
import { compareHardware, type Machine } from "./compare-hardware.ts";
import type { NodeGroup } from "./node-groups.ts";
import { targetOf, type Target } from "./target.ts";

export interface CreationInput {
  readonly choices: Choices;
  readonly group: NodeGroup;
  /** The nodes of the group. */
  readonly machines: readonly Machine[];
  /** All pools of the cluster. */
  readonly pools?: readonly MachineConfigPool[];
}

export type Creation =
  | {
      readonly type: "created";
      readonly profile: PerformanceProfile;
      /** Cores are numbered differently on some nodes. */
      readonly coreIdsDiffer: boolean;
      readonly warnings: readonly string[];
    }
  | { readonly type: "refused"; readonly reasons: readonly string[] };

/** A profile for the nodes of a group, by the first of them once all have proved alike. */
export function createProfile({ choices, group, machines, pools }: CreationInput): Creation {
  const [first] = machines;
  if (!first) return { type: "refused", reasons: [`${group.type} ${group.name} has no nodes`] };
  const { errors, warnings } = compareHardware(machines);
  if (errors.length > 0) return { type: "refused", reasons: errors };
  const target = targetOf(group, pools);
  if (target.type === "refused") return { type: "refused", reasons: [target.reason] };
  const allocation = allocate(first.topology, {
    reserved: choices.reserved,
    offlined: choices.offlined,
    split: choices.splitAcrossNuma,
    disableSmt: choices.disableSmt,
    keepSockets: choices.powerMode === "ultra-low-latency",
  });
  if (allocation.type === "impossible") return { type: "refused", reasons: [allocation.reason] };
  return {
    type: "created",
    profile: profileOf(choices, target, allocation),
    coreIdsDiffer: warnings.length > 0,
    warnings: [...warnings, ...machines.flatMap(switchedOff), ...allocation.warnings],
  };
}

function profileOf(
  choices: Choices,
  { nodeSelector, poolSelector }: Extract<Target, { type: "target" }>,
  { reserved, isolated, offlined }: Extract<Allocation, { type: "allocated" }>,
): PerformanceProfile {
  return {
    apiVersion,
    kind: "PerformanceProfile",
    metadata: { name: choices.profileName },
    spec: {
      cpu: {
        reserved: formatRanges(reserved),
        isolated: formatRanges(isolated),
        ...(offlined.length > 0 ? { offlined: formatRanges(offlined) } : {}),
      },
      nodeSelector: { ...nodeSelector },
      ...(poolSelector ? { machineConfigPoolSelector: { ...poolSelector } } : {}),
      numa: { topologyPolicy: choices.topologyPolicy },
      realTimeKernel: { enabled: choices.realTimeKernel },
      ...(choices.disableSmt ? { additionalKernelArgs: ["nosmt"] } : {}),
      net: { userLevelNetworking: choices.userLevelNetworking },
      workloadHints: {
        realTime: choices.powerMode !== "default",
        highPowerConsumption: choices.powerMode === "ultra-low-latency",
        perPodPowerManagement: choices.perPodPowerManagement,
      },
    },
  };
}

function switchedOff({ name, topology }: Machine): string[] {
  if (topology.offline.length === 0) return [];
  return [`CPUs ${formatRanges(topology.offline)} of node ${name} are switched off and divided among no set`];
}
