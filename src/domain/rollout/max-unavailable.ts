import type { MachineConfigPool } from "../machine-config/api.ts";

export type MaxUnavailable =
  | { readonly type: "nodes"; readonly nodes: number }
  | { readonly type: "invalid"; readonly problem: string };

/** How many nodes of a pool may be unavailable at the same time. A percentage is rounded down, to at least one node. */
export function maxUnavailable(value: unknown, nodes: number): MaxUnavailable {
  if (value === undefined || value === null) return { type: "nodes", nodes: 1 };
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0)
    return { type: "nodes", nodes: Math.max(1, value) };
  const percent = typeof value === "string" ? /^(\d{1,3})%$/.exec(value)?.[1] : undefined;
  if (percent !== undefined && Number(percent) <= 100)
    return { type: "nodes", nodes: Math.max(1, Math.floor((nodes * Number(percent)) / 100)) };
  return {
    type: "invalid",
    problem: `spec.maxUnavailable: ${JSON.stringify(value)} is neither a number of nodes nor a percentage such as "10%"`,
  };
}

/** An arbiter is a lone vote of the control plane: never two at once. */
export function budgetOf({ metadata, spec }: MachineConfigPool, nodes: number): MaxUnavailable {
  return metadata.name === "arbiter" ? { type: "nodes", nodes: 1 } : maxUnavailable(spec?.maxUnavailable, nodes);
}
