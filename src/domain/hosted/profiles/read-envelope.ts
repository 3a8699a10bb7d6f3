import type { KubeObject } from "../../../language/object/meta.ts";
import { labelValue } from "../../../language/object/names.ts";
import { roleLabel } from "../../machine-config/api.ts";
import {
  apiVersion,
  type PerformanceProfile,
  type PerformanceProfileSpec,
  performanceProfileKind,
} from "../../performance-profile/api.ts";
import { plainProfile } from "../envelope/embedded-profile.ts";
import { tuningKinds } from "../envelope/manifest-kinds.ts";
import { type ConfigMap, formatProblem, readManifests } from "../envelope/read-manifests.ts";
import { contentOf, keys, nodePoolIn, nodePoolOf, tuningKeys } from "../protocol.ts";

/** Of the ConfigMap of a profile, as of the operator that Attune replaces: either of them can finish its deletion. */
export const finalizer = "hypershift.openshift.io/foreground-deletion";

/** A profile in the terms of one cluster, with what its ConfigMap says about it. */
export interface EnvelopedProfile extends PerformanceProfile {
  readonly envelope: {
    readonly configMap: ConfigMap;
    readonly nodePool: string;
    /** The nodes of its RuntimeClass. Absent: all. */
    readonly nodeSelector?: Readonly<Record<string, string>> | undefined;
    /** Why it cannot take effect. */
    readonly problem?: string | undefined;
  };
}

/** A ConfigMap that lost its label is still one of a profile: its finalizer must go one day. What a ConfigMap owns is none. */
export function isProfileConfigMap(configMap: ConfigMap): boolean {
  const { finalizers = [], ownerReferences = [] } = configMap.metadata;
  if (ownerReferences.some(({ controller, kind }) => controller && kind === "ConfigMap")) return false;
  return contentOf(configMap) === "profile" || finalizers.includes(finalizer);
}

/** `lastName`: what the profile was called when it could be read. */
export function envelopedProfile(
  configMap: ConfigMap,
  read: PerformanceProfile | string,
  lastName: () => string | undefined,
): EnvelopedProfile {
  const named = nodePoolIn(configMap);
  const nodePool = named === undefined || labelValue(named).length > 0 ? nodePoolOf(configMap) : named;
  if (typeof read === "string") return unusable(configMap, nodePool, { problem: read, lastName });
  const innerPool = read.metadata.labels?.[keys.nodePoolName] ?? nodePool;
  const { metadata, spec = {} } = plainProfile(read, innerPool);
  const { nodeSelector } = spec;
  const hasRole = isRole(nodeSelector ?? {});
  return {
    ...identityOf(configMap, metadata.name ?? "", metadata),
    spec: hasRole ? spec : { ...spec, nodeSelector: anyNode },
    envelope: { configMap, nodePool, ...(hasRole ? { nodeSelector: { ...nodeSelector } } : {}) },
  };
}

/** A NodePool needs no selector: its profile is for all its nodes. Derived objects name a role all the same. */
const anyNode = { "node-role.kubernetes.io/worker": "" };

function isRole(selector: Readonly<Record<string, string>>): boolean {
  const [label, ...others] = Object.keys(selector);
  return label !== undefined && others.length === 0 && /^[^/]+\/[^/]+$/.test(label);
}

function unusable(
  configMap: ConfigMap,
  nodePool: string,
  { problem, lastName }: { readonly problem: string; readonly lastName: () => string | undefined },
): EnvelopedProfile {
  const spec: PerformanceProfileSpec = { nodeSelector: anyNode };
  const name = lastName() ?? configMap.metadata.name ?? "";
  return { ...identityOf(configMap, name), spec, envelope: { configMap, nodePool, problem } };
}

/** What the API server knows is that of the ConfigMap, what the author wrote that of the manifest. */
function identityOf(
  { metadata }: ConfigMap,
  name: string,
  { labels, annotations }: KubeObject["metadata"] = {},
): Pick<PerformanceProfile, "apiVersion" | "kind" | "metadata"> {
  const { namespace: _, managedFields: __, generation: ___, ...known } = metadata;
  return {
    apiVersion,
    kind: performanceProfileKind.kind,
    metadata: { ...known, name, labels, annotations },
  };
}

/** The profile as its ConfigMap has it, or what is wrong. */
export function readEnvelope(configMap: ConfigMap): PerformanceProfile | string {
  const { name = "" } = configMap.metadata;
  if (contentOf(configMap) !== "profile")
    return `ConfigMap ${name}: metadata.labels[${keys.performanceProfileConfig}]: must be "true"`;
  const nodePool = nodePoolIn(configMap);
  const fault = nodePool ? labelValue(nodePool)[0] : "must be the namespace and name of the NodePool";
  if (fault !== undefined) return `ConfigMap ${name}: metadata.annotations[${keys.nodePool}]: ${fault}`;
  const { manifests, problems } = readManifests(configMap, tuningKeys, tuningKinds);
  const [problem] = problems;
  if (problem) return formatProblem(problem);
  const [first, ...others] = manifests.map(({ object }) => object);
  return first?.kind === performanceProfileKind.kind && others.length === 0
    ? first
    : `ConfigMap ${name}: must have one PerformanceProfile and nothing else`;
}

/** Labels of the MachineConfig of a profile, by which a pool selects it. */
export function machineConfigLabelsOf({ spec }: EnvelopedProfile): Record<string, string> {
  const role = Object.keys(spec?.nodeSelector ?? {})[0]?.split("/")[1] ?? "";
  return spec?.machineConfigLabel ?? { [roleLabel]: role };
}
