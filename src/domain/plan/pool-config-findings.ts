import { findCondition } from "../../language/object/condition.ts";
import type { ObjectFinding } from "../finding.ts";
import { lacksCrio } from "../rollout/rollout-node.ts";
import { plannedObject, type PlannedWrite } from "./change-plan.ts";
import type { PoolSide } from "./pool-side.ts";
import { poolsOf } from "./written-configurations.ts";

/** What the operator would say in the status of written KubeletConfigs and ContainerRuntimeConfigs. */
export function poolConfigFindings(writes: readonly PlannedWrite[], after: PoolSide): ObjectFinding[] {
  return writes.flatMap((write) => {
    const { kind, name, change } = plannedObject(write);
    if (change === "none") return [];
    const about = `${kind} ${name}`;
    const conditions = after.conditionsOf(kind, name);
    const accepted = findCondition(conditions, "Accepted");
    const refused = accepted?.status === "False" ? (accepted.message ?? "").replace(/^Error: /, "") : undefined;
    return [
      ...(refused === undefined
        ? []
        : [{ severity: "error" as const, about, message: `${refused}; it has no effect` }]),
      ...["Conflicting", "Ignored"].flatMap((type): ObjectFinding[] => {
        const found = findCondition(conditions, type);
        return found?.status === "True" ? [{ severity: "warning", about, message: found.message ?? "" }] : [];
      }),
      ...(kind === "ContainerRuntimeConfig" ? withoutEffect(write, about, after) : []),
    ];
  });
}

const named = 3;

function withoutEffect({ after: object }: PlannedWrite, about: string, { pools }: PoolSide): ObjectFinding[] {
  const all = Array.from(pools.values(), ({ pool }) => pool);
  const nodes = poolsOf(object, all)
    .flatMap((pool) => pools.get(pool)?.members ?? [])
    .filter(({ state }) => lacksCrio(state.node))
    .map(({ state }) => state.name);
  if (nodes.length === 0) return [];
  const shown = nodes.length > named + 1 ? [...nodes.slice(0, named), `and ${nodes.length - named} more`] : nodes;
  return [{ severity: "warning", about, message: `no effect on nodes that do not run CRI-O: ${shown.join(", ")}` }];
}
