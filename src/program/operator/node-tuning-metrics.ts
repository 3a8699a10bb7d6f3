import type { CacheEvent } from "../../cluster/kube/cache.ts";
import type { Profile } from "../../domain/node-tuning/api.ts";
import { type NodeTuningCaches, statusPlace } from "../../domain/node-tuning/node-tuning-controller.ts";
import { statusBefore } from "../../domain/node-tuning/status/operator-status-object.ts";
import { rulesOf } from "../../domain/node-tuning/rule.ts";
import { findCondition, isTrue } from "../../language/object/condition.ts";
import type { Plan } from "../../language/object/plan.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import type { Metrics } from "../../cluster/runtime/metrics/metrics.ts";

export interface NodeTuningMetrics {
  /** Called with every plan. */
  readonly decided: (plan: Plan) => void;
  readonly stop: () => void;
}

/** Up to a quarter of an hour: a rollout of the agents may come in between. */
const latencyBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900];

const conditionTypes = ["Applied", "Degraded"] as const;
const conditionStatuses = ["True", "False", "Unknown"] as const;

/** Metrics with the names of the operator that Attune replaces, and some of our own. */
export function nodeTuningMetrics(
  metrics: Metrics,
  caches: NodeTuningCaches,
  { namespace, version, clock }: { namespace: string; version: string; clock: Clock },
): NodeTuningMetrics {
  const { tuneds, profiles } = caches;
  const gauge = (name: string, help: string): ((is: boolean) => void) => {
    const series = metrics.gauge(name, help).labels();
    return (is) => series.set(is ? 1 : 0);
  };
  const podLabelsUsed = gauge("nto_pod_labels_used_info", "1 while a Tuned matches labels of pods.");
  const isDegraded = gauge("nto_degraded_info", "1 while the operator is degraded.");
  const invalidTuned = gauge("nto_invalid_tuned_exist_info", "1 while a Tuned is not valid.");
  metrics.gauge("nto_build_info", "Always 1; the label has the version.", ["version"]).labels({ version }).set(1);
  const byCondition = metrics.gauge("attune_profiles", "Profiles by status of their conditions.", [
    "condition",
    "status",
  ]);

  const drifted = metrics
    .gauge("attune_profiles_drifted", "Profiles on whose nodes another process had changed a setting.")
    .labels();

  const forget = metrics.onCollect(() => {
    podLabelsUsed(rulesOf(tuneds.list()).some(({ usesPods }) => usesPods));
    invalidTuned(tuneds.list().some(({ status }) => findCondition(status?.conditions, "Valid")?.status === "False"));
    isDegraded(isTrue(statusBefore(statusPlace(caches, namespace)).conditions, "Degraded"));
    drifted.set(profiles.list().filter(hasDrifted).length);
    for (const [key, count] of countConditions(profiles.list())) {
      const [condition = "", status = ""] = key.split("/");
      byCondition.labels({ condition, status }).set(count);
    }
  });

  const latency = applyLatency(metrics, profiles, clock);
  return {
    decided: calculations(metrics, caches),
    stop() {
      forget();
      latency();
    },
  };
}

/** The agent sets the setting back, and reports the drift until its next resync. */
function hasDrifted({ status }: Profile): boolean {
  return isTrue(status?.conditions, "Drifted");
}

/** A Profile without conditions counts as Unknown. */
function countConditions(profiles: readonly Profile[]): Map<string, number> {
  const counts = new Map(conditionTypes.flatMap((type) => conditionStatuses.map((status) => [`${type}/${status}`, 0])));
  for (const { status } of profiles)
    for (const type of conditionTypes) {
      const key = `${type}/${findCondition(status?.conditions, type)?.status ?? "Unknown"}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  return counts;
}

/** One series for each node, with its current profile. Series of deleted nodes are removed. */
function calculations(metrics: Metrics, { profiles }: NodeTuningCaches): (plan: Plan) => void {
  const calculated = metrics.counter(
    "nto_profile_calculated_total",
    "How often a profile was chosen for a node that had a different one or none.",
    ["node", "profile"],
  );
  const chosen = new Map<string, string>();
  return ({ objects }) => {
    const seen = new Set<string>();
    for (const { object } of objects) {
      if (object.kind !== "Profile") continue;
      const node = object.metadata.name ?? "";
      const profile = (object as Profile).spec.config.tunedProfile;
      seen.add(node);
      const before = chosen.get(node);
      if (before === profile) continue;
      if (before !== undefined) calculated.remove({ node, profile: before });
      chosen.set(node, profile);
      calculated.labels({ node, profile }).inc();
    }
    if (seen.size === chosen.size) return;
    // A node for which no profile can be decided keeps its Profile, and so its series.
    const kept = new Set(profiles.list().map(({ metadata }) => metadata.name ?? ""));
    for (const [node, profile] of chosen) {
      if (seen.has(node) || kept.has(node)) continue;
      chosen.delete(node);
      calculated.remove({ node, profile });
    }
  };
}

interface Waiting {
  readonly generation: number;
  readonly since: number;
}

/** From a change of a Profile until its node has applied it. A Profile that waits for a restart is not counted. */
function applyLatency(metrics: Metrics, profiles: NodeTuningCaches["profiles"], clock: Clock): () => void {
  const seconds = metrics
    .histogram(
      "attune_profile_apply_seconds",
      "Time from the write of a Profile until its node reports it as applied.",
      [],
      latencyBuckets,
    )
    .labels();
  const waiting = new Map<string, Waiting>();
  return profiles.subscribe((event: CacheEvent<Profile>) => {
    const { metadata, status } = event.object;
    const { uid = "", generation = 0 } = metadata;
    if (event.type === "deleted") return void waiting.delete(uid);
    const known = waiting.get(uid);
    if ((status?.observedGeneration ?? 0) < generation) {
      // The write time of Profiles that existed at the start is unknown.
      if (profiles.synced && known?.generation !== generation)
        waiting.set(uid, { generation, since: clock.monotonic() });
      return;
    }
    if (!known) return;
    const applied = findCondition(status?.conditions, "Applied");
    if (applied?.status === "True") seconds.observe((clock.monotonic() - known.since) / 1000);
    if (applied?.status === "True" || applied?.reason === "Deferred") waiting.delete(uid);
  });
}
