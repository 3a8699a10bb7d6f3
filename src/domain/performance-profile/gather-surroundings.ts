import { TopologyReader } from "../../language/cpu/topology-reader.ts";
import { group, type MachineConfigPool } from "../machine-config/api.ts";
import { at, isObject } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { bootstrapName } from "../workload-partitioning/bootstrap-machine-config.ts";
import { partitioningMode } from "../workload-partitioning/partitioning-mode.ts";
import { workloadFiles } from "./foreign-workloads.ts";
import { mixedCpusAllowed } from "./mixed-cpus-allowed.ts";
import { derivedNames } from "./names.ts";
import { poolNodeOf } from "./pool-node.ts";
import { poolFor, selects } from "./pools.ts";
import type { ForeignWorkloads, Surroundings } from "./surroundings.ts";

/** What a cluster has, as far as profiles meet it. Kinds that it does not have are absent. */
export interface ClusterObjects {
  readonly nodes: readonly KubeObject[];
  readonly performanceProfiles: readonly KubeObject[];
  /** Of node tuning, one a node: they say what nodes are made of. */
  readonly profiles?: readonly KubeObject[] | undefined;
  readonly pools?: readonly MachineConfigPool[] | undefined;
  readonly machineConfigs?: readonly KubeObject[] | undefined;
  readonly infrastructure?: KubeObject | undefined;
  readonly featureGate?: KubeObject | undefined;
}

type Labels = Readonly<Record<string, string>>;

/** What a profile, whoever wrote it, meets among these objects. They may be whole, or what `projections.ts` leaves of them. */
export function surroundingsOf(profile: KubeObject, objects: ClusterObjects): Surroundings {
  const { nodes, performanceProfiles, profiles = [], pools, infrastructure, featureGate } = objects;
  const { name } = profile.metadata;
  const selector = nodeSelectorOf(profile);
  const topologies = new TopologyReader();
  const tuned = new Map(profiles.map((one) => [one.metadata.name, one]));
  return {
    nodes: nodes
      .filter((node) => isSelected(node, selector))
      .map((node) => poolNodeOf(node, tuned.get(node.metadata.name), topologies)),
    otherProfiles: performanceProfiles
      .filter((other) => other.metadata.name !== name)
      .map((other) => ({ name: other.metadata.name ?? "", nodeSelector: nodeSelectorOf(other) })),
    pools,
    partitioning: partitioningMode(infrastructure),
    mixedCpusAllowed: mixedCpusAllowed(featureGate),
    foreignWorkloads: foreignWorkloads(profile, objects),
  };
}

function nodeSelectorOf(profile: KubeObject): Labels {
  return labelsOf(at(profile, "spec", "nodeSelector"));
}

function labelsOf(value: unknown): Labels {
  return isObject(value) && Object.values(value).every((label) => typeof label === "string")
    ? (value as Record<string, string>)
    : {};
}

/** An empty selector is a mistake, and nobody means all nodes by it. */
function isSelected({ metadata: { labels = {} } }: KubeObject, selector: Labels): boolean {
  const wanted = Object.keys(selector);
  return wanted.length > 0 && wanted.every((key) => Object.hasOwn(labels, key) && labels[key] === selector[key]);
}

/** Of MachineConfigs that the profile's pool takes in, and that neither a profile nor the installation brought. */
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

/** A partitioned cluster starts with one of these for each role. */
function isInstalled({ metadata: { name, labels = {} } }: KubeObject): boolean {
  return name === bootstrapName(labels[`${group}/role`] ?? "");
}
