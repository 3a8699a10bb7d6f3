import { apiVersion, group, type MachineConfig } from "./api.ts";

/** On rendered and generated MachineConfigs: the version of the operator that made them. */
export const generatedBy = `${group}/generated-by-controller-version`;

/** On rendered MachineConfigs: the release of the cluster. */
export const releaseVersion = `${group}/release-image-version`;

/** On rendered MachineConfigs whose operating system a user chose: `true`. */
export const osImageOverridden = `${group}/os-image-url-overridden`;

/** On rendered MachineConfigs: what came from which MachineConfig, see `origins.ts`. */
export const originsAnnotation = "rollout.attune.dev/origins";

/** The pool that a rendered config belongs to; undefined for a config of a user. */
export function poolOfRendering({ metadata }: Pick<MachineConfig, "metadata">): string | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  const isOurs = owner?.kind === "MachineConfigPool" && owner.apiVersion === apiVersion;
  return isOurs && metadata.name?.startsWith(`rendered-${owner.name}-`) ? owner.name : undefined;
}
