import type { Informer } from "../../../cluster/kube/cache.ts";
import { ifThere } from "../../../cluster/kube/api-error.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import type { RefusedWrites } from "../../../cluster/kube/refused-writes.ts";
import { act } from "../../../cluster/runtime/act/act.ts";
import { Controller, type Result, source, type Source } from "../../../cluster/runtime/controller/controller.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import type { KindRef, KubeObject } from "../../../language/object/meta.ts";
import { emptyPlan, referenceTo } from "../../../language/object/plan.ts";
import { formatTime } from "../../../language/object/time.ts";
import {
  type MachineConfig,
  machineConfigKind,
  type MachineConfigPool,
  machineConfigPoolKind,
} from "../../machine-config/api.ts";
import { poolOfRendering } from "../../machine-config/rendered-annotations.ts";
import type { LatestBootDecision } from "../../node-tuning/boot/boot-decision.ts";
import { type ControlPlane, writeConfigMaps } from "../control-plane-controller.ts";
import type { ConfigMap } from "../envelope/read-manifests.ts";
import { isOrder, orderConfigMap, type PoolOrder, readOrder } from "../handover/pool-order.ts";
import { isReport, readReport, reportConfigMap, writeReport } from "../handover/pool-report.ts";
import { nodePoolOf } from "../protocol.ts";
import type { OrderAuthority } from "./order-authority-controller.ts";
import { orderedPool, poolMark } from "./ordered-pool.ts";
import type { LatestPasses } from "./latest-passes.ts";
import { disagreement, invalidTuneds, refusal, type ReportInput, reportOf } from "./report-of.ts";

export interface OrderedPoolOptions extends ControlPlane {
  readonly hosted: Client;
  /** By the hosted cluster. */
  readonly refused: RefusedWrites;
  /** The NodePool that a node belongs to; empty: none. */
  readonly poolOf: (node: Pick<KubeObject, "metadata">) => string;
  readonly pools: Informer<MachineConfigPool>;
  /** Rendered ones without their spec, with the mark of `isIntact`. */
  readonly machineConfigs: Informer<MachineConfig>;
  readonly isIntact: (rendered: MachineConfig) => boolean;
  readonly authority: OrderAuthority;
  readonly passes: LatestPasses;
  /** What node tuning decides about boot arguments. */
  readonly boot: LatestBootDecision;
  readonly untilCurrent: (signal: AbortSignal) => Promise<void>;
}

const refusedMs = 30_000;

/** Keeps the pools of a hosted cluster as they were ordered, and reports. One key for each NodePool. */
export function orderedPoolController(options: OrderedPoolOptions): Controller {
  const { hosted, configMaps, pools, machineConfigs, namespace, authority, passes, boot, refused, clock } = options;
  let isCurrent = false;

  const ordered = (): string[] => configMaps.list().filter(isOrder).map(nodePoolOf);
  const told = (subscribe: Source<string>["subscribe"]): Source<string> => ({
    whenSynced: () => Promise.resolve(),
    subscribe,
  });

  return new Controller({
    ...options,
    name: "ordered-pool",
    queue: { backoff: { maxMs: 30_000 } },
    sources: [
      source(configMaps, ({ object }) => (isOrder(object) || isReport(object) ? [nodePoolOf(object)] : [])),
      source(pools, ({ object }) => [object.metadata.name ?? ""]),
      source(machineConfigs, ({ object }) => poolsNaming(object)),
      told((add) => passes.subscribe(add)),
      told((add) => boot.subscribe(() => ordered().forEach(add))),
      told((add) => refused.subscribe(() => ordered().forEach(add))),
    ],
    async reconcile(name, { signal, log }): Promise<Result | undefined> {
      if (!isCurrent) await options.untilCurrent(signal);
      isCurrent = true;
      const order = configMaps.get(`${namespace}/${orderConfigMap(name)}`);
      const pool = pools.get(name);
      const dependencies = { fieldManager: "attune-hosted-rollout", signal, log };
      const inHosted = {
        ...dependencies,
        client: hosted,
        kinds: (_: string, kind: string) =>
          kind === machineConfigKind.kind ? machineConfigKind : machineConfigPoolKind,
        observed: ({ kind, metadata }: { kind: string; metadata: { name?: string | undefined } }) =>
          (kind === machineConfigKind.kind ? machineConfigs : pools).get(metadata.name ?? ""),
      };
      if (!order || !authority.order(name)) {
        if (!order) authority.forget(name);
        passes.delete(name);
        const read = order && readOrder(order);
        // An order that cannot be read changes nothing; one of another kind of update ends the pool.
        if (read?.type === "problem") return undefined;
        if (order && read) await report({ order: read.value }, order, { signal, log });
        if (pool?.metadata.labels?.[poolMark] !== "true") return againWhileRefused();
        await releaseHeld(name, pool, signal);
        return act({ ...emptyPlan(), prunes: [referenceTo(pool)] }, inHosted);
      }
      try {
        await releaseHeld(name, pool, signal);
        const wanted = wantedPool(authority, name, pool);
        const result = await act(
          {
            ...emptyPlan(),
            objects: [{ owns: "whole", object: wanted, because: `order of NodePool ${name}` }],
            prunes: changedRenderings(name).map(referenceTo),
          },
          inHosted,
        );
        return { ...result, ...againWhileRefused() };
      } finally {
        const latest = passes.get(name) ?? refusedBefore(authority.order(name));
        if (latest) await report(latest, order, { signal, log });
      }
    },
  });

  /** A user may have taken the owner of a rendering away. */
  function poolsNaming(config: MachineConfig): string[] {
    const owner = poolOfRendering(config);
    const told = pools.list().map(({ metadata }) => metadata.name ?? "");
    const naming = told.filter((pool) => authority.released(pool) === config.metadata.name);
    return owner === undefined ? naming : [owner, ...naming];
  }

  /** What nodes are told, or were told before, with other contents than its name says, or not of this pool any more. */
  function changedRenderings(pool: string): MachineConfig[] {
    const target = authority.released(pool);
    return machineConfigs
      .list()
      .filter((config) =>
        config.metadata.name === target
          ? poolOfRendering(config) !== pool || !options.isIntact(config)
          : poolOfRendering(config) === pool && !options.isIntact(config),
      );
  }

  /** Finalizers are never ours: with one, a user could keep a pool or a rendered config that is to be made anew. */
  async function releaseHeld(name: string, pool: MachineConfigPool | undefined, signal: AbortSignal): Promise<void> {
    const release = async (
      { metadata: { name: of = "", uid, finalizers } }: KubeObject,
      kind: KindRef,
    ): Promise<void> => {
      const patch = { metadata: { uid, finalizers: null } };
      if (finalizers?.length) await ifThere(hosted.patch(kind, of, { type: "merge", patch }, { signal }));
    };
    if (pool) await release(pool, machineConfigPoolKind);
    for (const config of machineConfigs.list())
      if (poolOfRendering(config) === name) await release(config, machineConfigKind);
  }

  /** A write that is not wanted any more is forgotten after a while, without an event. */
  function againWhileRefused(): Result | undefined {
    return refused.current().length > 0 ? { requeueAfterMs: refusedMs } : undefined;
  }

  /** Nothing was decided about the order yet, since the hosted cluster refuses its pool. */
  function refusedBefore(order: PoolOrder | undefined): Pick<ReportInput, "order"> | undefined {
    return order && refused.current().length > 0 ? { order } : undefined;
  }

  async function report(
    about: Pick<ReportInput, "order" | "pass">,
    order: ConfigMap,
    context: { signal: AbortSignal; log: Log },
  ): Promise<void> {
    const { name } = about.order.nodePool;
    const found = configMaps.get(`${namespace}/${reportConfigMap(name)}`);
    const before = found && readReport(found);
    const next = reportOf({
      ...about,
      before: before?.type === "read" ? before.value : undefined,
      bootArguments: disagreement(name, boot.current),
      tuneds: invalidTuneds(name, boot.current),
      refused: refusal(name, refused.current(), (node) => options.poolOf({ metadata: { name: node } })),
      now: formatTime(clock.now()),
    });
    const writes = { wanted: [writeReport(next, { namespace, order })], orphaned: [] };
    await writeConfigMaps(writes, options, { ...context, because: "nodes were told, or said, something new" });
  }
}

/** The target is the rollout's business: it stays as it is, or as it was noted. */
function wantedPool(
  authority: OrderAuthority,
  name: string,
  observed: MachineConfigPool | undefined,
): MachineConfigPool {
  const order = authority.order(name)!;
  const wanted = orderedPool(order);
  const configuration = observed && authority.pool(observed)?.spec?.configuration;
  return configuration ? { ...wanted, spec: { ...wanted.spec, configuration } } : wanted;
}
