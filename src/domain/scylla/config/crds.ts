import { customDefinition } from "../../../language/object/custom-definition.ts";
import type { KindRef, KubeObject } from "../../../language/object/meta.ts";
import type { Schema } from "../../../language/schema/schema.ts";
import { defaultEngine, group, scyllaNodeConfigKind, scyllaOperatorConfigKind } from "../api.ts";
import { defaultName, defaultNodeSelector } from "../names.ts";
import { affinitySchema } from "./affinity-schema.ts";

const text: Schema = { type: "string" };
const generation: Schema = { type: "integer", format: "int64" };
const count: Schema = { type: "integer", format: "int32" };

function object(properties: Record<string, Schema>, description?: string): Schema {
  return { type: "object", ...(description === undefined ? {} : { description }), properties };
}

const toleration = object({
  key: text,
  operator: { ...text, enum: ["Exists", "Equal"] },
  value: text,
  effect: { ...text, enum: ["", "NoSchedule", "PreferNoSchedule", "NoExecute"] },
  tolerationSeconds: { type: "integer", format: "int64" },
});

/** Without it, as with null, which clients in Go write, it is the default: agents on the nodes of the default selector. */
const placement: Schema = {
  ...object(
    {
      affinity: affinitySchema,
      tolerations: {
        type: "array",
        nullable: true,
        items: toleration,
        description: "Taints of nodes that have an agent all the same.",
      },
      nodeSelector: {
        type: "object",
        additionalProperties: text,
        default: defaultNodeSelector,
        description: "Labels of the nodes. Empty: every node.",
      },
    },
    "Which nodes have an agent.",
  ),
  default: {},
};

const nodeConfigSpec: Schema = {
  ...object({
    placement,
    disableOptimizations: {
      type: "boolean",
      default: false,
      description: "Whether the nodes are left as they are. What was applied to them before stays.",
    },
    engine: {
      ...text,
      enum: ["perftune", "native"],
      default: defaultEngine,
      description: "What tunes: perftune, the script of the Scylla image, or native, which Attune has built in.",
    },
  }),
  default: {},
};

const conditions: Schema = {
  type: "array",
  nullable: true,
  description: "What is known about this object, one entry for each type.",
  items: {
    ...object({
      type: text,
      status: { ...text, enum: ["True", "False", "Unknown"] },
      lastTransitionTime: { ...text, format: "date-time", nullable: true },
      reason: text,
      message: text,
      observedGeneration: generation,
    }),
    required: ["type", "status"],
  },
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["type"],
};

function replicas(description: string): Schema {
  return object(
    {
      desired: { ...count, description: "Agents that should run." },
      actual: { ...count, description: "Agents that were created." },
      ready: { ...count, description: "Agents that are ready." },
    },
    description,
  );
}

const nodeConfigStatus = object({
  observedGeneration: { ...generation, description: "The generation of the spec that the status is about." },
  conditions,
  current: replicas("All agents."),
  updated: replicas("Agents of the newest template."),
  stale: { type: "boolean", description: "Whether the counts are of an earlier template." },
});

interface Column {
  name: string;
  type: string;
  jsonPath: string;
  priority?: number;
}

const condition = (type: string): Column => ({
  name: type,
  type: "string",
  jsonPath: `.status.conditions[?(@.type=="${type}")].status`,
});

interface Kind {
  readonly ref: KindRef;
  readonly shortNames: readonly string[];
  readonly description: string;
  readonly properties: Record<string, Schema>;
  readonly rule: { readonly rule: string; readonly message: string };
  readonly columns: readonly Column[];
}

function definition({ ref, shortNames, description, properties, rule, columns }: Kind): KubeObject {
  const schema: Schema = {
    ...object({ apiVersion: text, kind: text, metadata: { type: "object" }, ...properties }, description),
    "x-kubernetes-validations": [rule],
  };
  return customDefinition({
    group,
    kind: ref.kind,
    plural: ref.plural,
    shortNames,
    scope: "Cluster",
    versions: [
      {
        name: "v1alpha1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: schema },
        subresources: { status: {} },
        additionalPrinterColumns: [
          ...columns,
          { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" } satisfies Column,
        ],
      },
    ],
  });
}

export const scyllaCrds: readonly KubeObject[] = [
  definition({
    ref: scyllaNodeConfigKind,
    shortNames: ["snc"],
    description: "Nodes that are tuned for Scylla databases.",
    properties: { spec: nodeConfigSpec, status: nodeConfigStatus },
    rule: {
      rule: "size(self.metadata.name) <= 63",
      message: "metadata.name must be no more than 63 characters: it is the value of a label",
    },
    columns: [
      { name: "Engine", type: "string", jsonPath: ".spec.engine" },
      { name: "Disabled", type: "boolean", jsonPath: ".spec.disableOptimizations", priority: 1 },
      { name: "Desired", type: "integer", jsonPath: ".status.current.desired" },
      { name: "Ready", type: "integer", jsonPath: ".status.current.ready" },
      ...["Available", "Progressing", "Degraded", "Overlapping"].map(condition),
    ],
  }),
  definition({
    ref: scyllaOperatorConfigKind,
    shortNames: ["soc"],
    description: "What is the same for all nodes of Scylla databases.",
    properties: {
      spec: {
        ...object({
          scyllaUtilsImage: {
            ...text,
            description: "A Scylla image, whose scripts tune nodes with the engine perftune.",
            maxLength: 1024,
            pattern: "^[^\\s]*$",
          },
        }),
        default: {},
      },
      status: { type: "object" },
    },
    rule: {
      rule: `self.metadata.name == '${defaultName}'`,
      message: `the only ScyllaOperatorConfig is named ${defaultName}`,
    },
    columns: [{ name: "UtilsImage", type: "string", jsonPath: ".spec.scyllaUtilsImage" }],
  }),
];
