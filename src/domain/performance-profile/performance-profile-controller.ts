import { isConflict, isNotFound } from "../../cluster/kube/api-error.ts";
import type { Cache } from "../../cluster/kube/cache.ts";
import type { Client, KindRef } from "../../cluster/kube/client.ts";
import { act, ActError, type ActResult } from "../../cluster/runtime/act/act.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import { Controller, type Result, type Source } from "../../cluster/runtime/controller/controller.ts";
import type { Log } from "../../cluster/runtime/log/log.ts";
import type { Metrics } from "../../cluster/runtime/metrics/metrics.ts";
import { keyOf, type KubeObject } from "../../language/object/meta.ts";
import { emptyPlan, type Plan, type PlannedEvent } from "../../language/object/plan.ts";
import { formatTime } from "../../language/object/time.ts";
import { setOf } from "../rollout/derived-set.ts";
import type { PerformanceProfile } from "./api.ts";
import { type DerivedKind, decideProfile, type ProfileDecision } from "./decide.ts";
import type { ObjectSink, ProfileSource, ProfileSurroundings } from "./profile-places.ts";
import { Repairs } from "./repairs.ts";
import { conflict, degraded, profileStatus, type ProfileState, stateEvents } from "./status.ts";

/** Whose events bring keys of profiles. */
export interface Wakes {
  readonly sources: readonly Source<string>[];
}

export interface PerformanceProfileOptions<P extends PerformanceProfile = PerformanceProfile> {
  readonly client: Client;
  readonly source: ProfileSource<P> & Wakes;
  readonly sink: ObjectSink<P> & Wakes;
  readonly around: ProfileSurroundings<P> & Wakes;
  /** The kinds that source and sink plan, and their caches. */
  readonly written: ReadonlyMap<string, { readonly kind: KindRef; readonly cache: Cache }>;
  readonly clock: Clock;
  readonly log?: Log | undefined;
  readonly metrics?: Metrics | undefined;
  readonly recorder: { record(event: PlannedEvent): void };
}

const fieldManager = "attune-performance-profile";

/** Derives the objects of each PerformanceProfile, repairs them, and reports how far its nodes have come. */
export function performanceProfileController<P extends PerformanceProfile>(
  options: PerformanceProfileOptions<P>,
): Controller {
  const { source, sink, around, clock } = options;
  const repairs = new Repairs();
  return new Controller({
    name: "performance-profile",
    clock,
    log: options.log,
    metrics: options.metrics,
    // A profile with a failing write must not keep the others waiting.
    concurrency: 4,
    queue: { backoff: { maxMs: 30_000 } },
    sources: [...source.sources, ...sink.sources, ...around.sources],
    async reconcile(key, { signal, log }): Promise<Result | undefined> {
      const profile = source.get(key);
      if (!profile) return undefined;
      const { finalizer } = source;
      const observed = sink.observed(profile);
      const decided = decideProfile({ profile, finalizer, observed, ...around.of(profile) });
      const differs = (object: KubeObject, found: KubeObject): boolean =>
        sink.differs(sink.plan(object, profile), found);
      const decision = withoutFights(decided, observed, { repairs, differs, now: clock.now() });
      const execute = (plan: Plan): Promise<ActResult> => carryOut(plan, options, { signal, log });
      try {
        if (decision.finalizer === "add") await addFinalizer(profile, source, signal);
        for (const pause of decision.pauses ?? []) await sink.pause?.(pause, clock.now(), signal);
        const result = await write(profile, decision, options, execute);
        if (decision.finalizer === "remove") await removeFinalizer(profile, source, signal);
        const { requeueAfterMs } = decision;
        return { ...result, ...(requeueAfterMs === undefined ? {} : { requeueAfterMs }) };
      } catch (error) {
        // The profile has changed, or is gone: its event brings it here again.
        if (isConflict(error) || isNotFound(error)) return { requeue: isConflict(error) };
        throw error;
      }
    },
  });
}

interface FightInput {
  readonly repairs: Repairs;
  readonly differs: (object: KubeObject, found: KubeObject) => boolean;
  readonly now: number;
}

/** Objects that another client keeps changing are repaired less and less often, and their profile says so. */
function withoutFights(
  decision: ProfileDecision,
  observed: Partial<Record<DerivedKind, KubeObject>>,
  { repairs, differs, now }: FightInput,
): ProfileDecision {
  const waits = decision.objects.flatMap((object) => {
    const found = observed[object.kind as DerivedKind];
    // An object of another set is changed by the profile, not by another client.
    if (!found || setOf(found) !== setOf(object) || !differs(object, found)) return [];
    const waitMs = repairs.waitMs(`${found.kind} ${found.metadata.uid}`, now);
    return waitMs > 0 ? [{ object, found, waitMs }] : [];
  });
  const [first] = waits;
  if (!first) return decision;
  return {
    ...decision,
    objects: decision.objects.filter((object) => waits.every((wait) => wait.object !== object)),
    state: conflict(first.found, fieldManager),
    requeueAfterMs: Math.min(...waits.map(({ waitMs }) => waitMs), decision.requeueAfterMs ?? Infinity),
  };
}

async function write<P extends PerformanceProfile>(
  profile: P,
  { objects, prunes, state }: ProfileDecision,
  { source, sink, clock, recorder }: PerformanceProfileOptions<P>,
  execute: (plan: Plan) => Promise<ActResult>,
): Promise<Result> {
  const regarding = source.reference(profile);
  const report = (reached: ProfileState): Promise<ActResult> =>
    execute({
      ...emptyPlan(),
      ...source.planStatus(profile, profileStatus(profile, reached, formatTime(clock.now()))),
      events: stateEvents(profile, reached).map((event) => ({ regarding, ...event })),
    });
  const plan = {
    ...emptyPlan(),
    objects: objects.map((one) => sink.plan(one, profile)),
    prunes: prunes.map((one) => sink.prune(one)),
  };
  try {
    const result = await execute(plan);
    if (result.written > 0) recorder.record({ regarding, ...created });
    if (!state) return result;
    const { requeue } = await report(state);
    return { ...result, requeue: requeue ?? result.requeue };
  } catch (error) {
    if (error instanceof ActError && state) await report(degraded("ComponentCreationFailed", error.message));
    throw error;
  }
}

const created = {
  type: "Normal",
  reason: "CreationSucceeded",
  message: "the objects of the profile have been created or updated",
} as const;

function carryOut(
  plan: Plan,
  { client, written, recorder }: Pick<PerformanceProfileOptions, "client" | "written" | "recorder">,
  context: { readonly signal: AbortSignal; readonly log: Log },
): Promise<ActResult> {
  const known = (kind: string): { readonly kind: KindRef; readonly cache: Cache } => {
    const found = written.get(kind);
    if (!found) throw new TypeError(`performance profiles plan no ${kind}`);
    return found;
  };
  return act(plan, {
    client,
    kinds: (_apiVersion, kind) => known(kind).kind,
    observed: (reference) => known(reference.kind).cache.get(keyOf(reference)),
    fieldManager,
    recorder,
    ...context,
  });
}

function addFinalizer<P extends PerformanceProfile>(
  profile: P,
  source: ProfileSource<P>,
  signal: AbortSignal,
): Promise<void> {
  return source.setFinalizers(profile, [...(profile.metadata.finalizers ?? []), source.finalizer], signal);
}

function removeFinalizer<P extends PerformanceProfile>(
  profile: P,
  source: ProfileSource<P>,
  signal: AbortSignal,
): Promise<void> {
  const others = profile.metadata.finalizers?.filter((name) => name !== source.finalizer) ?? [];
  return source.setFinalizers(profile, others, signal);
}
