import type { KubeObject } from "../../../language/object/meta.ts";
import { defaultConfigs } from "../../../domain/workload-partitioning/decide-defaults.ts";
import { deriveProfile, futureCluster } from "./derive-profile.ts";
import { kubeletConfigurationOf, leftByHand } from "./left-by-hand.ts";
import type { OwnerMode } from "./options.ts";
import { marked, ownerMark } from "./owner.ts";
import type { SortedAssets } from "./sort-assets.ts";

/** A file to write. */
export interface RenderedFile {
  readonly name: string;
  /** Of an API, or a configuration file with a kind. */
  readonly object: object;
}

/** Each line begins with the file it is about. */
export type Rendered =
  | { readonly type: "files"; readonly files: readonly RenderedFile[]; readonly warnings: readonly string[] }
  | { readonly type: "refused"; readonly problems: readonly string[]; readonly warnings: readonly string[] };

/** The objects that a new cluster needs for its PerformanceProfiles before an operator runs in it. */
export function renderAssets(
  assets: SortedAssets,
  { owner, plain = false }: { owner: OwnerMode; plain?: boolean },
): Rendered {
  const cluster = futureCluster(assets, plain);
  const files: RenderedFile[] = [];
  const problems = [...assets.problems];
  const warnings = [...assets.warnings];
  if (cluster.partitioning === "AllNodes" && !plain) {
    const { infrastructure: identifier, pools, machineConfigs } = assets;
    for (const { role, wanted } of defaultConfigs({ identifier, pools, machineConfigs }))
      files.push({ name: `01_01-${role}-cpu-partitioning_workload_pinning_machineconfig.yaml`, object: wanted });
  }
  for (const asset of assets.profiles) {
    const outcome = deriveProfile(asset, assets, cluster);
    const mark = ownerMark(asset.object, owner);
    const { name = "" } = asset.object.metadata;
    warnings.push(...outcome.warnings);
    if (outcome.type === "refused") problems.push(...outcome.problems);
    if (mark.type === "impossible") problems.push(`${asset.place}: PerformanceProfile ${name}: ${mark.why}`);
    if (outcome.type === "refused" || mark.type === "impossible") continue;
    const { machineConfig, kubeletConfig, tuned, runtimeClass } = outcome.derived;
    const fileOf = (object: KubeObject): RenderedFile => ({
      name: `${name}_${object.kind.toLowerCase()}.yaml`,
      object: marked(object, mark),
    });
    if (plain) {
      const kubelet = { name: `${name}_kubeletconfiguration.yaml`, object: kubeletConfigurationOf(kubeletConfig) };
      files.push(fileOf(tuned), kubelet);
      warnings.push(...leftByHand(kubelet.name, machineConfig).map((line) => `${asset.place}: ${line}`));
    } else files.push(...[machineConfig, kubeletConfig, tuned, runtimeClass].map(fileOf));
  }
  return problems.length > 0 ? { type: "refused", problems, warnings } : { type: "files", files, warnings };
}
