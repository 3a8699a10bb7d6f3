import {
  apiVersion,
  group,
  type MachineConfig,
  type MachineConfigPool,
  roleLabel,
} from "../../src/domain/machine-config/api.ts";
import { annotations } from "../../src/domain/rollout/node-annotations.ts";
import type { RolloutNode, Taint } from "../../src/domain/rollout/rollout-node.ts";
import type { Condition } from "../../src/language/object/condition.ts";

export const now = "2026-01-02T00:00:00Z";
export const earlier = "2026-01-01T00:00:00Z";

/** As the fixtures write a pool. */
export interface ShortPool {
  name: string;
  configuration?: string;
  source?: string[];
  statusConfiguration?: string;
  statusSource?: string[];
  generation?: number;
  deleting?: boolean;
  conditions?: Condition[];
  [field: string]: unknown;
}

export function poolOf(short: ShortPool): MachineConfigPool {
  const { name, configuration, source, statusConfiguration, statusSource, generation, deleting, conditions, ...spec } =
    short;
  return {
    apiVersion,
    kind: "MachineConfigPool",
    metadata: { name, ...(generation ? { generation } : {}), ...(deleting ? { deletionTimestamp: earlier } : {}) },
    spec: { ...spec, ...(configuration ? { configuration: configurationOf(configuration, source) } : {}) },
    status: {
      ...(statusConfiguration ? { configuration: configurationOf(statusConfiguration, statusSource) } : {}),
      conditions: (conditions ?? []).map((condition) => ({ ...condition, lastTransitionTime: earlier })),
    },
  };
}

function configurationOf(name: string, sources: readonly string[] = []): { name: string; source: { name: string }[] } {
  return { name, source: sources.map((source) => ({ name: source })) };
}

/** As the fixtures write a node. */
export interface ShortNode {
  name: string;
  labels?: Record<string, string>;
  conditions?: Record<string, string>;
  annotations?: Record<string, string>;
  unschedulable?: boolean;
  created?: string;
  taints?: Taint[];
  [annotation: string]: unknown;
}

const fields = {
  current: annotations.currentConfig,
  desired: annotations.desiredConfig,
  state: annotations.state,
  reason: annotations.reason,
  currentImage: annotations.currentImage,
  desiredImage: annotations.desiredImage,
  desiredDrain: annotations.desiredDrain,
  lastAppliedDrain: annotations.lastAppliedDrain,
} as const;

export function nodeOf(short: ShortNode): RolloutNode {
  const { name, labels = {}, conditions = {}, unschedulable, created, taints } = short;
  const written = Object.entries(fields).flatMap(([field, key]) =>
    short[field] === undefined ? [] : [[key, short[field]]],
  );
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels,
      annotations: { ...short.annotations, ...(Object.fromEntries(written) as Record<string, string>) },
      ...(created ? { creationTimestamp: created } : {}),
    },
    spec: { ...(unschedulable ? { unschedulable } : {}), ...(taints ? { taints } : {}) },
    status: { conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })) },
  };
}

/** As the fixtures write a MachineConfig: no role unless they say one. */
export function configOf({
  name,
  role,
  labels,
}: {
  name: string;
  role?: string;
  labels?: Record<string, string>;
}): MachineConfig {
  const all = { ...labels, ...(role ? { [roleLabel]: role } : {}) };
  return { apiVersion, kind: "MachineConfig", metadata: { name, labels: all } };
}

/** As the fixtures write conditions: without empty texts, and with what became of the time of those that were there. */
export function shortConditions(pool: MachineConfigPool, conditions: readonly Condition[]): object[] {
  const before = new Set(pool.status?.conditions?.map(({ type }) => type));
  return conditions.map(({ type, status, reason, message, lastTransitionTime }) => ({
    type,
    status,
    ...(reason ? { reason } : {}),
    ...(message ? { message } : {}),
    ...(before.has(type) ? { lastTransitionTime: lastTransitionTime === earlier ? "kept" : "now" } : {}),
  }));
}

/** Annotations of the machine config operator, without its prefix. */
export function shortAnnotation(name: string): string | undefined {
  return name.startsWith(`${group}/`) ? name.slice(group.length + 1) : undefined;
}
