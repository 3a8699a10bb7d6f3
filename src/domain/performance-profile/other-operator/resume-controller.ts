import { ifThere } from "../../../cluster/kube/api-error.ts";
import type { Informer } from "../../../cluster/kube/cache.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import type { Clock } from "../../../cluster/runtime/clock.ts";
import { Controller, type Result, source, type Source } from "../../../cluster/runtime/controller/controller.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import type { Metrics } from "../../../cluster/runtime/metrics/metrics.ts";
import { formatLabelSelector, fromLabelSelector } from "../../../language/object/label-selector.ts";
import { type PlannedEvent, referenceTo } from "../../../language/object/plan.ts";
import {
  type KubeletConfig,
  type MachineConfig,
  machineConfigKind,
  type MachineConfigPool,
  machineConfigPoolKind,
} from "../../machine-config/api.ts";
import type { LatestBootDecision } from "../../node-tuning/boot/boot-decision.ts";
import { isRendered, pausedFor, resume, resumePatch } from "./pause.ts";
import { selects } from "../pools.ts";

export interface ResumeOptions {
  readonly client: Client;
  readonly pools: Informer<MachineConfigPool>;
  readonly machineConfigs: Informer<MachineConfig>;
  readonly kubeletConfigs: Informer<KubeletConfig>;
  readonly boot: LatestBootDecision;
  readonly bootSource: (keys: () => readonly string[]) => Source<string>;
  readonly clock: Clock;
  readonly log?: Log | undefined;
  readonly metrics?: Metrics | undefined;
  readonly recorder: { record(event: PlannedEvent): void };
}

/** Where another operator rolls out pools: resumes those that were paused for a profile, once they have rendered all of it. */
export function resumeController(options: ResumeOptions): Controller {
  const { client, pools, machineConfigs, kubeletConfigs, boot, clock, recorder } = options;
  const ours = (): string[] =>
    pools.list().flatMap((pool) => (pausedFor(pool) === undefined ? [] : [pool.metadata.name ?? ""]));
  return new Controller({
    name: "pool-resume",
    clock,
    log: options.log,
    metrics: options.metrics,
    queue: { backoff: { maxMs: 30_000 } },
    sources: [
      source(pools, ({ object }) => [object.metadata.name ?? ""]),
      source(machineConfigs, ours),
      source(kubeletConfigs, ours),
      options.bootSource(ours),
    ],
    async reconcile(key, { signal }): Promise<Result | undefined> {
      const pool = pools.get(key);
      if (!pool) return undefined;
      const sources = machineConfigs
        .list()
        .filter(({ metadata }) => selects(pool.spec?.machineConfigSelector, metadata.labels ?? {}));
      const input = { pool, sources, kubeletConfigs: kubeletConfigs.list(), boot: boot.current, now: clock.now() };
      const decision = resume(input);
      if (!decision) return undefined;
      if (decision.type === "wait" || (decision.type === "when rendered" && !(await hasRendered(pool, client, signal))))
        return { requeueAfterMs: decision.againInMs };
      await client.patch(machineConfigPoolKind, key, { type: "merge", patch: resumePatch(pool) }, { signal });
      const message = `resumed: the pool has what it was paused for, ${pausedFor(pool)}, or has waited too long`;
      recorder.record({ regarding: referenceTo(pool), type: "Normal", reason: "PoolResumed", message });
      return undefined;
    },
  });
}

/** Asks the API server: a cache may not show the last writes of the other operator yet. */
async function hasRendered(pool: MachineConfigPool, client: Client, signal: AbortSignal): Promise<boolean> {
  const { machineConfigSelector, configuration } = pool.spec ?? {};
  const labelSelector = formatLabelSelector(fromLabelSelector(machineConfigSelector));
  const { items } = await client.list(machineConfigKind, { labelSelector, signal });
  const rendered = await ifThere(client.get(machineConfigKind, configuration?.name ?? "", { signal }));
  return rendered !== undefined && isRendered(pool, items, rendered);
}
