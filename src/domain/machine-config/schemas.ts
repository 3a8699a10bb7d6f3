import type { Schema } from "../../language/schema/schema.ts";

/** Other fields of the machine config operator are kept. */
const others = { "x-kubernetes-preserve-unknown-fields": true } as const;

const text: Schema = { type: "string" };
const flag: Schema = { type: "boolean" };
const count: Schema = { type: "integer", format: "int32" };

function described(description: string, schema: Schema): Schema {
  return { ...schema, description };
}

function object(properties: Record<string, Schema>): Schema {
  return { type: "object", properties, ...others };
}

function list(items: Schema, most?: number): Schema {
  return { type: "array", items, nullable: true, ...(most === undefined ? {} : { maxItems: most }) };
}

/** The operators are checked here: a selector that cannot be read would be found out by rendering. */
const selector: Schema = {
  ...object({
    matchLabels: { type: "object", additionalProperties: text },
    matchExpressions: list({
      ...object({
        key: text,
        operator: { ...text, enum: ["In", "NotIn", "Exists", "DoesNotExist"] },
        values: list(text),
      }),
      required: ["key", "operator"],
    }),
  }),
  nullable: true,
};

const condition = object({
  type: text,
  status: { ...text, enum: ["True", "False", "Unknown"] },
  reason: text,
  message: text,
  lastTransitionTime: { ...text, format: "date-time", nullable: true },
});

const conditions = {
  observedGeneration: described("The generation of the spec that the status is about.", {
    type: "integer",
    format: "int64",
  }),
  conditions: list(condition),
} as const;

const reference = object({
  apiVersion: described("Group and version of its kind.", text),
  kind: described("Its kind.", text),
  name: described("Its name.", text),
});

const poolConfiguration = object({
  name: described("Its name.", text),
  source: described("The MachineConfigs of which it was made.", list(reference)),
});

function kind(description: string, spec: Record<string, Schema>, status?: Record<string, Schema>): Schema {
  const properties = { spec: object(spec), ...(status ? { status: object(status) } : {}) };
  return { type: "object", description, properties };
}

export const machineConfigSchema = kind("A part of the configuration of the nodes of every pool that selects it.", {
  config: described("Ignition 2.0 to 2.2 or 3.0 to 3.5: files, directories, links, units, keys of core.", {
    type: "object",
    ...others,
  }),
  kernelArguments: described("Boot arguments, appended in the order of the names of MachineConfigs.", list(text)),
  kernelType: described("Default: default. A later default does not undo another type.", {
    ...text,
    enum: ["", "default", "realtime", "64k-pages"],
  }),
  extensions: described("Packages that are added to the operating system.", list(text)),
  fips: described("Whether nodes run in FIPS mode. Each node compares it with its kernel.", flag),
  osImageURL: described("Image of the operating system. Default: that of the cluster.", text),
  baseOSExtensionsContainerImage: described(
    "Image with the packages of extensions. Default: that of the cluster.",
    text,
  ),
});

export const machineConfigPoolSchema = kind(
  "Nodes with the same configuration: those that it selects get every MachineConfig that it selects.",
  {
    machineConfigSelector: described("Labels of MachineConfigs. Empty: none.", selector),
    nodeSelector: described("Labels of nodes. Empty: none.", selector),
    paused: described("True: nodes keep the configuration that they have.", flag),
    maxUnavailable: described(
      'How many nodes may be unavailable at a time: a positive number, or a percentage such as "10%". Default 1.',
      {
        "x-kubernetes-int-or-string": true,
        anyOf: [{ type: "integer" }, { type: "string" }],
        nullable: true,
        // Each applies to one of the two types.
        minimum: 1,
        pattern: "^([1-9][0-9]?|100)%$",
      },
    ),
    configuration: described(
      "The rendered MachineConfig that nodes should have. Written by the operator.",
      poolConfiguration,
    ),
    osImageStream: described(
      "The operating system by name, where the cluster offers several.",
      object({ name: described("Its name.", text) }),
    ),
  },
  {
    ...conditions,
    configuration: described("The last rendered MachineConfig that every node had.", poolConfiguration),
    machineCount: described("Nodes of the pool.", count),
    updatedMachineCount: described("Nodes with the current configuration.", count),
    readyMachineCount: described("Nodes with the current configuration that are ready.", count),
    unavailableMachineCount: described("Nodes that are updated or not ready.", count),
    degradedMachineCount: described("Nodes that could not be updated.", count),
  },
);

const poolSelector = described("Labels of MachineConfigPools. Empty: none.", selector);

export const kubeletConfigSchema = kind(
  "Configuration of the kubelets of every pool that it selects.",
  {
    machineConfigPoolSelector: poolSelector,
    kubeletConfig: described("A KubeletConfiguration. Absent fields keep their defaults.", {
      type: "object",
      ...others,
    }),
    logLevel: described("Verbosity of the kubelet, 0 to 10.", { ...count, minimum: 0, maximum: 10 }),
    autoSizingReserved: described("Whether the reserve for the system follows the size of the node.", flag),
    tlsSecurityProfile: described("TLS versions and ciphers of the kubelet.", { type: "object", ...others }),
  },
  conditions,
);

const quantity: Schema = {
  "x-kubernetes-int-or-string": true,
  anyOf: [{ type: "integer" }, { type: "string" }],
  pattern: "^[+-]?([0-9]+|[0-9]+\\.[0-9]*|\\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$",
};

/** Absolute, without an empty part. */
const store: Schema = {
  ...object({
    path: { ...text, description: "The folder, an absolute path.", maxLength: 256, pattern: "^(/[a-zA-Z0-9._-]+)+/?$" },
  }),
  required: ["path"],
};

export const containerRuntimeConfigSchema = kind(
  "Configuration of the container runtimes of every pool that it selects.",
  {
    machineConfigPoolSelector: poolSelector,
    containerRuntimeConfig: described(
      "What CRI-O shall do otherwise than by default.",
      object({
        pidsLimit: described("Processes of a container: 0, which is no limit, or at least 20.", {
          type: "integer",
          format: "int64",
          "x-kubernetes-validations": [
            { rule: "self == 0 || self >= 20", message: "must be 0, which is no limit, or at least 20" },
          ],
        }),
        logLevel: described("Verbosity of the runtime.", {
          ...text,
          enum: ["", "fatal", "panic", "error", "warn", "info", "debug", "trace"],
        }),
        logSizeMax: described("Largest log of a container: 0, which is no limit, or more than 8192 bytes.", quantity),
        overlaySize: described("Largest root file system of a container. 0: no limit.", quantity),
        defaultRuntime: described("The program that runs containers.", { ...text, enum: ["", "crun", "runc"] }),
        additionalLayerStores: described("Folders with layers of images, beside the runtime's own.", list(store, 5)),
        additionalImageStores: described("Folders with images, which the runtime only reads.", list(store, 10)),
        additionalArtifactStores: described("Folders with artifacts, which the runtime only reads.", list(store, 10)),
      }),
    ),
  },
  conditions,
);
