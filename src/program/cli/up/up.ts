import { resolve } from "node:path";
import { exampleTuned } from "./worked-example.ts";
import { tunedKind, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { createLog } from "../../../cluster/runtime/log/log.ts";
import { lockDirectory } from "../../../cluster/runtime/lock-dir.ts";
import { stopOnSignals } from "../../../cluster/runtime/signals.ts";
import { whenAborted } from "../../../cluster/runtime/clock.ts";
import { converge, outcomeTable } from "./convergence.ts";
import { nodesOption } from "../option/nodes-option.ts";
import { portOption } from "../option/port-option.ts";
import { defaultStateDirectory, startSystem, type System } from "./system.ts";
import { version } from "../version.ts";

/** How long the example may take to converge. */
const patienceMs = 60_000;

/** `attune up`: the whole system with a worked example, until it is told to stop; with `--once`, until it has converged. */
export async function up(options: Record<string, string | boolean>): Promise<void> {
  const mode = String(options.mode);
  if (mode !== "standalone") throw new Error(`--mode ${mode}: only standalone can be started yet`);
  const nodes = nodesOption(options.nodes);
  const port = portOption(options.port);
  const dir = resolve(typeof options.dir === "string" ? options.dir : defaultStateDirectory(mode, process.env));

  const unlock = await lockDirectory(dir, { mode });
  const { signal: told } = stopOnSignals();
  const stop = new AbortController();
  const signal = AbortSignal.any([told, stop.signal]);
  try {
    const log = await createLog({ name: "attune", level: options.once ? "error" : "warn" });
    const system = await startSystem({ dir, port, nodes, signal, log });
    const finished = await Promise.race([show(system, signal, options.once === true), failureOf(system)]);
    if (!finished) process.exitCode = 1;
    stop.abort();
    await system.stopped;
  } finally {
    stop.abort();
    await unlock();
  }
}

/** Applies the example and tells how it went: true when every node has what was asked for. */
async function show(system: System, signal: AbortSignal, once: boolean): Promise<boolean> {
  const { admin, server, hosts } = system;
  process.stdout.write(
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
  const outcomes = await converge(admin, hosts, AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]));
  const converged = outcomes.every((outcome) => outcome.converged);
  process.stdout.write(`${outcomeTable(outcomes)}\n`);
  if (!converged && !signal.aborted) process.stderr.write(`error: not converged after ${patienceMs / 1000} s\n`);
  if (once || signal.aborted) return converged;
  process.stdout.write(
    `\ntry:  kubectl --kubeconfig ${server.kubeconfig} get nodes,pods,profiles -A\n      press Ctrl-C to stop; what is there stays for the next start\n`,
  );
  await whenAborted(signal);
  return true;
}

/** Never resolves while all is well: `stopped` is awaited by the caller, and only a failure matters here. */
function failureOf(system: System): Promise<boolean> {
  return new Promise((_, reject) => {
    system.stopped.catch(reject);
  });
}
