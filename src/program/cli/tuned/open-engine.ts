import { LinkedAbort } from "../../../cluster/kube/linked-abort.ts";
import type { Engine } from "../../../node/engine/engine.ts";
import { nativeEngine } from "../../../node/engine/native-engine.ts";
import { chooseEngine, type EngineQuestion } from "../../../node/engine/choose-engine.ts";
import { launchAt } from "../../../node/engine/tuned-daemon/launch.ts";
import { TunedEngine } from "../../../node/engine/tuned-daemon/tuned-engine.ts";
import { stopOnSignals } from "../../../cluster/runtime/signals.ts";

export interface ChosenEngine {
  readonly engine: Engine;
  readonly reason: string;
  /** Stops a daemon that was started for this. Its settings stay. */
  readonly close: () => void;
}

/** The chosen engine, ready for a command that ends. */
export async function openEngine(question: EngineQuestion & { readonly root: string }): Promise<ChosenEngine> {
  const { engine, reason } = await chooseEngine(question);
  return engine === "native" ? native(reason) : tunedDaemon(question.root, reason);
}

function native(reason: string): ChosenEngine {
  return { engine: nativeEngine(), reason, close: () => undefined };
}

/** The TuneD daemon, until `close` is called or the process gets SIGTERM or SIGINT. */
export function tunedDaemon(root: string, reason: string): ChosenEngine & { readonly engine: TunedEngine } {
  const signals = stopOnSignals();
  const over = new LinkedAbort(signals.signal);
  const timers = new Set<NodeJS.Timeout>();
  const timer = {
    after(ms: number, callback: () => void): () => void {
      const handle = setTimeout(callback, ms);
      timers.add(handle);
      return () => clearTimeout(handle);
    },
  };
  return {
    engine: new TunedEngine({ launch: launchAt(root), timer, signal: over.signal }),
    reason,
    close() {
      over.abort();
      signals.dispose();
      for (const handle of timers) clearTimeout(handle);
    },
  };
}
