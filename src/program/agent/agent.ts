import type { EngineName } from "../../node/engine/choose-engine.ts";
import type { Launch } from "../../node/engine/tuned-daemon/launch.ts";
import type { LogRecord } from "../../node/engine/tuned-daemon/log-record.ts";
import type { DaemonEvent } from "../../node/engine/tuned-daemon/supervisor.ts";
import { serialQueue } from "../../node/host/serial-queue.ts";
import { TunedEngine } from "../../node/engine/tuned-daemon/tuned-engine.ts";
import { findBootId } from "../../node/host/boot-id.ts";
import type { Host } from "../../node/host/host.ts";
import type { Client } from "../../cluster/kube/client.ts";
import type { Informer } from "../../cluster/kube/cache.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import { createInformer } from "../../cluster/kube/informer/informer.ts";
import type { ReflectorHooks } from "../../cluster/kube/informer/reflector.ts";
import { type Profile, profileKind, type Protocol, tuningNamespace } from "../../domain/node-tuning/api.ts";
import { withoutOtherStatus } from "../../domain/workload-partitioning/node/agent-cores.ts";
import { agentAnnotations } from "../../domain/rollout/node-annotations.ts";
import { RollbackOnRemoval } from "../../node/on-node/removal/rollback-on-removal.ts";
import type { BootArguments } from "../../node/on-node/boot-arguments.ts";
import type { ExecPolicy } from "../../node/on-node/exec-policy.ts";
import { coresController, patchCores } from "../../node/on-node/cores-controller.ts";
import { NodeEngines } from "../../node/on-node/node-engines.ts";
import { NodeEvents } from "../../node/on-node/events/node-events.ts";
import { cpusInForce } from "../../node/on-node/cpus-in-force.ts";
import { NodeHardware } from "../../node/on-node/node-hardware.ts";
import { ConfigWatch } from "../../node/on-node/machine-config/config-watch.ts";
import { NodeUpdater } from "../../node/on-node/machine-config/node-updater.ts";
import { updateController } from "../../node/on-node/machine-config/update-controller.ts";
import { NodeTuner } from "../../node/on-node/node-tuner.ts";
import { checkNode, type OwnNode, tuneController } from "../../node/on-node/tune-controller.ts";
import { clearState } from "../../node/on-node/removal/clear-state.ts";
import type { RollbackReport } from "../../node/engine/engine.ts";
import { agentServiceAccount } from "./rbac.ts";
import { type Clock, systemClock } from "../../cluster/runtime/clock.ts";
import { type Log, noLog } from "../../cluster/runtime/log/log.ts";
import type { Controller } from "../../cluster/runtime/controller/controller.ts";
import { Manager } from "../../cluster/runtime/controller/manager.ts";

export interface AgentOptions {
  client: Client;
  /** The node's name, and so its Profile's. */
  node: string;
  host: Host;
  signal: AbortSignal;
  /** Default native. */
  engine?: EngineName | undefined;
  /** Which programs that profiles name may run. Default allow. */
  exec?: ExecPolicy | undefined;
  /** `report`: MachineConfigs carry the boot arguments, so the agent writes none. Default apply. */
  bootArguments?: BootArguments | undefined;
  /** Bring the config to the node that the operator assigns to it. Default: another agent does, or none. */
  machineConfig?: boolean | undefined;
  /** Starts TuneD on the node. Without it there is only the native engine. */
  launch?: Launch | undefined;
  namespace?: string | undefined;
  /** Default documented. */
  protocol?: Protocol | undefined;
  /** Roll back at the end in any case. Default: only if the agent was removed. */
  rollbackOnExit?: boolean | undefined;
  /** Between two drift checks. Default 10 minutes. */
  resyncIntervalMs?: number | undefined;
  /** `host:port` of `/healthz` and `/readyz`. Default: not served. */
  probeAddress?: string | undefined;
  /** Between two lists of devices where the node does not announce new ones. Default 5 s. */
  pollIntervalMs?: number | undefined;
  clock?: Clock | undefined;
  log?: Log | undefined;
}

/** Runs the agent of one node until the signal aborts. Settings stay in force unless the agent was removed. */
export async function runAgent(options: AgentOptions): Promise<void> {
  const { client, node, host, signal, namespace = tuningNamespace, clock = systemClock } = options;
  const { engine: option = "native", launch, protocol = "documented", resyncIntervalMs = 600_000 } = options;
  let own: Informer<Profile> | undefined;
  const isVerbose = (): boolean => {
    const { debug = false, verbosity = 0 } = own?.get(`${namespace}/${node}`)?.spec.config ?? {};
    return debug || verbosity > 0;
  };
  const log = withVerbosity((options.log ?? noLog).child({ node }), isVerbose);
  const over = new AbortController();
  const onEvent = (event: DaemonEvent): void => {
    log.warn(describe(event), "TuneD");
    wake();
  };
  const onRecord = ({ level, logger, message }: LogRecord): void => log.debug({ level, logger }, `TuneD: ${message}`);
  const tuned = launch && new TunedEngine({ launch, timer: clock, signal: over.signal, onEvent, onRecord });
  const exclusive = serialQueue();
  const engines = new NodeEngines({ host, option, tuned, exclusive });
  const { exec, bootArguments, pollIntervalMs } = options;
  const wake = (): void => controller.queue.add(`${namespace}/${node}`);
  const events = new NodeEvents({ host, clock, log, pollIntervalMs, wake });
  const given = { node, host, engines, clock, resyncIntervalMs, log, exec, bootArguments, events };
  const tuner = new NodeTuner(given);

  await tuner.isKnown();

  // The node is tuned also where another process has the port.
  const manager = new Manager({ probeAddress: options.probeAddress, probesAreOptional: true, clock, log });
  let settled = false;
  let update: Controller | undefined;
  manager.addReadyCheck("node", () => {
    if (!settled) throw new Error("the Profile of the node was not applied yet");
  });
  const selection = { namespace, fieldSelector: `metadata.name=${node}` };
  const profiles = manager.informer(profileKind, selection, () =>
    createInformer(client, profileKind, { ...selection, clock, hooks: logOnce(log, clock) }),
  );
  own = profiles;
  const controller = tuneController({
    client,
    profiles,
    namespace,
    node,
    tuner,
    hardware: new NodeHardware(host, log),
    cpus: () => cpusInForce(host),
    bootId: () => findBootId(host),
    protocol,
    settled: () => {
      if (!settled) update?.queue.add(node);
      settled = true;
    },
    clock,
    log,
  });
  manager.add(controller, { on: "everywhere" });
  const updater = options.machineConfig === true ? new NodeUpdater({ host, exclusive }) : undefined;
  if (updater) {
    const selected = { fieldSelector: `metadata.name=${node}` };
    const nodes = manager.informer(kinds.node, selected, () =>
      createInformer(client, kinds.node, { ...selected, clock, project: withoutOtherStatus }),
    );
    const watch = new ConfigWatch(host, clock);
    const isTuned = (): boolean => settled;
    const config = updateController({ client, nodes, node, updater, isTuned, watch, clock, log });
    update = config;
    watch.start(() => config.queue.add(node), over.signal);
    manager.add(config, { on: "everywhere" });
    manager.add(coresController({ client, nodes, node, host, clock, log }), { on: "everywhere" });
  }
  // Reconciled even without an event: the Profile may have been deleted while no agent ran.
  controller.queue.add(`${namespace}/${node}`);
  const removal = new RollbackOnRemoval({
    client,
    namespace,
    node,
    serviceAccount: agentServiceAccount,
    profiles,
    clock,
  });
  const watching = profiles.whenSynced(signal).then(
    () => removal.run(over.signal),
    () => undefined,
  );
  events.start(over.signal);
  try {
    await manager.run(signal);
    const { type, because } =
      options.rollbackOnExit === true
        ? ({ type: "removed", because: "--rollback-on-exit" } as const)
        : await removal.decide();
    if (type === "restarted") log.info({ because }, "settings stay in force");
    else if (options.rollbackOnExit || (await isOwnNode({ client, node, tuner }, log))) {
      const left = (await updater?.release()) ?? [];
      checkRestored(await tuner.release(), because, log);
      if (updater) await forgetBoot(client, node, log);
      if (left.length > 0) throw new Error(`give the node's files back: ${left.join("; ")}`);
    }
    const left = await clearState(host);
    if (left.length > 0) log.info({ left }, "files that Attune did not create stay on the node");
  } finally {
    over.abort();
    await watching;
  }
}

/** No agent tunes the node after its next restart: it must not be kept away from pods until one does. */
async function forgetBoot(client: Client, node: string, log: Log): Promise<void> {
  const patch = { metadata: { annotations: { [agentAnnotations.tunedBoot]: null } } };
  try {
    await client.patch(kinds.node, node, { type: "merge", patch });
    // With the files of the config the node has lost the CPUs that it kept for pods of the platform.
    await patchCores(client, node, null);
  } catch (error) {
    // Its rights, or its Node, may be gone with it. `attune uninstall` removes all annotations.
    log.info({ error: (error as Error).message }, "the Node still says that it was tuned, or has cores");
  }
}

/** Throws where an original could not be restored: the exit code is what remains of a pod. */
function checkRestored({ restored }: RollbackReport, because: string, log: Log): void {
  log.info({ because, settings: restored.length }, "rolled back");
  const failed = restored.flatMap(({ target, failed }) => (failed === undefined ? [] : [`${target}: ${failed}`]));
  if (failed.length > 0) throw new Error(`roll back: not restored: ${failed.join("; ")}`);
}

async function isOwnNode(own: OwnNode, log: Log): Promise<boolean> {
  try {
    await checkNode(own);
    return true;
  } catch (error) {
    log.error({ error: (error as Error).message }, "not rolled back");
    return false;
  }
}

/** Logs debug messages as info while `isVerbose` returns true. */
export function withVerbosity(log: Log, isVerbose: () => boolean): Log {
  return {
    ...log,
    debug: (fields, message) => (isVerbose() ? log.info : log.debug)(fields, message),
    child: (fields) => withVerbosity(log.child(fields), isVerbose),
  };
}

function describe(event: DaemonEvent): Record<string, unknown> {
  if (event.type === "complaint") return { event: event.type, complaint: event.record.message };
  if (event.type === "crashed") return { event: event.type, why: event.message, restartInMs: event.restartInMs };
  return { event: event.type, outcome: event.outcome.type, why: event.outcome.message };
}

/** Longer than the longest backoff: without an error for this long, the API server had been reachable. */
const recoveredAfterMs = 120_000;

/** Logs that the API server is unreachable once, not with every try. */
function logOnce(log: Log, clock: Clock): ReflectorHooks {
  let last: { readonly at: number; readonly message: string } | undefined;
  return {
    onError(error, { retryMs }) {
      const { message } = error as Error;
      const at = clock.monotonic();
      if (last?.message !== message || at - last.at > recoveredAfterMs)
        log.warn({ error: message, retryMs }, "cannot watch the Profile; settings stay as they are");
      last = { at, message };
    },
  };
}
