import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { exampleTuned } from "./worked-example.ts";
import { isAlreadyExists } from "../../../cluster/kube/api-error.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { LinkedAbort } from "../../../cluster/kube/linked-abort.ts";
import { profileKind, tunedKind, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { createLog } from "../../../cluster/runtime/log/log.ts";
import { errorText } from "../../../cluster/runtime/error-text.ts";
import { lockDirectory } from "../../../cluster/runtime/lock-dir.ts";
import { stopOnSignals } from "../../../cluster/runtime/signals.ts";
import { createInformer } from "../../../cluster/kube/informer/informer.ts";
import { converge } from "./convergence.ts";
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
  const { mode, nodes, port, once } = options;
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
  readonly mode: string;
  readonly signal: AbortSignal;
  readonly once: boolean;
}

/** Prints the state of the nodes until they have converged. False if `--once` ends before. */
async function showNodes({ admin, server, hosts }: System, { dir, mode, signal, once }: ShowOptions): Promise<boolean> {
  const kubeconfig = shellWord(server.kubeconfig);
  const lines = [
    `attune ${version}, ${mode}, ${hosts.size} virtual ${hosts.size === 1 ? "node" : "nodes"}`,
    `server      ${server.url}`,
    `kubeconfig  ${server.kubeconfig}`,
    ...(once ? [] : [`try         kubectl --kubeconfig ${kubeconfig} get nodes,pods,profiles -A`]),
  ];
  writeOut(`${lines.join("\n")}\n\n`);
  await createExample(admin, dir);

  const footer = once ? "" : "\n\npress Ctrl-C to stop; the objects are kept for the next start";
  const progress = new Progress({ out: writeOut, size: screenSize() }, footer);
  const convergence = { client: admin, hosts, signal, timeoutMs, onState: progress.show };
  const outcomes = await converge(convergence);
  progress.settle();
  if (signal.aborted) return !once;
  const waiting = outcomes.filter(({ waitsFor }) => waitsFor !== undefined);
  if (waiting.length > 0)
    process.stderr.write(
      `error: ${waiting.length} of ${outcomes.length} nodes not converged after ${timeoutMs / 1000} s\n`,
    );
  if (once) return waiting.length === 0;
  await onEveryChange(admin, signal, async () => {
    await converge(convergence);
    progress.settle();
  });
  return true;
}

/** Calls again after Profiles have changed, until the signal aborts. An idle system costs nothing. */
async function onEveryChange(admin: Client, signal: AbortSignal, call: () => Promise<void>): Promise<void> {
  const profiles = createInformer(admin, profileKind, { namespace: tuningNamespace });
  let isChanged = false;
  let wake = (): void => {};
  profiles.subscribe(() => {
    isChanged = true;
    wake();
  });
  const watching = profiles.run(signal);
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
async function createExample(admin: Client, dir: string): Promise<void> {
  const mark = join(dir, "example-created");
  if (existsSync(mark)) return;
  try {
    await admin.create(tunedKind, exampleTuned(), { namespace: tuningNamespace, fieldManager: "attune-up" });
  } catch (error) {
    // A process that was killed before it wrote the mark, or an earlier version.
    if (!isAlreadyExists(error)) throw error;
  }
  writeFileSync(mark, "", { mode: 0o600 });
}

/** Rejects when a part of the system fails, and never resolves: the caller awaits `stopped` itself. */
function failureOf(system: System): Promise<boolean> {
  return new Promise((_, reject) => {
    system.stopped.catch(reject);
  });
}
