import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { LinkedAbort } from "../../../cluster/kube/linked-abort.ts";
import { errorText } from "../../../cluster/runtime/error-text.ts";
import { lockDirectory } from "../../../cluster/runtime/lock-dir.ts";
import { createLog } from "../../../cluster/runtime/log/log.ts";
import { stopOnSignals } from "../../../cluster/runtime/signals.ts";
import type { RunningConsole } from "../../console/console-server.ts";
import type { upFlags } from "../flags.ts";
import type { Values } from "../option/flag.ts";
import { logOptions } from "../option/shared-flags.ts";
import { screenSize, writeErr, writeOut } from "../terminal/terminal.ts";
import { version } from "../../version.ts";
import { chooseStage } from "./choose-stage.ts";
import { type ClusterState, converge, waitingIn } from "./convergence.ts";
import { Progress } from "./progress.ts";
import type { Stage, StageOptions, Watched } from "./stage.ts";
import { defaultStateDirectory } from "./state-directory.ts";

/** How long the nodes may take to converge. */
const timeoutMs = 60_000;

/** `attune up`: the whole system with an example, until SIGTERM or SIGINT; with `--once`, until the nodes have converged. */
export async function up(options: Values<typeof upFlags>): Promise<void> {
  const { port, once } = options;
  const { mode, name, start } = chooseStage(options);
  const given = options.dir ?? defaultStateDirectory(name, process.env);
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
    const log = await createLog({ name: "attune", ...logOptions(options) });
    const stage = await start({ dir, port, signal, log });
    const served = options.console && !once ? await serveConsole(stage, { dir, signal, log }) : undefined;
    const link = served?.link();
    const converged = await Promise.race([show(stage, { dir, mode, signal, once, link }), failureOf(stage)]);
    if (!converged) process.exitCode = 1;
    stop.abort();
    await Promise.all([stage.stopped, served?.stopped]);
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
  /** The address of the console. */
  readonly link: string | undefined;
}

async function serveConsole(
  { clusters }: Stage,
  { dir, ...options }: Pick<StageOptions, "dir" | "signal" | "log">,
): Promise<RunningConsole> {
  const { startOwnConsole } = await import("../console/running-console.ts");
  return startOwnConsole(dir, { ...options, clusters, port: 0 });
}

/** Prints the state of nodes and pools until they have converged. False if `--once` ends before. */
async function show(stage: Stage, { dir, mode, signal, once, link }: ShowOptions): Promise<boolean> {
  const { nodes, heading } = stage;
  const lines = [
    `attune ${version}, ${mode}, ${nodes} virtual ${nodes === 1 ? "node" : "nodes"}`,
    ...heading.filter(({ later }) => !(once && later)).map(({ title, text }) => `${title.padEnd(12)}${text}`),
    ...(link === undefined ? [] : [`${"console".padEnd(12)}${link}`]),
  ];
  writeOut(`${lines.join("\n")}\n`);
  const isNew = await createExample(stage, dir);
  writeOut(`${isNew ? stage.example.map((line) => `${line}\n`).join("") : ""}\n`);

  const footer = once ? "" : "\n\npress Ctrl-C to stop; the objects are kept for the next start";
  const progress = new Progress({ out: writeOut, size: screenSize() }, footer);
  const convergence = { read: () => stage.read(), signal, timeoutMs, onState: progress.show };
  const state = await converge(convergence);
  progress.settle();
  if (signal.aborted) return !once;
  const isConverged = waitingIn(state).length === 0;
  if (!isConverged) writeErr(`error: ${describeWaiting(state)} after ${timeoutMs / 1000} s\n`);
  if (once) return isConverged;
  await onEveryChange(stage.watched, signal, async () => {
    await converge(convergence);
    progress.settle();
  });
  return true;
}

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
async function createExample(stage: Stage, dir: string): Promise<boolean> {
  const mark = join(dir, "example-created");
  if (existsSync(mark)) return false;
  await stage.createExample();
  writeFileSync(mark, "", { mode: 0o600 });
  return true;
}

function describeWaiting(state: ClusterState): string {
  const count = (all: ClusterState["nodes"] | ClusterState["pools"], what: string): string[] => {
    const waiting = all.filter(({ waitsFor }) => waitsFor !== undefined);
    return waiting.length === 0 ? [] : [`${waiting.length} of ${all.length} ${what}`];
  };
  return `${[...count(state.nodes, "nodes"), ...count(state.pools, "pools")].join(" and ")} not converged`;
}

/** Rejects when a part of the system fails, and never resolves: the caller awaits `stopped` itself. */
function failureOf(stage: Stage): Promise<boolean> {
  return new Promise((_, reject) => {
    stage.stopped.catch(reject);
  });
}
