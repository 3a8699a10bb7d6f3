import { filesOf } from "../../language/ignition/config.ts";
import { equal } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { emptyPlan, type Plan } from "../../language/object/plan.ts";
import { type MachineConfig, type MachineConfigPool, roleLabel } from "../machine-config/api.ts";
import { inMergeOrder } from "../machine-config/merge-sources.ts";
import { Pools } from "../machine-config/pools.ts";
import { readContents } from "../machine-config/read-contents.ts";
import {
  type BootstrapFile,
  bootstrapFiles,
  bootstrapMachineConfig,
  bootstrapName,
  bootstrapRoles,
} from "./bootstrap-machine-config.ts";
import { workloadFiles } from "./crio-workloads.ts";
import { partitioningMode } from "./identifier.ts";
import { hasFile } from "./install-partitioning.ts";
import { pinningPaths } from "./pinning-files.ts";

export interface DefaultsInput {
  readonly identifier: KubeObject | undefined;
  readonly pools: readonly MachineConfigPool[];
  /** As `projectPinning` keeps them. */
  readonly machineConfigs: readonly MachineConfig[];
}

/**
 * Keeps the default MachineConfigs of a partitioned cluster. Nodes without them would leave the partition, and new ones could
 * not join. No owner has them: they stay when all PerformanceProfiles are deleted.
 */
export function decideDefaults(input: DefaultsInput): Plan {
  const plan = emptyPlan();
  if (partitioningMode(input.identifier) !== "AllNodes") return plan;
  const existing = new Map(input.machineConfigs.map((config) => [config.metadata.name ?? "", config]));
  for (const { role, wanted } of defaultConfigs(input)) {
    const found = existing.get(bootstrapName(role));
    if (found && isDefault(found, wanted)) continue;
    plan.objects.push({
      owns: "whole",
      object: wanted,
      ownerless: true,
      because: `nodes of role ${role} belong to a partitioned cluster`,
    });
  }
  return plan;
}

/** One for each role, beside the MachineConfigs that there are. */
export function defaultConfigs({
  identifier,
  pools,
  machineConfigs,
}: DefaultsInput): { readonly role: string; readonly wanted: MachineConfig }[] {
  const selection = new Pools(pools);
  const names = pools.map(({ metadata: { name = "" } }) => name);
  return bootstrapRoles(identifier, names).map((role) => {
    const isForRole = ({ metadata: { labels = {} } }: MachineConfig): boolean =>
      names.includes(role) ? selection.selecting(labels).includes(role) : labels[roleLabel] === role;
    return { role, wanted: bootstrapMachineConfig(role, filesBeside(role, machineConfigs.filter(isForRole))) };
  });
}

/**
 * The files of a role's default beside MachineConfigs of users, which a single node may have from before: theirs win. CRI-O
 * reads `01-workload-pinning-default.conf` after the file `01-workload-partitioning` that documents of then name, so the
 * default would undo the set of CPUs there.
 */
function filesBeside(role: string, others: readonly MachineConfig[]): BootstrapFile[] {
  const own = bootstrapMachineConfig(role);
  // Those of PerformanceProfiles have this file, which wins over the default by its name.
  const users = others.filter((config) => !isOfRole(config) && !hasFile(config, pinningPaths.crio));
  const comesAfter = (other: MachineConfig): boolean => inMergeOrder([own, other])[0] === other;
  const paths = users.flatMap((config) => workloadFiles(config).map(({ path }) => path));
  const hasTable = paths.some((path) => path !== pinningPaths.crioDefault);
  const overrides = (path: BootstrapFile): boolean =>
    users.some((config) => hasFile(config, path) && comesAfter(config));
  return bootstrapFiles.filter((path) => !overrides(path) && !(path === pinningPaths.crioDefault && hasTable));
}

/** The default of its role. A pool may inherit that of another role. */
function isOfRole({ metadata: { name, labels } }: MachineConfig): boolean {
  return name === bootstrapName(labels?.[roleLabel] ?? "");
}

/** However it is written. Of OpenShift 4.13 as well, which had one file: to add the other would restart every node. */
function isDefault(found: MachineConfig, wanted: MachineConfig): boolean {
  const { labels, ownerReferences = [] } = found.metadata;
  const role = wanted.metadata.labels?.[roleLabel] ?? "";
  if (labels?.[roleLabel] !== role || ownerReferences.length > 0) return false;
  const content = readContents(found.spec);
  return [wanted, bootstrapMachineConfig(role, "4.13")].some((one) => equal(content, readContents(one.spec)));
}

/** What a decision reads of a MachineConfig: defaults whole, of others only the files that pin CPUs. */
export function projectPinning(config: MachineConfig): MachineConfig {
  if (isOfRole(config)) return config;
  const { apiVersion, kind, metadata, spec } = config;
  const { name, uid, resourceVersion, labels, ownerReferences } = metadata;
  const pinning = [...workloadFiles(config).map(({ path }) => path), pinningPaths.kubelet];
  const files = filesOf(spec?.config).filter(({ path }) => pinning.includes(path));
  return {
    apiVersion,
    kind,
    metadata: { name, uid, resourceVersion, labels, ownerReferences },
    spec: files.length > 0 ? { config: { storage: { files } } } : {},
  };
}
