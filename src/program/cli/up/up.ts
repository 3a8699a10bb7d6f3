import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { examplePerformanceProfile, examplePool, exampleText, exampleTuned } from "./worked-example.ts";
import { isAlreadyExists } from "../../../cluster/kube/api-error.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { LinkedAbort } from "../../../cluster/kube/linked-abort.ts";
import { machineConfigPoolKind } from "../../../domain/machine-config/api.ts";
import { performanceProfileKind } from "../../../domain/performance-profile/api.ts";
import { profileKind, tunedKind, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { createLog } from "../../../cluster/runtime/log/log.ts";
import { errorText } from "../../../cluster/runtime/error-text.ts";
import { lockDirectory } from "../../../cluster/runtime/lock-dir.ts";
import { stopOnSignals } from "../../../cluster/runtime/signals.ts";
import { createInformer } from "../../../cluster/kube/informer/informer.ts";
import { type ClusterState, converge, waitingIn } from "./convergence.ts";
import type { upFlags } from "../flags.ts";
import type { Values } from "../option/flag.ts";
import { Progress } from "./progress.ts";
import { defaultStateDirectory } from "./state-directory.ts";
import { startSystem, type System } from "./system.ts";
import { version } from "../version.ts";
import { screenSize, shellWord, writeOut } from "../terminal/terminal.ts";

/** How long the nodes may take to converge. */
const timeoutMs = 60_000;

/** `attune up`: the whole system with an example, until SIGTERM or SIGINT; with `--once`, until the nodes have converged. */
export async function up(options: Values<typeof upFlags>): Promise<void> {
  const { mode, port, once, nodes = mode === "plain" ? 2 : 1 } = options;
  const given = options.dir ?? defaultStateDirectory(mode, process.env);
  if (given === undefined)
    throw new Error("choose a state directory: neither HOME nor XDG_STATE_HOME is an absolute path; pass --dir");
  const dir = resolve(given);

  const unlock = await lockDirectory(dir, { mode }).catch((error: NodeJS.ErrnoException) => {
    if (error.syscall === undefined) throw error;
    const advice = "choose another with --dir";
    throw new Error(`use the state directory ${dir}: ${errorText(error)}; ${advice}`, { cause: error });
  });
  const stop = new LinkedAbort(stopOnSignals().signal);
  const { signal } = stop;
  try {
    const log = await createLog({ name: "attune", level: once ? "error" : "warn" });
    const system = await startSystem({ dir, port, nodes, mode, signal, log });
    const converged = await Promise.race([showNodes(system, { dir, mode, signal, once }), failureOf(system)]);
    if (!converged) process.exitCode = 1;
    stop.abort();
    await system.stopped;
  } finally {
    stop.abort();
    await unlock();
  }
}

interface ShowOptions {
  readonly dir: string;
  readonly mode: "standalone" | "plain";
  readonly signal: AbortSignal;
  readonly once: boolean;
}

/** Prints the state of nodes and pools until they have converged. False if `--once` ends before. */
async function showNodes({ admin, server, hosts }: System, { dir, mode, signal, once }: ShowOptions): Promise<boolean> {
  const kubeconfig = shellWord(server.kubeconfig);
  const lines = [
    `attune ${version}, ${mode}, ${hosts.size} virtual ${hosts.size === 1 ? "node" : "nodes"}`,
    `server      ${server.url}`,
    `kubeconfig  ${server.kubeconfig}`,
    ...(once ? [] : [`try         kubectl --kubeconfig ${kubeconfig} get nodes,pods,profiles -A`]),
    ...(once || mode !== "plain" ? [] : [`            kubectl --kubeconfig ${kubeconfig} get mcp,performanceprofile`]),
  ];
  writeOut(`${lines.join("\n")}\n`);
  const rollsOut = mode === "plain";
  const hasPool = rollsOut && hosts.size > 1;
  const isNew = await createExample(admin, dir, hasPool);
  writeOut(`${isNew ? `${exampleText(hasPool).join("\n")}\n` : ""}\n`);

  const footer = once ? "" : "\n\npress Ctrl-C to stop; the objects are kept for the next start";
  const progress = new Progress({ out: writeOut, size: screenSize() }, footer);
  const convergence = { client: admin, hosts, signal, timeoutMs, rollsOut, onState: progress.show };
  const state = await converge(convergence);
  progress.settle();
  if (signal.aborted) return !once;
  const isConverged = waitingIn(state).length === 0;
  if (!isConverged) process.stderr.write(`error: ${describeWaiting(state)} after ${timeoutMs / 1000} s\n`);
  if (once) return isConverged;
  const profiles = createInformer(admin, profileKind, { namespace: tuningNamespace });
  const watched = rollsOut ? [profiles, createInformer(admin, machineConfigPoolKind)] : [profiles];
  await onEveryChange(watched, signal, async () => {
    await converge(convergence);
    progress.settle();
  });
  return true;
}

type Watched = Pick<ReturnType<typeof createInformer>, "run"> & { subscribe(handler: () => void): unknown };

/** Calls again after objects have changed, until the signal aborts. An idle system costs nothing. */
async function onEveryChange(
  watched: readonly Watched[],
  signal: AbortSignal,
  call: () => Promise<void>,
): Promise<void> {
  let isChanged = false;
  let wake = (): void => {};
  for (const informer of watched)
    informer.subscribe(() => {
      isChanged = true;
      wake();
    });
  const watching = Promise.all(watched.map((informer) => informer.run(signal)));
  signal.addEventListener("abort", () => wake(), { once: true });
  while (!signal.aborted) {
    if (isChanged) {
      isChanged = false;
      await call();
    } else await new Promise<void>((resolve) => (wake = resolve));
  }
  await watching;
}

/** Into a new directory only: what users change or delete stays so. */
async function createExample(admin: Client, dir: string, hasPool: boolean): Promise<boolean> {
  const mark = join(dir, "example-created");
  if (existsSync(mark)) return false;
  const options = { fieldManager: "attune-up" };
  await unlessThere(admin.create(tunedKind, exampleTuned(), { ...options, namespace: tuningNamespace }));
  if (hasPool) {
    await unlessThere(admin.create(machineConfigPoolKind, examplePool(), options));
    await unlessThere(admin.create(performanceProfileKind, examplePerformanceProfile(), options));
  }
  writeFileSync(mark, "", { mode: 0o600 });
  return true;
}

/** It is there after a process that was killed before it wrote the mark, and in a directory of an earlier version. */
async function unlessThere(created: Promise<unknown>): Promise<void> {
  try {
    await created;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

function describeWaiting(state: ClusterState): string {
  const count = (all: ClusterState["nodes"] | ClusterState["pools"], what: string): string[] => {
    const waiting = all.filter(({ waitsFor }) => waitsFor !== undefined);
    return waiting.length === 0 ? [] : [`${waiting.length} of ${all.length} ${what}`];
  };
  return `${[...count(state.nodes, "nodes"), ...count(state.pools, "pools")].join(" and ")} not converged`;
}

/** Rejects when a part of the system fails, and never resolves: the caller awaits `stopped` itself. */
function failureOf(system: System): Promise<boolean> {
  return new Promise((_, reject) => {
    system.stopped.catch(reject);
  });
}
