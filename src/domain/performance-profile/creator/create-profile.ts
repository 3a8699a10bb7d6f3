import { formatRanges } from "../../../language/cpu/cpu-set.ts";
import type { MachineConfigPool } from "../../machine-config/api.ts";
import { apiVersion, type PerformanceProfile } from "../api.ts";
import { allocate, type Allocation } from "./allocate.ts";
import type { Choices } from "./choices.ts";
import { compareHardware, type Machine } from "./compare-hardware.ts";
import type { NodeGroup } from "./node-groups.ts";
import { textsOf } from "./cluster-node.ts";

export interface CreationInput {
  readonly choices: Choices;
  readonly group: NodeGroup;
  /** The nodes of the group. */
  readonly machines: readonly Machine[];
  /** All pools of the cluster. */
  readonly pools?: readonly MachineConfigPool[] | undefined;
}

export type Creation =
  | {
      readonly type: "created";
      readonly profile: PerformanceProfile;
      /** Core ids differ between nodes. */
      readonly coreIdsDiffer: boolean;
      readonly warnings: readonly string[];
    }
  | { readonly type: "refused"; readonly reasons: readonly string[] };

/** A profile for the nodes of a group, from the hardware of the first node if all are equal. */
export function createProfile({ choices, group, machines, pools }: CreationInput): Creation {
  const [first] = machines;
  if (!first) return { type: "refused", reasons: [`${group.type} ${group.name} has no nodes`] };
  const { errors, warnings } = compareHardware(machines);
  if (errors.length > 0) return { type: "refused", reasons: [...errors, separate(group)] };
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
    warnings: [...warnings, ...machines.flatMap(offlineCpus), ...allocation.warnings],
  };
}

function separate({ type, name }: NodeGroup): string {
  const because = "a profile names CPUs by number, so that all its nodes must have the same";
  const how =
    type === "node pool"
      ? "give machines of each kind a NodePool of their own, and create a profile for each NodePool"
      : "give nodes of each kind a role label and a pool of their own, and create a profile for each pool";
  return `one profile cannot serve all nodes of ${type} ${name}: ${because}; ${how}`;
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

function offlineCpus({ name, topology }: Machine): string[] {
  if (topology.offline.length === 0) return [];
  return [`CPUs ${formatRanges(topology.offline)} of node ${name} are offline and in no set`];
}

/** How a profile selects its nodes. */
export type Target =
  | {
      readonly type: "target";
      readonly nodeSelector: Readonly<Record<string, string>>;
      readonly poolSelector?: Readonly<Record<string, string>>;
    }
  | { readonly type: "refused"; readonly reason: string };

export function targetOf({ type, name, pool }: NodeGroup, pools: readonly MachineConfigPool[] = []): Target {
  // In a hosted cluster, the NodePool that refers to the profile decides which nodes get it, not the selector.
  if (type === "node pool") return { type: "target", nodeSelector: { "node-role.kubernetes.io/worker": "" } };
  if (type === "role" || !pool) return { type: "target", nodeSelector: { [`node-role.kubernetes.io/${name}`]: "" } };
  const nodeSelector = textsOf(pool.spec?.nodeSelector?.matchLabels);
  if (Object.keys(nodeSelector).length === 0)
    return {
      type: "refused",
      reason: `pool ${name}: a profile can select its nodes only by spec.nodeSelector.matchLabels`,
    };
  const poolSelector = ownLabel(pool, pools);
  if (!poolSelector)
    return { type: "refused", reason: `pool ${name}: give it a label that no other pool has, such as pool=${name}` };
  return { type: "target", nodeSelector, poolSelector };
}

/** A label that only this pool has, preferably one that ends with its name. */
function ownLabel(pool: MachineConfigPool, pools: readonly MachineConfigPool[]): Record<string, string> | undefined {
  const { name = "" } = pool.metadata;
  const others = pools.filter(({ metadata }) => metadata.name !== name).map(({ metadata }) => textsOf(metadata.labels));
  const own = Object.entries(textsOf(pool.metadata.labels))
    .filter(([key, value]) => !others.some((labels) => Object.hasOwn(labels, key) && labels[key] === value))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const [key, value] = own.find(([one]) => one.endsWith(name)) ?? own[0] ?? [];
  return key === undefined || value === undefined ? undefined : { [key]: value };
}
