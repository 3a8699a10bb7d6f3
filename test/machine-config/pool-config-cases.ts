import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  apiVersion,
  type MachineConfig,
  type MachineConfigPool,
  roleLabel,
} from "../../src/domain/machine-config/api.ts";
import { decideGenerated } from "../../src/domain/machine-config/pool-configs/decide-generated.ts";
import { generatedBy } from "../../src/domain/machine-config/rendered-annotations.ts";
import type { GeneratedKind, PoolConfig } from "../../src/domain/machine-config/pool-configs/generated-kind.ts";
import { ignitionConfig } from "../../src/language/ignition/config.ts";
import { textFile } from "../../src/language/ignition/file-contents.ts";
import { omitUndefined } from "../../src/language/object/json.ts";
import { readYaml } from "../../src/language/object/yaml.ts";

/** An object or pool in the short form of the recorded cases. */
export interface Short {
  readonly name: string;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly finalizers?: string[];
  readonly created?: string;
  readonly generation?: number;
  readonly deleting?: boolean;
  readonly role?: string;
  readonly [field: string]: unknown;
}

export interface Case {
  readonly id: string;
  readonly check: string;
  readonly refused?: readonly string[];
  readonly differs?: { readonly weakPoint: string; readonly [expected: string]: unknown };
  readonly [field: string]: unknown;
}

export function casesOf(file: string): readonly Case[] {
  const path = join(import.meta.dirname, "../fixtures/machine-config", file);
  const cases = (readYaml(readFileSync(path, "utf8")) as { cases: Case[] }).cases;
  // What was recorded is replaced by what Attune does instead.
  return cases.map((one) => ({
    ...one,
    ...one.differs,
    ...(one.differs && !one.differs["refused"] ? { refused: [] } : {}),
  }));
}

const metadataOf = (kind: string, short: Short): PoolConfig["metadata"] =>
  omitUndefined({
    name: short.name,
    uid: `${kind}-${short.name}`,
    resourceVersion: "1",
    labels: short.labels,
    annotations: short.annotations,
    finalizers: short.finalizers,
    creationTimestamp: short.created,
    generation: short.generation,
    deletionTimestamp: short.deleting ? "2026-01-01T00:00:00Z" : undefined,
  });

export function poolOf(short: Short): MachineConfigPool {
  const { nodeSelector } = short as { nodeSelector?: { matchLabels: Record<string, string> } };
  return {
    apiVersion,
    kind: "MachineConfigPool",
    metadata: metadataOf("MachineConfigPool", { ...short, labels: { pool: short.name, ...short.labels } }),
    spec: {
      ...(nodeSelector ? { nodeSelector } : {}),
      machineConfigSelector: {
        matchExpressions: [{ key: roleLabel, operator: "In", values: ["worker", short.name] }],
      },
    },
  };
}

/** Selects every pool unless the case says otherwise. */
export function objectOf(kind: string, short: Short): PoolConfig {
  const { name, labels, annotations, finalizers, created, generation, deleting, ...spec } = short;
  const { conditions, observedGeneration, kubeletConfigText, ...fields } = spec;
  return {
    apiVersion,
    kind,
    metadata: metadataOf(kind, short),
    spec: {
      machineConfigPoolSelector: { matchExpressions: [{ key: "pool", operator: "Exists" }] },
      ...(kubeletConfigText === undefined ? {} : { kubeletConfig: kubeletConfigText }),
      ...fields,
    },
    ...(conditions === undefined ? {} : { status: { conditions: conditions as never } }),
  };
}

/** A MachineConfig that gives the pool of this role a file: without it the pool's hosts would be plain ones. */
export function templateOf(role: string, path: string, text: string): MachineConfig {
  const config = ignitionConfig([textFile(path, 0o644, text)]);
  return {
    apiVersion,
    kind: "MachineConfig",
    metadata: { name: `01-${role}`, labels: { [roleLabel]: role } },
    spec: { config },
  };
}

export function generatedBefore(name: string, role = ""): MachineConfig {
  const annotations = { [generatedBy]: "1" };
  return {
    apiVersion,
    kind: "MachineConfig",
    metadata: { name, uid: name, labels: { [roleLabel]: role }, annotations },
  };
}

export interface World {
  readonly pools: readonly MachineConfigPool[];
  readonly objects: readonly PoolConfig[];
  readonly machineConfigs: readonly MachineConfig[];
}

export const now = "2026-01-01T00:00:00Z";

/** The objects after one pass. */
export function after<T extends PoolConfig>(kind: GeneratedKind<T>, world: World): World {
  const decided = decideGenerated(kind, { ...world, objects: world.objects as T[], version: "1.2.3", now });
  const { plan, metadata } = decided;
  const gone = new Set(plan.prunes.map((prune) => prune.metadata.name));
  const written = plan.objects.map(({ object }) => object as MachineConfig);
  const isWritten = (name: string | undefined): boolean => written.some((object) => object.metadata.name === name);
  return {
    pools: world.pools,
    machineConfigs: [
      ...world.machineConfigs.filter((old) => !gone.has(old.metadata.name) && !isWritten(old.metadata.name)),
      ...written,
    ],
    objects: world.objects.map((object) => {
      const { name } = object.metadata;
      const change = metadata.find((one) => one.name === name);
      const status = plan.statuses.find(({ of }) => of.metadata.name === name)?.status;
      return {
        ...object,
        ...(status ? { status } : {}),
        metadata: {
          ...object.metadata,
          ...(change ? { finalizers: [...change.finalizers] } : {}),
          annotations: { ...object.metadata.annotations, ...change?.annotations },
        },
      };
    }),
  };
}
