import { group, type MachineConfigPool } from "../machine-config/api.ts";
import { type PartitioningMode, partitioningMode } from "../workload-partitioning/identifier.ts";
import { type PoolNode, poolNodeOf } from "./pool-node.ts";
import { TopologyReader } from "../../language/cpu/topology-reader.ts";
import { at, isObject } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { bootstrapName } from "../workload-partitioning/bootstrap-machine-config.ts";
import { workloadFiles } from "../workload-partitioning/crio-workloads.ts";
import { mixedCpusAllowed } from "./mixed-cpus-allowed.ts";
import { derivedNames } from "./names.ts";
import { poolFor, selects } from "./pools.ts";

/** What a profile depends on in a cluster. */
export interface Surroundings {
  /** The nodes that its node selector selects. */
  readonly nodes: readonly PoolNode[];
  readonly otherProfiles: readonly OtherProfile[];
  /** Absent: the cluster has no such kind. */
  readonly pools?: readonly MachineConfigPool[] | undefined;
  readonly partitioning: PartitioningMode;
  readonly mixedCpusAllowed: boolean;
  /** Files with a CRI-O workloads table in MachineConfigs of other owners for these nodes. */
  readonly foreignWorkloads: readonly ForeignWorkloads[];
}

export interface OtherProfile {
  readonly name: string;
  readonly nodeSelector: Readonly<Record<string, string>>;
  /** Names of the nodes that both profiles select. Absent: none. */
  readonly sharedNodes?: readonly string[];
}

export interface ForeignWorkloads {
  readonly machineConfig: string;
  readonly path: string;
}

/** Objects of a cluster that profiles depend on. Kinds that the cluster does not have are absent. */
export interface ClusterObjects {
  readonly nodes: readonly KubeObject[];
  readonly performanceProfiles: readonly KubeObject[];
  /** Of node tuning, one per node: they have the hardware of nodes. */
  readonly profiles?: readonly KubeObject[] | undefined;
  readonly pools?: readonly MachineConfigPool[] | undefined;
  readonly machineConfigs?: readonly KubeObject[] | undefined;
  /** Or the ConfigMap that stands in for it. */
  readonly infrastructure?: KubeObject | undefined;
  readonly featureGate?: KubeObject | undefined;
}

type Labels = Readonly<Record<string, string>>;

/** What a profile depends on among these objects, which may be whole or projected by `projections.ts`. */
export function surroundingsOf(profile: KubeObject, objects: ClusterObjects): Surroundings {
  const { nodes, performanceProfiles, profiles = [], pools, infrastructure, featureGate } = objects;
  const { name } = profile.metadata;
  const selector = nodeSelectorOf(profile);
  const topologies = new TopologyReader();
  const tuned = new Map(profiles.map((one) => [one.metadata.name, one]));
  const selected = nodes.filter((node) => isSelected(node, selector));
  return {
    nodes: selected.map((node) => poolNodeOf(node, tuned.get(node.metadata.name), topologies)),
    otherProfiles: performanceProfiles
      .filter((other) => other.metadata.name !== name)
      .map((other) => otherProfile(other, selected)),
    pools,
    partitioning: partitioningMode(infrastructure),
    mixedCpusAllowed: mixedCpusAllowed(featureGate),
    foreignWorkloads: foreignWorkloads(profile, objects),
  };
}

function otherProfile(profile: KubeObject, nodes: readonly KubeObject[]): OtherProfile {
  const nodeSelector = nodeSelectorOf(profile);
  const shared = nodes.filter((node) => isSelected(node, nodeSelector)).map(({ metadata }) => metadata.name ?? "");
  const { name = "" } = profile.metadata;
  return { name, nodeSelector, ...(shared.length > 0 ? { sharedNodes: shared } : {}) };
}

function nodeSelectorOf(profile: KubeObject): Labels {
  return labelsOf(at(profile, "spec", "nodeSelector"));
}

function labelsOf(value: unknown): Labels {
  return isObject(value) && Object.values(value).every((label) => typeof label === "string")
    ? (value as Record<string, string>)
    : {};
}

/** An empty selector is a mistake and selects no node. */
function isSelected({ metadata: { labels = {} } }: KubeObject, selector: Labels): boolean {
  const wanted = Object.keys(selector);
  return wanted.length > 0 && wanted.every((key) => Object.hasOwn(labels, key) && labels[key] === selector[key]);
}

/** Of MachineConfigs that the profile's pool selects, without those derived from profiles and those of the installation. */
function foreignWorkloads(profile: KubeObject, objects: ClusterObjects): ForeignWorkloads[] {
  const { pools = [], machineConfigs = [], performanceProfiles } = objects;
  const found = poolFor(nodeSelectorOf(profile), pools);
  if (found.type !== "pool") return [];
  const ours = new Set(
    [profile, ...performanceProfiles].map((one) => derivedNames(one.metadata.name ?? "").machineConfig),
  );
  const configs = found.pool.spec?.machineConfigSelector;
  return machineConfigs
    .filter(
      (config) =>
        !ours.has(config.metadata.name ?? "") &&
        !isInstalled(config) &&
        selects(configs, labelsOf(config.metadata.labels)),
    )
    .flatMap((config) =>
      workloadFiles(config).map(({ path }) => ({ machineConfig: config.metadata.name ?? "", path })),
    );
}

/** A partitioned cluster is installed with one of these for each role. */
function isInstalled({ metadata: { name, labels = {} } }: KubeObject): boolean {
  return name === bootstrapName(labels[`${group}/role`] ?? "");
}
