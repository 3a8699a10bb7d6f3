import type { KubeObject } from "../../../language/object/meta.ts";
import type { Schema } from "../../../language/schema/schema.ts";
import { containerRuntimeConfigKind, kubeletConfigKind, machineConfigKind } from "../../machine-config/api.ts";
import {
  containerRuntimeConfigSchema,
  kubeletConfigSchema,
  machineConfigSchema,
} from "../../machine-config/schemas.ts";
import { clusterImagePolicy, contentSourcePolicy, digestMirrorSet } from "../../machine-config/image-policies/api.ts";
import {
  clusterImagePolicySchema,
  contentSourcePolicySchema,
  digestMirrorSetSchema,
} from "../../machine-config/image-policies/schemas.ts";
import { tunedKind } from "../../node-tuning/api.ts";
import { tunedSchema } from "../../node-tuning/crds.ts";
import {
  apiVersion as profileVersion,
  group as profileGroup,
  performanceProfileKind,
} from "../../performance-profile/api.ts";
import { convertProfile } from "../../performance-profile/conversion/conversion.ts";
import { schemas } from "../../performance-profile/schemas.ts";

/** A kind of object that may stand in a ConfigMap. */
export interface ManifestKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly schema: Schema;
  /** Into the version that Attune reads. */
  readonly convert?: ((object: KubeObject) => KubeObject) | undefined;
}

const profileKinds: readonly ManifestKind[] = (["v2", "v1", "v1alpha1"] as const).map((version) => ({
  apiVersion: `${profileGroup}/${version}`,
  kind: performanceProfileKind.kind,
  schema: withoutSelector(schemas[version]),
  convert: (object) => convertProfile(object, profileVersion),
}));

/** A profile in a ConfigMap is for the nodes of a NodePool: it needs no selector of its own. */
function withoutSelector(schema: Schema): Schema {
  const { spec = {} } = schema.properties ?? {};
  const required = spec.required?.filter((field) => field !== "nodeSelector") ?? [];
  return { ...schema, properties: { ...schema.properties, spec: { ...spec, required } } };
}

export const tunedKinds: readonly ManifestKind[] = [{ ...tunedKind, schema: tunedSchema }];

/** What the fields `tuningConfig`, `tunedConfig` and `performanceProfileConfig` of a NodePool may refer to. */
export const tuningKinds: readonly ManifestKind[] = [...tunedKinds, ...profileKinds];

const anything: Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

const imagePolicy = { ...clusterImagePolicy, schema: clusterImagePolicySchema };

/** What the field `config` of a NodePool may refer to, and what is generated. */
export const configKinds: readonly ManifestKind[] = [
  { ...machineConfigKind, schema: machineConfigSchema },
  { ...kubeletConfigKind, schema: kubeletConfigSchema },
  { ...containerRuntimeConfigKind, schema: containerRuntimeConfigSchema },
  { ...contentSourcePolicy, schema: contentSourcePolicySchema },
  { ...digestMirrorSet, schema: digestMirrorSetSchema },
  imagePolicy,
  {
    ...imagePolicy,
    apiVersion: "config.openshift.io/v1alpha1",
    convert: (object) => ({ ...object, apiVersion: imagePolicy.apiVersion }),
  },
];

/** `Tuned (tuned.openshift.io/v1)`, each kind once. */
export function describeKinds(kinds: readonly ManifestKind[]): string {
  const versions = new Map<string, string[]>();
  for (const { apiVersion, kind } of kinds) versions.set(kind, [...(versions.get(kind) ?? []), apiVersion]);
  return Array.from(versions, ([kind, all]) => `${kind} (${all.join(", ")})`).join(", ");
}

/** Metadata as the author of a manifest may write it. What only an API server sets is accepted, and dropped. */
export const metadataSchema: Schema = {
  type: "object",
  properties: {
    ...texts("name", "namespace", "generateName", "uid", "resourceVersion", "selfLink"),
    ...texts("creationTimestamp", "deletionTimestamp"),
    labels: { type: "object", additionalProperties: { type: "string" } },
    annotations: { type: "object", additionalProperties: { type: "string" } },
    finalizers: { type: "array", items: { type: "string" } },
    generation: { type: "integer" },
    deletionGracePeriodSeconds: { type: "integer" },
    ownerReferences: { type: "array", items: anything },
    managedFields: { type: "array", items: anything },
  },
};

function texts(...names: string[]): Record<string, Schema> {
  return Object.fromEntries(names.map((name) => [name, { type: "string" }]));
}
