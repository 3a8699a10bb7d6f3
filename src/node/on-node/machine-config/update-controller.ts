import { ifThere } from "../../../cluster/kube/api-error.ts";
import type { Informer } from "../../../cluster/kube/cache.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import type { Clock } from "../../../cluster/runtime/clock.ts";
import { Controller, type Result, source } from "../../../cluster/runtime/controller/controller.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import { machineConfigKind } from "../../../domain/machine-config/api.ts";
import {
  type DisruptionPolicy,
  machineConfigurationKind,
  mergedPolicy,
  userPolicy,
} from "../../../domain/machine-config/cost/disruption-policy.ts";
import { type Origins, readOrigins } from "../../../domain/machine-config/origins.ts";
import {
  agentAnnotations,
  annotations,
  drainRequest,
  driftText,
  findingsText,
  longestReason,
  type NodeUpdate,
  repairAnnotation,
  uncordonRequest,
  updateOf,
  type UpdateState,
} from "../../../domain/rollout/node-annotations.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import type { ConfigWatch } from "./config-watch.ts";
import { DriftCheck, driftCheckMs } from "./drift-check.ts";
import { askAgain, Attempts, bootAgainMs } from "./attempts.ts";
import type { KeptConfig, PendingConfig } from "./config-store.ts";
import type { NodeConfigs, NodeUpdater, Verified } from "./node-updater.ts";
import { isDrained, phaseOf, settlement } from "./update-phase.ts";

export interface UpdateControllerOptions {
  readonly client: Client;
  /** Caches this node's own Node and no other. */
  readonly nodes: Informer;
  readonly node: string;
  readonly updater: NodeUpdater;
  /** Whether the node was tuned since it booted: the operator keeps pods away until then. */
  readonly isTuned?: (() => boolean) | undefined;
  /** Notices drift. Without it, it is found by comparing now and then. */
  readonly watch?: ConfigWatch | undefined;
  readonly clock: Clock;
  readonly log?: Log | undefined;
}

const fieldManager = "attune-agent";

/** Brings the config that the operator assigns to the node, and reports in the annotations of the Node. */
export function updateController(options: UpdateControllerOptions): Controller {
  const { client, nodes, node, updater, watch, clock } = options;
  const attempts = new Attempts(clock);
  const drift = new DriftCheck({ updater, watch, clock, originsOf });
  /** The cache may not have the annotation yet. */
  let repaired: string | undefined;

  async function reconcile(found: KubeObject, signal: AbortSignal, log: Log): Promise<Result> {
    const update = updateOf(found.metadata);
    const configs = await updater.configs();
    let seen: Annotations = found.metadata.annotations ?? {};
    const report = async (wanted: Report): Promise<void> => void (seen = await annotate(seen, wanted, signal));
    if (options.isTuned?.()) await report({ tunedBoot: configs.bootId });
    switch (phaseOf({ update, ...configs })) {
      case "unmanaged":
        return {};
      case "lost":
        // The operator assigns it again, when the budget of the pool allows.
        await report({ state: "Lost", reason: `the node does not have ${update.desired} any more` });
        return {};
      case "settled":
        if (configs.pending) await updater.forgetPending();
        await repair(found, report, log);
        return settle(update, report);
      case "given up":
        await report({ state: "Degraded", reason: configs.pending?.reason ?? "", postConfigAction: null });
        return {};
      case "boot":
        return boot(configs.pending!, report, log);
      case "verify":
        await report({ postConfigAction: null });
        return outcome(await updater.verify(configs.pending!), update, report, log);
      case "apply":
        return apply({ update, configs, report, signal, log });
    }
  }

  async function apply({ update, configs, report, signal, log }: Apply): Promise<Result> {
    // Any change of the Node comes here, its heartbeats too.
    const waitMs = attempts.waitMs(update.desired);
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    const config = await find(update.desired, configs, signal);
    if (!config) {
      // A user may have deleted it: the operator creates the target of a pool again.
      if (attempts.hasFailed(update.desired))
        await report({ state: "Degraded", reason: `MachineConfig ${update.desired} does not exist` });
      return { requeueAfterMs: attempts.failed(update.desired) };
    }
    const planned = await updater.plan(config, await policyOf(signal));
    if (planned.type === "refused") {
      log.error({ reason: planned.reason }, "the config cannot be applied");
      await report({ state: "Unreconcilable", reason: planned.reason });
      return {};
    }
    const { level, drain, because } = planned.cost;
    await report({ state: "Working", reason: "" });
    if (drain && !isDrained(update)) {
      log.info({ config: config.name, level, because }, "waiting until the node is drained");
      await report({ desiredDrain: drainRequest(update.desired) });
      return {};
    }
    log.info({ config: config.name, level, because }, "applying the config");
    const applied = await updater.apply(planned);
    return applied.type === "reboot" ? boot(applied.pending, report, log) : outcome(applied, update, report, log);
  }

  async function boot(pending: PendingConfig, report: SendReport, log: Log): Promise<Result> {
    const now = clock.now();
    const waitMs = bootAgainMs(pending.asked, now);
    if (waitMs > 0) {
      log.info({ waitMs }, "the node was asked to restart");
      return { requeueAfterMs: waitMs };
    }
    await report({ state: "Working", reason: "", postConfigAction: "Rebooting" });
    log.info({}, "restarting the node");
    const asked = askAgain(pending.asked, now);
    const failed = await updater.reboot(pending, asked);
    if (failed !== undefined) await report({ state: "Degraded", reason: `restart the node: ${failed}` });
    return { requeueAfterMs: bootAgainMs({ ...asked, isAnswered: true }, now) };
  }

  async function outcome(applied: Verified, update: NodeUpdate, report: SendReport, log: Log): Promise<Result> {
    if (applied.type === "refused") {
      log.error({ reason: applied.reason }, "the config was not applied");
      await report({ state: "Degraded", reason: applied.reason });
      return { requeueAfterMs: attempts.failed(update.desired) };
    }
    attempts.ended(update.desired);
    // Not a warning: the pool has a condition that says it.
    for (const finding of applied.findings) log.info({}, finding);
    return settle(update, report);
  }

  /** Once for each value of the annotation: what drifted is left alone until then. */
  async function repair({ metadata }: KubeObject, report: SendReport, log: Log): Promise<void> {
    const { [repairAnnotation]: asked, [agentAnnotations.repaired]: last } = metadata.annotations ?? {};
    if (asked === undefined || asked === last || asked === repaired) return;
    const { problems } = await updater.repair();
    log.info({ problems }, "repaired the node's config");
    repaired = asked;
    drift.renew();
    await report({ repaired: asked });
  }

  async function settle(update: NodeUpdate, report: SendReport): Promise<Result> {
    switch (settlement(update)) {
      case "uncordon":
        await report({ desiredDrain: uncordonRequest(update.desired) });
        return {};
      case "wait":
        return {};
      case "done": {
        const { drifted, findings } = await drift.of(update.desired);
        const done = { currentConfig: update.desired, state: "Done", postConfigAction: null } as const;
        await report({ ...done, reason: driftText(drifted), findings: findingsText(findings) });
        return { requeueAfterMs: driftCheckMs };
      }
    }
  }

  /** The node's own copy first: a rendered config that was deleted must not stop an update that has begun. */
  async function find(
    name: string,
    { current, pending }: NodeConfigs,
    signal: AbortSignal,
  ): Promise<KeptConfig | undefined> {
    const kept = [pending, current].find((one) => one?.name === name);
    if (kept) return kept;
    const found = await ifThere(client.get(machineConfigKind, name, { signal }));
    return found && { name, spec: found.spec ?? {} };
  }

  async function originsOf(config: string, signal?: AbortSignal): Promise<Origins> {
    const found = await ifThere(client.get(machineConfigKind, config, { signal }));
    return readOrigins(found?.metadata ?? {});
  }

  async function policyOf(signal: AbortSignal): Promise<DisruptionPolicy> {
    const found = await ifThere(client.get(machineConfigurationKind, "cluster", { signal }));
    return mergedPolicy(found ? userPolicy(found) : {});
  }

  /** Returns the annotations of the Node with what was written. */
  async function annotate(present: Annotations, wanted: Report, signal: AbortSignal): Promise<Annotations> {
    const changed = Object.entries(wanted)
      .map(([key, value]): [string, string | null] => [
        reported[key as keyof Report],
        key === "reason" ? (value?.slice(0, longestReason) ?? null) : value,
      ])
      .filter(([name, value]) => (present[name] ?? null) !== value);
    if (changed.length === 0) return present;
    const written = Object.fromEntries(changed);
    const patch = { metadata: { annotations: written } };
    await client.patch(kinds.node, node, { type: "merge", patch }, { fieldManager, signal });
    return { ...present, ...written };
  }

  return new Controller({
    name: "machine-config",
    clock,
    log: options.log,
    queue: { backoff: { baseMs: 1000, maxMs: 60_000 } },
    sources: [source(nodes, ({ object }) => (object.metadata.name === node ? [node] : []))],
    async reconcile(_key, { signal, log }) {
      const found = nodes.get(node);
      return found ? reconcile(found, signal, log) : {};
    },
  });
}

const reported = { ...annotations, ...agentAnnotations };

interface Report {
  currentConfig?: string;
  state?: UpdateState;
  reason?: string;
  desiredDrain?: string;
  postConfigAction?: "Rebooting" | null;
  repaired?: string;
  findings?: string | null;
  tunedBoot?: string;
}

type Annotations = Readonly<Record<string, string | null>>;
type SendReport = (report: Report) => Promise<void>;

interface Apply {
  readonly update: NodeUpdate;
  readonly configs: NodeConfigs;
  readonly report: SendReport;
  readonly signal: AbortSignal;
  readonly log: Log;
}
