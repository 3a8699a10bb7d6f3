import type { EngineName } from "../../node/engine/tuned-daemon/choose-engine.ts";
import type { Launch } from "../../node/engine/tuned-daemon/launch.ts";
import type { LogRecord } from "../../node/engine/tuned-daemon/log-record.ts";
import type { DaemonEvent } from "../../node/engine/tuned-daemon/supervisor.ts";
import { TunedEngine } from "../../node/engine/tuned-daemon/tuned-engine.ts";
import type { Host } from "../../node/host/host.ts";
import type { Client } from "../../cluster/kube/client.ts";
import type { Informer } from "../../cluster/kube/cache.ts";
import { createInformer } from "../../cluster/kube/informer/informer.ts";
import type { ReflectorHooks } from "../../cluster/kube/informer/reflector.ts";
import { type Profile, profileKind, type Protocol, tuningNamespace } from "../../domain/node-tuning/api.ts";
import { Dismissal } from "../../node/on-node/rollback-on-removal.ts";
import { NodeEngines } from "../../node/on-node/node-engines.ts";
import { NodeHardware } from "../../node/on-node/node-hardware.ts";
import { NodeTuner } from "../../node/on-node/node-tuner.ts";
import { tuneController } from "../../node/on-node/tune-controller.ts";
import { type Clock, systemClock } from "../../cluster/runtime/clock.ts";
import { type Log, noLog } from "../../cluster/runtime/log/log.ts";
import { Manager } from "../../cluster/runtime/controller/manager.ts";

export interface AgentOptions {
  client: Client;
  /** The node's name, and so its Profile's. */
  node: string;
  host: Host;
  signal: AbortSignal;
  /** Default native. */
  engine?: EngineName;
  /** Starts programs on the node: how TuneD is run. Without it there is only the native engine. */
  launch?: Launch;
  namespace?: string;
  /** Default documented. */
  protocol?: Protocol;
  /** Put the originals back whatever the reason to end. Default: only if the agent is no longer wanted. */
  rollbackOnExit?: boolean;
  /** How often to look whether somebody else changed a setting. Default 10 minutes. */
  lookEveryMs?: number;
  clock?: Clock;
  log?: Log;
}

/** The agent of one node, until the signal aborts. Settings stay in force after it unless nobody wants them any more. */
export async function runAgent(options: AgentOptions): Promise<void> {
  const { client, node, host, signal, namespace = tuningNamespace, clock = systemClock } = options;
  const { engine: option = "native", launch, protocol = "documented", lookEveryMs = 600_000 } = options;
  let own: Informer<Profile> | undefined;
  const wantsDetail = (): boolean => {
    const { debug = false, verbosity = 0 } = own?.get(`${namespace}/${node}`)?.spec.config ?? {};
    return debug || verbosity > 0;
  };
  const log = inDetail((options.log ?? noLog).child({ node }), wantsDetail);
  const over = new AbortController();
  const onEvent = (event: DaemonEvent): void => {
    log.warn(describe(event), "TuneD");
    controller.queue.add(`${namespace}/${node}`);
  };
  const onRecord = ({ level, logger, message }: LogRecord): void => log.debug({ level, logger }, `TuneD: ${message}`);
  const tuned = launch && new TunedEngine({ launch, timer: clock, signal: over.signal, onEvent, onRecord });
  const engines = new NodeEngines({ host, option, ...(tuned ? { tuned } : {}) });
  const tuner = new NodeTuner({ host, engines, clock, lookEveryMs, log });

  const manager = new Manager({ clock, log });
  const selection = { namespace, fieldSelector: `metadata.name=${node}` };
  const profiles = manager.informer(profileKind, selection, () =>
    createInformer(client, profileKind, { ...selection, clock, hooks: tellOnce(log, clock) }),
  );
  own = profiles;
  const controller = tuneController({
    client,
    profiles,
    namespace,
    node,
    tuner,
    hardware: new NodeHardware(host, log),
    protocol,
    clock,
    log,
  });
  manager.add(controller, { on: "everywhere" });
  // Looked at even if nothing happens: the Profile may have gone while no agent ran.
  controller.queue.add(`${namespace}/${node}`);
  const dismissal = new Dismissal({ client, namespace, node });
  const begun = profiles.whenSynced(signal).then(
    () => dismissal.begin(),
    () => undefined,
  );
  try {
    await manager.run(signal);
    await begun;
    if (options.rollbackOnExit === true || (await dismissal.isDismissed())) {
      const { restored } = await tuner.release();
      log.info({ settings: restored.length }, "originals put back");
    }
  } finally {
    over.abort();
  }
}

/** Tells what is otherwise told to developers only, for as long as it is wanted. */
export function inDetail(log: Log, isWanted: () => boolean): Log {
  return {
    ...log,
    debug: (fields, message) => (isWanted() ? log.info : log.debug)(fields, message),
    child: (fields) => inDetail(log.child(fields), isWanted),
  };
}

function describe(event: DaemonEvent): Record<string, unknown> {
  if (event.type === "complaint") return { event: event.type, complaint: event.record.message };
  if (event.type === "crashed") return { event: event.type, why: event.message, restartInMs: event.restartInMs };
  return { event: event.type, outcome: event.outcome.type, why: event.outcome.message };
}

/** Longer than the longest wait between two tries: after such a silence the server had been back. */
const backAfterMs = 120_000;

/** A server that is away is told of when it goes, not with every try. */
function tellOnce(log: Log, clock: Clock): ReflectorHooks {
  let last: { readonly at: number; readonly message: string } | undefined;
  return {
    onError(error, { retryMs }) {
      const { message } = error as Error;
      const at = clock.monotonic();
      if (last?.message !== message || at - last.at > backAfterMs)
        log.warn({ error: message, retryMs }, "cannot follow the Profile; settings stay as they are");
      last = { at, message };
    },
  };
}
