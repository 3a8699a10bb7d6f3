import { resolve } from "node:path";
import { exampleTuned } from "./worked-example.ts";
import { tunedKind, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { createLog } from "../../../cluster/runtime/log/log.ts";
import { errorText } from "../../../cluster/runtime/error-text.ts";
import { lockDirectory } from "../../../cluster/runtime/lock-dir.ts";
import { stopOnSignals } from "../../../cluster/runtime/signals.ts";
import { whenAborted } from "../../../cluster/runtime/clock.ts";
import { converge, outcomeTable } from "./convergence.ts";
import type { upFlags } from "../flags.ts";
import type { Values } from "../option/flag.ts";
import { defaultStateDirectory, startSystem, type System } from "./system.ts";
import { version } from "../version.ts";
import { writeOut } from "../terminal/terminal.ts";

/** How long the example may take to converge. */
const timeoutMs = 60_000;

/** `attune up`: the whole system with an example, until SIGTERM or SIGINT; with `--once`, until the example has converged. */
export async function up(options: Values<typeof upFlags>): Promise<void> {
  const { mode, nodes, port, once } = options;
  if (mode !== "standalone") throw new Error(`--mode ${mode}: not supported yet; use standalone`);
  const dir = resolve(options.dir ?? defaultStateDirectory(mode, process.env));

  const unlock = await lockDirectory(dir, { mode }).catch((error: NodeJS.ErrnoException) => {
    if (error.syscall === undefined) throw error;
    const advice = "choose another with --dir";
    throw new Error(`use the state directory ${dir}: ${errorText(error)}; ${advice}`, { cause: error });
  });
  const { signal: interrupted } = stopOnSignals();
  const stop = new AbortController();
  const signal = AbortSignal.any([interrupted, stop.signal]);
  try {
    const log = await createLog({ name: "attune", level: once ? "error" : "warn" });
    const system = await startSystem({ dir, port, nodes, signal, log });
    const converged = await Promise.race([showExample(system, signal, once), failureOf(system)]);
    if (!converged) process.exitCode = 1;
    stop.abort();
    await system.stopped;
  } finally {
    stop.abort();
    await unlock();
  }
}

/** Applies the example and prints the result. True when every node has converged. */
async function showExample(system: System, signal: AbortSignal, once: boolean): Promise<boolean> {
  const { admin, server, hosts } = system;
  writeOut(
    [
      `attune ${version}, standalone, ${hosts.size} virtual ${hosts.size === 1 ? "node" : "nodes"}`,
      `server      ${server.url}`,
      `kubeconfig  ${server.kubeconfig}`,
      "",
      "",
    ].join("\n"),
  );
  const example = exampleTuned();
  const apply = { type: "apply", object: example, force: true } as const;
  await admin.patch(tunedKind, example.metadata.name ?? "", apply, {
    namespace: tuningNamespace,
    fieldManager: "attune-up",
  });
  const outcomes = await converge(admin, hosts, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
  const converged = outcomes.every((outcome) => outcome.converged);
  writeOut(`${outcomeTable(outcomes)}\n`);
  if (!converged && !signal.aborted) process.stderr.write(`error: not converged after ${timeoutMs / 1000} s\n`);
  if (once || signal.aborted) return converged;
  writeOut(
    `\ntry:  kubectl --kubeconfig ${server.kubeconfig} get nodes,pods,profiles -A\n      press Ctrl-C to stop; the objects are kept for the next start\n`,
  );
  await whenAborted(signal);
  return true;
}

/** Rejects when a part of the system fails, and never resolves: the caller awaits `stopped` itself. */
function failureOf(system: System): Promise<boolean> {
  return new Promise((_, reject) => {
    system.stopped.catch(reject);
  });
}
