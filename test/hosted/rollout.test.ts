import { describe, expect, it } from "vitest";
import type { Json } from "../../src/language/object/json.ts";
import { applyMergePatch } from "../../src/language/patch/merge-patch.ts";
import { casesOf } from "./cases.ts";
import { rolloutDifferences } from "./differences.ts";
import { ManagementWorld, type RolloutChange, type RolloutObject } from "./management-world.ts";

interface Case {
  readonly id: string;
  readonly objects: readonly RolloutObject[];
  readonly steps: readonly { readonly change?: readonly RolloutChange[]; readonly expect: Record<string, unknown> }[];
}

describe.each(["rollout", "node-pool-deletion"])("%s", (file) => {
  for (const protocol of ["documented", "shipped"] as const)
    it.each(casesOf<Case>(file).map((recorded): [string, Case] => [recorded.id, recorded]))(
      `%s (${protocol})`,
      (id, { objects, steps }) => {
        const world = new ManagementWorld(objects, protocol);
        const ours = rolloutDifferences[id] ?? [];
        let recorded: Record<string, unknown> = {};
        let differs = false;
        for (const [index, { change = [], expect: step }] of steps.entries()) {
          for (const one of change) world.change(one);
          world.settle();
          recorded = accumulated(recorded, step);
          const wanted = applyMergePatch(recorded as Json, (ours[index] ?? {}) as Json) as object;
          const observed = world.observed();
          const compared = Object.fromEntries(Object.keys(wanted).map((key) => [key, observed[key]]));
          expect(inColumn(compared, protocol)).toEqual(inColumn(wanted, protocol));
          differs ||= JSON.stringify(wanted) !== JSON.stringify(recorded);
        }
        expect(differs).toBe(ours.length > 0);
      },
    );
});

/** A step says what differs from the step before; of a NodePool each field for itself. */
function accumulated(before: Record<string, unknown>, step: Record<string, unknown>): Record<string, unknown> {
  const pool = { ...(before["nodePool"] as object), ...(step["nodePool"] as object) };
  const conditions = {
    ...(before["nodePool"] as { conditions?: object })?.conditions,
    ...(step["nodePool"] as { conditions?: object })?.conditions,
  };
  return {
    ...before,
    ...step,
    ...(Object.keys(pool).length > 0 ? { nodePool: { ...pool, conditions } } : {}),
  };
}

/** The ConfigMap of a profile has another name under the documented column. */
function inColumn(state: object, protocol: string): object {
  const { configMaps, ...rest } = state as { configMaps?: string[] };
  if (!configMaps) return rest;
  const names = configMaps.map((name) =>
    protocol === "documented" ? name.replace(/^p1-(np\d)$/, "performanceprofile-$1") : name,
  );
  return { ...rest, configMaps: names.toSorted() };
}
