import { customDefinition } from "../../language/object/custom-definition.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import type { Schema } from "../../language/schema/schema.ts";
import { group, mostExceptions } from "./api.ts";

const text: Schema = { type: "string" };
const name: Schema = { type: "string", minLength: 1 };

function list(items: Schema): Schema {
  return { type: "array", items };
}

function object(properties: Record<string, Schema>, ...required: string[]): Schema {
  return required.length > 0 ? { type: "object", properties, required } : { type: "object", properties };
}

const conditions: Schema = {
  type: "array",
  description: "What is known about this object, one entry for each type.",
  items: object(
    {
      type: text,
      status: { type: "string", enum: ["True", "False", "Unknown"] },
      reason: text,
      message: text,
      lastTransitionTime: { type: "string", format: "date-time" },
      observedGeneration: { type: "integer", format: "int64" },
    },
    "type",
    "status",
    "lastTransitionTime",
  ),
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["type"],
};

const observedGeneration: Schema = {
  type: "integer",
  format: "int64",
  description: "The generation of the spec that the status is about.",
};

const debug: Schema = { type: "boolean", description: "Whether the agent logs at the level debug." };
const verbosity: Schema = { type: "integer", description: "Above 0: the agent logs at the level debug." };

const tunedConfig: Schema = {
  ...object({
    reapply_sysctl: {
      type: "boolean",
      description: "Whether sysctl files of the node override the profile. They do unless this is false.",
    },
  }),
  description: "Options of TuneD's main configuration.",
};

const profileTexts: Schema = {
  ...list(
    object(
      {
        name: { ...name, description: "Its name." },
        data: { type: "string", description: "The profile as TuneD reads it: INI." },
      },
      "name",
      "data",
    ),
  ),
  description: "TuneD profiles by name.",
};

const match = object(
  {
    label: { type: "string", description: "Name of a label." },
    value: { type: "string", description: "Its value. Absent: any value matches." },
    type: {
      type: "string",
      enum: ["node", "pod"],
      description: "Whether it is a label of the node, which is the default, or of a pod on it.",
    },
    match: {
      // A schema cannot be recursive: the operator validates what is nested.
      ...list({ type: "object", "x-kubernetes-preserve-unknown-fields": true }),
      description: "Further entries, of which one must match as well.",
    },
  },
  "label",
);

const tunedSpec = object({
  managementState: {
    type: "string",
    pattern: "^(Managed|Unmanaged|Force|Removed)$",
    description:
      "On the object named default: whether nodes are tuned (Managed), left as they are (Unmanaged) or restored (Removed).",
  },
  profile: profileTexts,
  recommend: {
    ...list(
      object(
        {
          profile: { ...name, description: "The profile of nodes that the rule matches." },
          priority: {
            type: "integer",
            format: "int64",
            minimum: 0,
            description: "Of the rules that match a node, the one with the lowest number wins.",
          },
          match: {
            ...list(match),
            description:
              "The rule matches a node if any of these entries does. Absent or empty: it matches every node.",
          },
          machineConfigLabels: {
            type: "object",
            additionalProperties: text,
            description: "The rule matches nodes of pools whose machineConfigSelector selects these labels.",
          },
          operand: { ...object({ debug, verbosity, tunedConfig }), description: "How the agent of such a node works." },
        },
        "profile",
        "priority",
      ),
    ),
    description: "Which nodes get which profile.",
  },
});

const profileSpec = object(
  {
    config: object(
      {
        tunedProfile: { type: "string", description: "The profile to apply." },
        debug,
        verbosity,
        tunedConfig,
        providerName: { type: "string", description: "Name of the cloud provider, as in the node's providerID." },
      },
      "tunedProfile",
    ),
    profile: profileTexts,
  },
  "config",
);

const hardware: Schema = {
  ...object({
    architecture: { type: "string", description: "As Kubernetes names it, such as amd64." },
    vendor: { type: "string", description: "Of the processor, as in /proc/cpuinfo, such as GenuineIntel." },
    caches: {
      type: "array",
      description: "Caches that several cores share.",
      items: object(
        {
          level: { type: "integer", format: "int32" },
          size: { type: "string", description: "Such as 32768Ki." },
          cpus: { type: "string", description: "The CPUs that share it, such as 0-7,32-39." },
        },
        "level",
        "size",
        "cpus",
      ),
    },
    pmuName: { type: "string", description: "Of the performance counters, as the kernel names them, such as icelake." },
    numaNodes: {
      type: "array",
      description: "NUMA nodes: memory, and the cores next to it.",
      items: object(
        {
          id: { type: "integer", format: "int32" },
          memory: {
            type: "string",
            description: "Memory that the kernel manages there, by the NUMA node's meminfo in /sys, such as 16384Ki.",
          },
          cores: {
            ...list(text),
            description: "Socket, core and its online CPUs, such as 0/3:3,11.",
          },
        },
        "id",
        "cores",
      ),
    },
    offline: { type: "string", description: "Offline CPUs, such as 12-15." },
    memory: { type: "string", description: "Memory of the machine by /proc/meminfo, such as 32768Ki." },
  }),
  description: "The hardware of the node, as its agent reads it.",
};

const settings: Schema = {
  ...list(
    object(
      {
        unit: { type: "string", description: "Section of the profile." },
        option: { type: "string", description: "Empty: the whole section." },
        state: { type: "string", description: "AsWanted, Different, Skipped or Failed." },
        value: { type: "string", description: "The value on the node." },
        message: { type: "string", description: "Why it is not as wanted." },
        device: { type: "string", description: "One of the devices that it is about." },
      },
      "unit",
      "option",
      "state",
    ),
  ),
  description: "The result of each setting of the profile in force; those that are not as wanted come first.",
};

const exceptions: Schema = {
  ...list(
    object(
      {
        unit: { type: "string", description: "Section of the profile." },
        option: { type: "string", description: "Empty: the whole section." },
        device: { type: "string", description: "One of the devices that it is about." },
        state: {
          type: "string",
          description:
            "Failed, Changed (by another process, and not set back), Overridden (by a file of the node or another owner), Skipped, or Repaired (changed by another process, and set back).",
        },
        wanted: { type: "string", description: "The value of the profile." },
        found: { type: "string", description: "The value that was found on the node." },
        from: { type: "string", description: "File and line of the profile that ask for it." },
        owner: { type: "string", description: "Who sets it instead: a file of the node, or another owner." },
        message: { type: "string", description: "Why." },
        since: { type: "string", format: "date-time", description: "When the agent first reported it." },
      },
      "unit",
      "option",
      "state",
      "since",
    ),
  ),
  maxItems: mostExceptions,
  description: "Settings that are not as the profile wants them, or that another process changed.",
};

const profileStatus = object(
  {
    tunedProfile: { type: "string", description: "The profile in force." },
    bootcmdline: { type: "string", description: "The boot arguments of the profile in force, as one line." },
    bootcmdlineInputs: { type: "string", description: "Identifies what bootcmdline was computed from, to compare." },
    bootcmdlinePending: {
      type: "string",
      description: "The arguments of bootcmdline that the running kernel was not started with.",
    },
    hostProfiles: {
      ...list(text),
      description: "Names of profiles in the node's own TuneD folders that are not built in.",
    },
    answers: {
      ...list(
        object(
          {
            probe: { type: "string", description: "The file or program that was asked." },
            text: { type: "string", description: "What it answered." },
          },
          "probe",
        ),
      ),
      description: "What the node answered to the profile in force. Without a text: nothing.",
    },
    settings,
    settingsOmitted: { type: "integer", format: "int32", description: "How many settings are not listed." },
    exceptions,
    exceptionsOmitted: { type: "integer", format: "int32", description: "How many exceptions are not listed." },
    conditions,
    observedGeneration,
    hardware,
    cpus: {
      ...object({
        isolated: {
          type: "string",
          description: "CPUs that the running kernel was started to keep free, such as 4-7.",
        },
        reserved: { type: "string", description: "CPUs that the kubelet gives to no container alone." },
        shared: {
          type: "string",
          description: "CPUs that the container runtime adds to containers that have CPUs of their own.",
        },
        irq: { type: "string", description: "CPUs that serve interrupts that have no affinity of their own." },
      }),
      description: "CPU sets in force on the node, whatever its profile wants. Empty: none.",
    },
    bootID: { type: "string", description: "Identifies the boot in which the node was tuned, as the Node reports it." },
  },
  "tunedProfile",
);

interface Column {
  name: string;
  type: string;
  jsonPath: string;
}

const age: Column = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

function conditionColumn(name: string, type: string, field: string): Column {
  return { name, type: "string", jsonPath: `.status.conditions[?(@.type=="${type}")].${field}` };
}

interface Definition {
  kind: string;
  plural: string;
  columns: Column[];
  spec: Schema;
  status: Schema;
}

function wholeSchema(spec: Schema, status: Schema): Schema {
  return object({ apiVersion: text, kind: text, metadata: { type: "object" }, spec, status });
}

const tunedStatus = object({ conditions, observedGeneration });

export const tunedSchema = wholeSchema(tunedSpec, tunedStatus);

function definition({ kind, plural, columns, spec, status }: Definition): KubeObject {
  return customDefinition({
    group,
    kind,
    plural,
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: wholeSchema(spec, status) },
        subresources: { status: {} },
        additionalPrinterColumns: columns,
      },
    ],
  });
}

export const nodeTuningCrds: readonly KubeObject[] = [
  definition({
    kind: "Tuned",
    plural: "tuneds",
    columns: [conditionColumn("Valid", "Valid", "status"), age],
    spec: tunedSpec,
    status: tunedStatus,
  }),
  definition({
    kind: "Profile",
    plural: "profiles",
    columns: [
      { name: "Tuned", type: "string", jsonPath: ".spec.config.tunedProfile" },
      conditionColumn("Applied", "Applied", "status"),
      conditionColumn("Degraded", "Degraded", "status"),
      conditionColumn("Message", "Applied", "message"),
      age,
    ],
    spec: profileSpec,
    status: profileStatus,
  }),
];
