import { apiVersion, group, type MachineConfigPool } from "../machine-config/api.ts";
import { get, isObject } from "../../language/object/json.ts";
import {
  fromLabelSelector,
  type LabelSelectorObject,
  matchesLabels,
  SelectorError,
} from "../../language/object/label-selector.ts";

export type PoolFor =
  | { readonly type: "pool"; readonly pool: MachineConfigPool }
  | { readonly type: "none" }
  /** Sorted. */
  | { readonly type: "several"; readonly names: readonly string[] };

/** The pool that selects nodes with these labels, if it is the only one. Of pools with the same name the first counts. */
export function poolFor(nodeSelector: Readonly<Record<string, string>>, pools: readonly MachineConfigPool[]): PoolFor {
  const found = new Map<string, MachineConfigPool>();
  const seen = new Set<string>();
  for (const pool of pools) {
    const { name = "" } = pool.metadata;
    if (!seen.has(name) && isFor(pool, nodeSelector)) found.set(name, pool);
    seen.add(name);
  }
  const [pool, ...others] = found.values();
  if (!pool) return { type: "none" };
  return others.length === 0 ? { type: "pool", pool } : { type: "several", names: [...found.keys()].toSorted() };
}

function isFor({ spec }: MachineConfigPool, labels: Readonly<Record<string, string>>): boolean {
  return selects(spec?.nodeSelector, labels);
}

/** A missing, empty or invalid selector selects nothing. */
export function selects(selector: unknown, labels: Readonly<Record<string, string>>): boolean {
  if (!isSelector(selector)) return false;
  // A quick way out: most selectors do not match.
  for (const [name, value] of Object.entries(selector.matchLabels ?? {})) if (get(labels, name) !== value) return false;
  try {
    const read = fromLabelSelector(selector);
    return read.requirements.length > 0 && matchesLabels(read, labels);
  } catch (error) {
    if (error instanceof SelectorError) return false;
    throw error;
  }
}

/** Pools are objects of the machine config operator: no schema of ours has validated them. */
function isSelector(value: unknown): value is LabelSelectorObject {
  const labels = get(value, "matchLabels") ?? {};
  const expressions = get(value, "matchExpressions") ?? [];
  return (
    isObject(value) &&
    isObject(labels) &&
    areTexts(Object.values(labels)) &&
    Array.isArray(expressions) &&
    expressions.every((one) => areTexts([get(one, "key"), get(one, "operator")]) && areTexts(get(one, "values") ?? []))
  );
}

function areTexts(list: unknown): boolean {
  return Array.isArray(list) && list.every((item) => typeof item === "string");
}

const always = ["master", "worker"];

/** The pools that every cluster has, if they are not among these: during installation they do not exist yet. */
export function defaultPools(pools: readonly MachineConfigPool[]): MachineConfigPool[] {
  const names = new Set(pools.map(({ metadata }) => metadata.name?.toLowerCase()));
  return always.filter((role) => !names.has(role)).map(defaultPool);
}

function defaultPool(role: string): MachineConfigPool {
  return {
    apiVersion,
    kind: "MachineConfigPool",
    metadata: { name: role, labels: { [`pools.operator.${group}/${role}`]: "" } },
    spec: {
      machineConfigSelector: { matchLabels: { [`${group}/role`]: role } },
      nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${role}`]: "" } },
    },
  };
}
