import { isAlreadyExists, isConflict, ifThere } from "../../cluster/kube/api-error.ts";
import type { CacheEvent, Informer } from "../../cluster/kube/cache.ts";
import type { Client } from "../../cluster/kube/client.ts";
import { act } from "../../cluster/runtime/act/act.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import { Controller, type Result, source, type Source } from "../../cluster/runtime/controller/controller.ts";
import { forEachBounded } from "../../cluster/runtime/for-each-bounded.ts";
import type { Log } from "../../cluster/runtime/log/log.ts";
import type { Metrics } from "../../cluster/runtime/metrics/metrics.ts";
import { equal } from "../../language/object/json.ts";
import { emptyPlan, type PlannedEvent, referenceTo } from "../../language/object/plan.ts";
import { formatTime } from "../../language/object/time.ts";
import {
  type MachineConfig,
  machineConfigKind,
  type MachineConfigPool,
  machineConfigPoolKind,
} from "../machine-config/api.ts";
import { builtInPool, builtInPools, customPoolLabels, fallbackPool } from "./built-in-pools.ts";
import { decidePool, type PoolDecision } from "./decide-pool.ts";
import { Members } from "./members.ts";
import { fieldManager, type NodeWriter } from "./node-writer-controller.ts";
import type { PoolAuthority } from "./pool-authority.ts";
import { type ReleaseOptions, releaseRendering } from "./release-controller.ts";
import { poolOfRendering } from "../machine-config/rendered-annotations.ts";
import { describeProblem, type Render, Renderings } from "./rendering.ts";
import type { Rendering } from "../machine-config/render-pool.ts";
import { unusedRenderings } from "./unused-renderings.ts";
import { rolloutFactsOf, type RolloutNode } from "./rollout-node.ts";

export interface RolloutCaches {
  readonly pools: Informer<MachineConfigPool>;
  /** Rendered ones without their spec. */
  readonly machineConfigs: Informer<MachineConfig>;
  readonly nodes: Informer<RolloutNode>;
}

export interface RolloutOptions {
  readonly client: Client;
  readonly caches: RolloutCaches;
  readonly writer: NodeWriter;
  readonly render: Render;
  /** What a rendering waits for, and who says when it has changed. */
  readonly awaited: ReleaseOptions["awaited"];
  readonly awaitedSources: readonly Source<string>[];
  /** Resolves when caches have what the leader before wrote. */
  readonly untilCurrent: (signal: AbortSignal) => Promise<void>;
  /** Who decides about pools and nodes. Default: the cluster, with two built-in pools. */
  readonly authority?: PoolAuthority | undefined;
  /** Where the operator runs: it is updated last. */
  readonly operatorNode?: string | undefined;
  readonly clock: Clock;
  readonly log?: Log | undefined;
  readonly metrics?: Metrics | undefined;
  readonly recorder?: { record(event: PlannedEvent): void } | undefined;
}

/** Renders each pool and rolls the result out to its nodes. One key for each pool; one pool at a time. */
export function rolloutController(options: RolloutOptions): Controller {
  const { client, caches, writer, clock, recorder, authority } = options;
  const { machineConfigs, nodes } = caches;
  const nodeOf = (node: RolloutNode): RolloutNode => authority?.node(node) ?? node;
  const poolsNow = (): readonly MachineConfigPool[] =>
    authority ? caches.pools.list().flatMap((pool) => authority.pool(pool) ?? []) : caches.pools.list();
  const members = new Members();
  const renderings = new Renderings(options.render, readRendered);
  let isCurrent = false;

  const poolsOf = ({ object, ...event }: CacheEvent<RolloutNode>): string[] => {
    members.use(poolsNow());
    const before = "before" in event ? event.before : undefined;
    if (before && rolloutFactsOf(before) === rolloutFactsOf(object)) return [];
    return [object, ...(before ? [before] : [])].flatMap((node) => {
      const { pools: names } = members.assign(nodeOf(node));
      return names.length > 0 ? names : [fallbackPool];
    });
  };
  const selectors = (event: CacheEvent<MachineConfigPool>): string[] =>
    // A pool that takes nodes from others changes them too.
    event.type === "updated" && equal(event.before.spec?.nodeSelector ?? {}, event.object.spec?.nodeSelector ?? {})
      ? [event.object.metadata.name ?? ""]
      : [...poolsNow().map(({ metadata }) => metadata.name ?? ""), event.object.metadata.name ?? ""];
  const selecting = ({ object, ...event }: CacheEvent<MachineConfig>): readonly string[] => {
    const all = poolsNow();
    members.use(all);
    const rendered = poolOfRendering(object);
    if (rendered !== undefined) return [rendered];
    // A target whose owner a user took away.
    if (authority)
      return all
        .filter(({ spec }) => spec?.configuration?.name === object.metadata.name)
        .map(({ metadata }) => metadata.name ?? "");
    const before = "before" in event ? members.selecting(event.before.metadata.labels ?? {}) : [];
    return [...before, ...members.selecting(object.metadata.labels ?? {})];
  };

  const controller: Controller = new Controller({
    name: "rollout",
    clock,
    queue: { backoff: { maxMs: 30_000 } },
    log: options.log,
    metrics: options.metrics,
    sources: [
      source(caches.pools, selectors),
      source(machineConfigs, selecting),
      source(nodes, poolsOf),
      ...options.awaitedSources,
    ],
    async reconcile(name, { signal, log }): Promise<Result | undefined> {
      if (!isCurrent) await options.untilCurrent(signal);
      signal.throwIfAborted();
      isCurrent = true;
      await writer.settle(signal);
      const pools = poolsNow();
      members.use(pools);
      const pool = pools.find(({ metadata }) => metadata.name === name);
      if (!pool) {
        if (!authority && builtInPools.includes(name)) await createPool(name, signal);
        return undefined;
      }
      const { sources, problems } = authority?.sources(pool) ?? { sources: selected(name), problems: [] };
      const rendering: Rendering | undefined =
        problems.length > 0 ? { type: "refused", problems } : await renderings.of(pool, sources);
      const untoldOf = (target: string): RolloutNode[] =>
        pool.spec?.paused ? [] : members.untold(name, target, writer.list().map(nodeOf));
      const toRelease = { rendering, sources, untoldOf };
      const released = await releaseRendering(pool, toRelease, { ...options, machineConfigs }, signal);
      // What other clients wrote beside the target does not count.
      const current = authority?.pool(released.pool) ?? released.pool;
      const now = formatTime(clock.now());
      const all = writer.list().map(nodeOf);
      const { elsewhere, withoutPool } = members.near(name, all);
      const isFallback = !authority && name === fallbackPool;
      const decision = decidePool({
        pool: current,
        waiting: released.waiting,
        isHeld: released.isHeld,
        nodes: members.of(name, all),
        nearby: { elsewhere, withoutPool: isFallback ? withoutPool : [] },
        renderProblems: rendering?.type === "refused" ? rendering.problems.map(describeProblem) : [],
        selectorProblems: members.problemsOf(name),
        operatorNode: options.operatorNode,
        redirects: authority !== undefined,
        customPoolOf: isFallback ? customPoolOf : undefined,
        now,
      });
      const unused = unusedRenderings({
        pool: name,
        machineConfigs: machineConfigs.list(),
        // The cache may not have the new target yet.
        pools: [...pools, current],
        nodes: all,
        now,
      });
      const waits = [decision.requeueAfterMs, released.againInMs, unused.againInMs];
      const soonest = Math.min(...waits.map((ms) => ms ?? Infinity));
      const requeueAfterMs = Number.isFinite(soonest) ? soonest : undefined;
      const result = await carryOut(pool, { ...decision, requeueAfterMs }, { unused: unused.old, signal, log });
      authority?.decided({ pool: current, rendering, decision });
      return result;
    },
  });

  function selected(pool: string): readonly MachineConfig[] {
    const isSelected = ({ metadata }: MachineConfig): boolean =>
      members.selecting(metadata.labels ?? {}).includes(pool);
    return machineConfigs.list().filter((config) => poolOfRendering(config) === undefined && isSelected(config));
  }

  function customPoolOf(config: string): Readonly<Record<string, string>> | undefined {
    const rendered = machineConfigs.get(config);
    return customPoolLabels(rendered && caches.pools.get(poolOfRendering(rendered) ?? ""));
  }

  function readRendered(name: string): Promise<MachineConfig | undefined> {
    return ifThere(client.get(machineConfigKind, name));
  }

  async function createPool(name: string, signal: AbortSignal): Promise<void> {
    try {
      await client.create(machineConfigPoolKind, builtInPool(name), { fieldManager, signal });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }

  async function carryOut(
    pool: MachineConfigPool,
    { changes, status, events, requeueAfterMs }: PoolDecision,
    { unused, signal, log }: { unused: readonly MachineConfig[]; signal: AbortSignal; log: Log },
  ): Promise<Result> {
    const of = referenceTo(pool);
    const failures: unknown[] = [];
    await forEachBounded(changes, 16, async (change) => {
      try {
        await writer.write(change, signal);
      } catch (error) {
        failures.push(error);
      }
    });
    const plan = {
      ...emptyPlan(),
      prunes: unused.map(referenceTo),
      statuses: status ? [{ of, status: { ...status } }] : [],
      events: [...events],
      requeueAfterMs,
    };
    const result = await act(plan, {
      client,
      kinds: (_apiVersion, kind) => (kind === "MachineConfig" ? machineConfigKind : machineConfigPoolKind),
      observed: ({ kind, metadata }) => (kind === "MachineConfig" ? machineConfigs.get(metadata.name ?? "") : pool),
      fieldManager,
      recorder,
      signal,
      log,
    });
    const errors = failures.filter((error) => !isConflict(error));
    if (errors.length > 0)
      throw new AggregateError(errors, `write to ${errors.length} nodes of pool ${of.metadata.name}`);
    // A Node that its kubelet wrote meanwhile.
    return failures.length > 0 ? { ...result, requeue: true } : result;
  }

  if (!authority) for (const name of builtInPools) controller.queue.add(name);
  return controller;
}
