import type { Informer } from "../../cluster/kube/cache.ts";
import type { Client } from "../../cluster/kube/client.ts";
import { act, type ActResult } from "../../cluster/runtime/act/act.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import { Controller, source } from "../../cluster/runtime/controller/controller.ts";
import type { Log } from "../../cluster/runtime/log/log.ts";
import { setCondition } from "../../language/object/condition.ts";
import { emptyPlan, type Plan } from "../../language/object/plan.ts";
import { formatTime } from "../../language/object/time.ts";
import { type PerformanceProfile, performanceProfileKind } from "./api.ts";
import { notDerived } from "./not-derived.ts";

export interface NotDerivedOptions {
  readonly client: Client;
  readonly profiles: Informer<PerformanceProfile>;
  /** Whether the cluster has MachineConfigPools. */
  readonly hasPools: boolean;
  readonly clock: Clock;
  readonly log?: Log | undefined;
}

/** Says in the status of every PerformanceProfile that nothing is derived from it yet. */
export function notDerivedController(options: NotDerivedOptions): Controller {
  const { client, profiles, clock, log: parent } = options;
  const why = notDerived(options);
  return new Controller({
    name: "performance-profile",
    clock,
    log: parent,
    sources: [source(profiles, ({ object }) => [object.metadata.name ?? ""])],
    async reconcile(name, { signal, log }): Promise<ActResult | undefined> {
      const profile = profiles.get(name);
      if (!profile || profile.metadata.deletionTimestamp) return undefined;
      return act(decideStatus(profile, why, formatTime(clock.now())), {
        client,
        kinds: () => performanceProfileKind,
        observed: () => profile,
        fieldManager: "attune-performance-profile",
        signal,
        log,
      });
    },
  });
}

/** Other conditions and fields stay as the operator that Attune replaces left them. */
function decideStatus(
  { apiVersion, kind, metadata, status }: PerformanceProfile,
  why: ReturnType<typeof notDerived>,
  now: string,
): Plan {
  const conditions = setCondition(status?.conditions ?? [], { type: "Available", status: "False", ...why }, now);
  const { name, uid } = metadata;
  return {
    ...emptyPlan(),
    statuses: [
      { of: { apiVersion, kind, metadata: { name, uid } }, status: { ...status, conditions: [...conditions] } },
    ],
  };
}
