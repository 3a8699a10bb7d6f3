import { dnsSubdomain } from "../../../language/object/names.ts";
import { writeYaml } from "../../../language/object/write-yaml.ts";
import { tuningNamespace } from "../../node-tuning/api.ts";
import { derivedNames } from "../../performance-profile/names.ts";
import type { ProfileStatus } from "../../performance-profile/status.ts";
import { readStatus } from "../envelope/profile-status.ts";
import type { ConfigMap } from "../envelope/read-manifests.ts";
import { hostedTunedName } from "../names.ts";

/** The status that was written last. What another client wrote there counts as nothing, and is replaced. */
export function statusIn(configMap: ConfigMap | undefined): ProfileStatus | undefined {
  const read = configMap && readStatus(configMap);
  if (read?.type !== "status") return undefined;
  return { conditions: read.conditions.filter(({ type }) => types.has(type)) };
}

const types = new Set(["Available", "Upgradeable", "Progressing", "Degraded"]);

/** The text of a status. Tuneds of all NodePools are in one namespace of the hosted cluster, and have other names there. */
export function statusText(name: string, nodePool: string, { conditions, runtimeClass }: ProfileStatus): string {
  const tuned = `${tuningNamespace}/${hostedTunedName(derivedNames(name).tuned, nodePool)}`;
  return writeYaml({ conditions, runtimeClass, tuned });
}

/** The name of the profile that a status is of. */
export function nameInStatus(configMap: ConfigMap | undefined): string | undefined {
  const read = configMap && readStatus(configMap);
  const prefix = derivedNames("").runtimeClass;
  const runtimeClass = read?.type === "status" ? read.runtimeClass : undefined;
  const name = runtimeClass?.startsWith(prefix) ? runtimeClass.slice(prefix.length) : "";
  return dnsSubdomain(name).length === 0 ? name : undefined;
}
