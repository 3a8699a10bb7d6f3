import { get, isObject, type JsonObject } from "../../../language/object/json.ts";
import { readYaml, YamlError } from "../../../language/object/yaml.ts";
import { forbidden } from "../../../language/schema/field-error.ts";
import { type KubeletConfig, kubeletConfigKind } from "../api.ts";
import type { GeneratedKind, TargetPool } from "../pool-configs/generated-kind.ts";
import { mergeSettings } from "../pool-configs/settings.ts";
import { objectAt, reservedGroupDiffers } from "./kubelet-checks.ts";
import { kubeletDefaults } from "./kubelet-defaults.ts";
import { ignoredOnPlainHosts, plainFiles, templateFiles, templatePath } from "./kubelet-files.ts";
import { readKubeletConfig } from "./read-kubelet-config.ts";

/** KubeletConfigs: one generated MachineConfig for each pool, with the kubelet's configuration. */
export const generatedKubelet: GeneratedKind<KubeletConfig> = {
  kind: kubeletConfigKind,
  word: "kubelet",
  read: readKubeletConfig,
  check: (merged, pool) => {
    const own = objectAt(merged, "kubeletConfig");
    const both = get(merged, "autoSizingReserved") === true && Object.keys(objectAt(own, "systemReserved")).length > 0;
    return [
      ...reservedGroupDiffers(mergeSettings(baseOf(pool) ?? {}, own)),
      ...(both ? [forbidden("spec.autoSizingReserved", "it computes systemReserved, which is set for this pool")] : []),
    ];
  },
  files: (merged, pool) => {
    const base = baseOf(pool);
    return base ? templateFiles(merged, base) : plainFiles(merged);
  },
  ignored: (settings, pool) => (baseOf(pool) ? [] : ignoredOnPlainHosts(settings)),
};

/** The kubelet's configuration in the pool's templates. Undefined: the hosts configure their kubelets themselves. */
function baseOf(pool: TargetPool): JsonObject | undefined {
  const text = pool.textOf(templatePath);
  if (text === undefined) return undefined;
  return mergeSettings(kubeletDefaults(pool.name), fieldsIn(text));
}

function fieldsIn(text: string): JsonObject {
  try {
    const fields = readYaml(text);
    return isObject(fields) ? fields : {};
  } catch (error) {
    if (error instanceof YamlError) return {};
    throw error;
  }
}
