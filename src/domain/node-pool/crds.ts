import { customDefinition } from "../../language/object/custom-definition.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import type { Schema } from "../../language/schema/schema.ts";
import { group } from "../hosted/protocol.ts";
import { hostedClusterKind, nodePoolKind } from "./api.ts";

/** Fields that Attune does not know are kept: other controllers of the same objects may. */
const others = { "x-kubernetes-preserve-unknown-fields": true } as const;

const text: Schema = { type: "string" };
const flag: Schema = { type: "boolean" };
const count: Schema = { type: "integer", format: "int32", minimum: 0 };

function object(properties: Record<string, Schema>, more: Schema = {}): Schema {
  return { type: "object", properties, ...others, ...more };
}

function described(description: string, schema: Schema): Schema {
  return { ...schema, description };
}

const immutable = { "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "field is immutable" }] };

const reference = object({ name: described("Its name.", text) });
const release = described("The release that nodes get.", object({ image: described("Image of the release.", text) }));

function references(to: string): Schema {
  return {
    type: "array",
    nullable: true,
    maxItems: 10,
    items: reference,
    description: `ConfigMaps of the same namespace with ${to}, one or more in each.`,
  };
}

const tuning = "Tuneds, and at most one PerformanceProfile";

const conditions: Schema = {
  type: "array",
  maxItems: 100,
  items: object(
    {
      type: { ...text, maxLength: 316 },
      status: { ...text, enum: ["True", "False", "Unknown"] },
      reason: { ...text, maxLength: 1024 },
      message: { ...text, maxLength: 32_768 },
      lastTransitionTime: { ...text, format: "date-time" },
      observedGeneration: { type: "integer", format: "int64" },
    },
    { required: ["type", "status"] },
  ),
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["type"],
};

const intOrPercent: Schema = {
  "x-kubernetes-int-or-string": true,
  anyOf: [{ type: "integer" }, { type: "string" }],
};

const management = object(
  {
    upgradeType: described("Whether machines are replaced, or updated where they are.", {
      ...text,
      enum: ["Replace", "InPlace"],
      ...immutable,
    }),
    replace: described(
      "How machines are replaced.",
      object({
        strategy: described("RollingUpdate replaces them; OnDelete waits until each is deleted.", {
          ...text,
          enum: ["RollingUpdate", "OnDelete"],
        }),
        rollingUpdate: described(
          "Limits of a rolling update.",
          object({
            maxSurge: described(
              "How many machines there may be beyond replicas: a number, or a percentage.",
              intOrPercent,
            ),
            maxUnavailable: described("How many machines may be missing: a number, or a percentage.", intOrPercent),
          }),
        ),
      }),
    ),
    inPlace: described(
      "How nodes are updated where they are.",
      object({
        maxUnavailable: described(
          "How many nodes are updated at a time: a number, or a percentage. Default 1.",
          intOrPercent,
        ),
      }),
    ),
    autoRepair: described("Whether machines that fail are replaced. Read by HyperShift.", flag),
  },
  {
    "x-kubernetes-validations": [
      {
        rule: "!has(self.inPlace) || self.upgradeType == 'InPlace'",
        message: "inPlace is for the upgrade type InPlace only",
      },
    ],
  },
);

const nodePoolSpec = object(
  {
    clusterName: described("The HostedCluster, in the same namespace.", {
      ...text,
      minLength: 1,
      maxLength: 253,
      ...immutable,
    }),
    release,
    replicas: described("How many nodes there should be.", count),
    autoScaling: described(
      "Limits of a number of nodes that follows the load, in place of replicas.",
      object({ min: described("Fewest nodes.", count), max: described("Most nodes.", { ...count, minimum: 1 }) }),
    ),
    management: described("How nodes are updated.", management),
    config: references("MachineConfigs, KubeletConfigs, ContainerRuntimeConfigs and policies of images"),
    tuningConfig: references(tuning),
    tunedConfig: described(`Read as tuningConfig: ${tuning}.`, references(tuning)),
    performanceProfileConfig: described(`Read as tuningConfig: ${tuning}.`, references(tuning)),
    nodeLabels: described("Labels of new nodes.", { type: "object", additionalProperties: text }),
    taints: described("Taints of new nodes.", {
      type: "array",
      maxItems: 50,
      items: object(
        {
          key: described("Name of the taint.", text),
          value: described("Value of the taint.", text),
          effect: described("What it does to pods that do not tolerate it.", {
            ...text,
            enum: ["NoSchedule", "PreferNoSchedule", "NoExecute"],
          }),
        },
        { required: ["key", "effect"] },
      ),
    }),
    nodeDrainTimeout: described(
      "How long a node may take to drain, such as 30m; then it is updated or replaced with the pods that it still has. Default: no limit.",
      text,
    ),
    nodeVolumeDetachTimeout: described("How long volumes may take to detach. Read by HyperShift.", text),
    pausedUntil: described("A time, or true: until then nodes stay as they are.", text),
    arch: described("Architecture of the nodes.", { ...text, enum: ["amd64", "arm64", "ppc64le", "s390x"] }),
    platform: described(
      "Where machines are. Read by HyperShift.",
      object({ type: described("Name of the platform.", text) }),
    ),
  },
  { required: ["clusterName"] },
);

const hostedClusterSpec = object({
  kubeconfig: described("The Secret of the same namespace with the kubeconfig of the hosted cluster.", reference),
  release,
  pullSecret: described("The Secret with which images are pulled.", reference),
  additionalTrustBundle: described("The ConfigMap with further certificate authorities.", {
    ...reference,
    nullable: true,
  }),
  configuration: described("Configuration of the hosted cluster. Read by HyperShift.", {
    ...object({}),
    nullable: true,
  }),
  capabilities: described("What the hosted cluster has.", {
    ...object({
      disabled: described("What it does not have. NodeTuning: its nodes are left alone.", {
        type: "array",
        nullable: true,
        maxItems: 25,
        items: text,
      }),
    }),
    nullable: true,
  }),
});

interface Column {
  name: string;
  type: string;
  jsonPath: string;
}

const condition = (name: string, type: string): Column => ({
  name,
  type: "string",
  jsonPath: `.status.conditions[?(@.type=="${type}")].status`,
});
const age: Column = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

interface Kind {
  readonly kind: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly spec: Schema;
  readonly status: Schema;
  readonly columns: readonly Column[];
  readonly subresources?: object;
}

function definition({ kind, plural, shortNames, spec, status, columns, subresources = {} }: Kind): KubeObject {
  return customDefinition({
    group,
    kind,
    plural,
    shortNames,
    scope: "Namespaced",
    versions: [
      {
        name: "v1beta1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { spec, status } } },
        subresources: { status: {}, ...subresources },
        additionalPrinterColumns: [...columns, age],
      },
    ],
  });
}

/** For management clusters without HyperShift. */
export const nodePoolCrds: readonly KubeObject[] = [
  definition({
    ...nodePoolKind,
    shortNames: ["np", "nps"],
    spec: nodePoolSpec,
    status: object({
      version: described("The release that all nodes have.", text),
      replicas: described("How many nodes there are.", count),
      conditions,
    }),
    subresources: {
      scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
    },
    columns: [
      { name: "Cluster", type: "string", jsonPath: ".spec.clusterName" },
      { name: "Replicas", type: "integer", jsonPath: ".spec.replicas" },
      condition("ValidTuning", "ValidTuningConfig"),
      condition("Updating", "UpdatingConfig"),
      { name: "Version", type: "string", jsonPath: ".status.version" },
    ],
  }),
  definition({
    ...hostedClusterKind,
    shortNames: ["hc", "hcs"],
    spec: hostedClusterSpec,
    status: object({
      kubeconfig: described(
        "The Secret with the kubeconfig, written by HyperShift. It counts before that of the spec.",
        reference,
      ),
      conditions,
    }),
    columns: [
      { name: "KubeConfig", type: "string", jsonPath: ".spec.kubeconfig.name" },
      condition("Tuning", "NodeTuningAvailable"),
    ],
  }),
];
