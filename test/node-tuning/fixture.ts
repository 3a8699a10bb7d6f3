import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { LabelSelectorObject } from "../../src/language/object/label-selector.ts";
import type { Recommend } from "../../src/domain/node-tuning/api.ts";

type Names = Record<string, string>;
type Changes = Record<string, string | null>;

export interface GivenTuned {
  name: string;
  profile?: { name: string; data: string }[];
  recommend?: Recommend[];
  managementState?: string;
  annotations?: Names;
}

export interface GivenNode {
  name: string;
  labels?: Names;
  annotations?: Names;
  providerID?: string;
}

export interface GivenPool {
  name: string;
  nodeSelector?: LabelSelectorObject;
  machineConfigSelector?: LabelSelectorObject;
  paused?: boolean;
}

/** What a node's agent writes: arguments and inputs on the Node, conditions on its Profile. */
export interface NodeSide {
  node: string;
  bootcmdline?: string;
  /** `current`: those of the Profile at that moment. */
  deps?: string;
  status?: { applied?: string; degraded?: string; tunedProfile?: string };
}

export interface GivenMachineConfig {
  name: string;
  labels?: Names;
  generatedByAnnotation?: boolean;
  kernelArguments?: string[];
}

export interface Given {
  nodes?: GivenNode[];
  tuneds?: GivenTuned[];
  pools?: GivenPool[];
  pods?: { namespace: string; name: string; labels?: Names; node?: string }[];
  nodeSide?: NodeSide[];
  operandReady?: boolean;
}

/** One change, by its name. */
export type Change = Partial<{
  createTuned: GivenTuned | GivenTuned[];
  updateTuned: GivenTuned;
  deleteTuned: string;
  tunedMetadata: { name: string; labels?: Changes; annotations?: Changes };
  defaultManagementState: string | null;
  patchDefaultSpec: object;
  createNode: GivenNode;
  deleteNode: string;
  nodeLabels: { node: string; labels: Changes };
  nodeAnnotations: { node: string; annotations: Changes };
  nodeProviderID: { node: string; providerID: string };
  createPool: GivenPool;
  patchPool: { name: string; spec: object };
  deletePool: string;
  podLabels: { namespace: string; name: string; labels: Changes };
  deletePod: { namespace: string; name: string };
  deleteProfile: string;
  patchProfile: { node: string; spec: object };
  createMachineConfig: GivenMachineConfig | GivenMachineConfig[];
  patchMachineConfig: { name: string; metadata?: object; spec?: object };
  deleteMachineConfig: string;
  deleteDaemonSet: true;
  restartOperator: true;
  nodeSide: NodeSide[];
  operandReady: true;
}>;

/** The state of the cluster at the end. Absent parts were not recorded. */
export interface Observation {
  /** The profile of each node, with its options where there are any. */
  profiles: Record<string, string | { profile: string; [option: string]: unknown }>;
  /** Names of the texts in Profiles, by node unless all have the same. */
  carried: string[] | Record<string, string[]>;
  texts?: Record<string, string>;
  annotations?: Names | Record<string, Names>;
  without?: string[];
  tuneds: Record<string, { generation: number; Valid?: string }>;
  operator: Names;
  daemonSet?: boolean;
  machineConfigs?: Record<string, { labels?: Names; arguments?: string[] | null; generated?: boolean }>;
  /** Parts that came out differently from run to run. */
  timing?: string[];
}

export interface Scenario {
  id: string;
  note: string;
  given: Given;
  expect: Observation;
  steps?: { change: Change; expect: Observation }[];
}

export function scenarios(file: string): Scenario[] {
  const text = readFileSync(join(import.meta.dirname, "../fixtures/node-tuning", `${file}.yaml`), "utf8");
  return parse(text, (_, value: unknown) => representable(value)) as Scenario[];
}

/** JavaScript would round the largest int64 up to a value that a server rejects. */
function representable(value: unknown): unknown {
  return typeof value === "number" && value > Number.MAX_SAFE_INTEGER ? Number.MAX_SAFE_INTEGER : value;
}
