import { informerOfOne } from "../../cluster/kube/informer/informer.ts";
import type { ListerWatcher, ReflectorHooks } from "../../cluster/kube/informer/reflector.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import { LinkedAbort } from "../../cluster/kube/linked-abort.ts";
import { type Clock, systemClock, whenAborted } from "../../cluster/runtime/clock.ts";
import { errorText } from "../../cluster/runtime/error-text.ts";
import { decideGate, type GateDecision, outdated, type WaitingPod } from "../../domain/scylla/gate/decide-gate.ts";
import { readRelease } from "../../domain/scylla/gate/release.ts";
import { releaseName } from "../../domain/scylla/names.ts";
import { openedLine, type OwnPod, waitingLines } from "./gate-log.ts";
import type { SharedFolder } from "./shared-folder.ts";

export interface ScyllaGateOptions {
  readonly client: ListerWatcher;
  readonly pod: OwnPod;
  readonly folder: SharedFolder;
  /** How long the database waits before it starts untuned. Default: for ever. */
  readonly timeoutMs?: number | undefined;
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
  readonly clock?: Clock | undefined;
}

const progressMs = 60_000;

/** Lets every container of the database go on when the node is tuned for it. Resolves with why it ended. */
export async function runScyllaGate(options: ScyllaGateOptions): Promise<"stopped" | "database ended"> {
  const { client, pod, folder, timeoutMs, print, clock = systemClock } = options;
  const { namespace, name } = pod;
  const ending = new LinkedAbort(options.signal);
  const { signal } = ending;
  const hooks = problemPrinter(print);
  const common = { namespace, clock, hooks };
  const pods = informerOfOne(client, kinds.pod, { ...common, name });
  const configMaps = informerOfOne(client, kinds.configMap, { ...common, name: releaseName(pod.uid) });
  const key = (of: string): string => `${namespace}/${of}`;

  let printed = "";
  let cancelTimer = (): void => {};
  const look = async (isProgress: boolean): Promise<void> => {
    const found = configMaps.get(key(releaseName(pod.uid)));
    const release = found && readRelease(found);
    const own = pods.get(key(name));
    const files = await folder.read();
    // A pod of a StatefulSet has the name of the one before it.
    const known = own?.metadata.uid === pod.uid ? (own as WaitingPod) : undefined;
    const now = clock.now();
    const decision = decideGate({ ...files, pod: known, release, timeoutMs, now });
    cancelTimer();
    if (decision.type === "open") {
      await folder.open(decision.opening);
      print(openedLine(decision, release));
      const opened = { ...files, openings: [...files.openings, decision.opening] };
      await folder.forget(outdated(opened));
    }
    if (decision.type === "ended") ending.abort();
    if (decision.type !== "wait") return void (printed = "");
    const about = summary(decision, release?.containerId);
    if (isProgress || about !== printed) for (const line of waitingLines(pod, decision, release, now)) print(line);
    printed = about;
    const left = decision.until === undefined ? progressMs : Math.min(progressMs, decision.until - now);
    cancelTimer = clock.after(Math.max(0, left), () => wake(true));
  };
  const { wake, failed } = oneAtATime(look, signal);
  pods.subscribe(() => wake());
  configMaps.subscribe(() => wake());
  const parts = [pods.run(signal), configMaps.run(signal), folder.watch(() => wake(), signal)];
  wake();
  try {
    await Promise.race([failed, whenAborted(signal), Promise.all(parts)]);
  } finally {
    ending.abort();
    cancelTimer();
    await Promise.allSettled(parts);
  }
  return options.signal.aborted ? "stopped" : "database ended";
}

function summary(
  { containerId, foreignNode }: GateDecision & { readonly type: "wait" },
  releasedFor: string | undefined,
): string {
  return `${containerId} ${releasedFor} ${foreignNode}`;
}

/** Runs again after a wake during a run, and never twice at once. */
function oneAtATime(
  run: (isProgress: boolean) => Promise<void>,
  signal: AbortSignal,
): { wake: (isProgress?: boolean) => void; failed: Promise<never> } {
  let fail: (reason: unknown) => void;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  let running = false;
  let due: { isProgress: boolean } | undefined;
  const turn = async (): Promise<void> => {
    running = true;
    try {
      for (let now = due; now && !signal.aborted; now = due) {
        due = undefined;
        await run(now.isProgress);
      }
    } catch (error) {
      fail(error);
    } finally {
      running = false;
    }
  };
  return {
    wake(isProgress = false) {
      due = { isProgress: isProgress || due?.isProgress === true };
      if (!running) void turn();
    },
    failed,
  };
}

/** One line for a problem, however often it is tried again. */
function problemPrinter(print: (line: string) => void): ReflectorHooks {
  const problems = new Map<string, string>();
  return {
    onWatch: ({ kind }) => {
      if (problems.delete(kind)) print(`watching the ${kind} again`);
    },
    onError(error, { kind, failure }) {
      if (failure === "expired" || failure === "unsupported") return;
      const text = `cannot watch the ${kind}, trying again: ${errorText(error)}`;
      if (problems.get(kind) !== text) print(text);
      problems.set(kind, text);
    },
  };
}
