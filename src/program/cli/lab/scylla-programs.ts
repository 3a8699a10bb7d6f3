import { randomUUID } from "node:crypto";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import { whenAborted } from "../../../cluster/runtime/clock.ts";
import type { HttpClient } from "../../../cluster/kube/http-client.ts";
import { openPrefix, startPrefix } from "../../../domain/scylla/gate/gate-names.ts";
import type { ProgramRun } from "../../../embedded/lab/kubelet/container/program.ts";
import type { SharedFiles } from "../../../embedded/lab/kubelet/container/shared-files.ts";
import type { ContainerRuntime } from "../../../node/scylla/container-runtime.ts";
import { runScyllaAgent } from "../../scylla-agent/scylla-agent.ts";
import type { SharedFolder } from "../../scylla-gate/shared-folder.ts";
import { runScyllaGate } from "../../scylla-gate/scylla-gate.ts";
import { scyllaAgentFlags, scyllaGateFlags } from "../flags.ts";
import { perftuneFlags } from "../perftune/flags.ts";
import { perftune } from "../perftune/perftune.ts";
import { scyllaAgentOptions } from "../scylla-agent/scylla-agent.ts";
import { coloursOf } from "../terminal/terminal.ts";
import { parseArguments } from "../option/flag.ts";
import { ownPod } from "../scylla-gate/scylla-gate.ts";

/** `attune scylla-gate` in a pod of a virtual node. */
export async function scyllaGate(args: string[], run: ProgramRun, client: HttpClient): Promise<number> {
  const { env, connection, write, signal } = run;
  const flags = parseArguments(scyllaGateFlags, args, env);
  const folder = memoryFolder(emptyDir(run, flags.folder));
  const own = client.for(connection);
  const ended = await runScyllaGate({
    client: own,
    pod: ownPod(flags),
    folder,
    timeoutMs: flags.timeout,
    print: write,
    signal,
  });
  write(`ended: ${ended}`);
  return 0;
}

/** `attune scylla-agent` in a pod of a virtual node. */
export async function scyllaAgent(args: string[], run: ProgramRun, client: HttpClient, log: Log): Promise<number> {
  const { env, connection, host, signal } = run;
  const given = scyllaAgentOptions(parseArguments(scyllaAgentFlags, args, env));
  await runScyllaAgent({
    ...given,
    // All virtual nodes have one loopback address.
    probeAddress: undefined,
    // A virtual node is in no cloud, and its resolver is that of this machine.
    cloud: async () => "other",
    client: client.for(connection),
    host,
    runtime: runtimeOf(run),
    signal,
    log,
  });
  return 0;
}

/** `attune perftune` in the pod of a Job: its `--root` is where the pod has mounted the node. */
export async function tuneHost(args: string[], { env, host, write }: ProgramRun): Promise<number> {
  const print = (text: string): void => text.trimEnd().split("\n").forEach(write);
  return perftune(
    parseArguments(perftuneFlags, args, env),
    { out: print, err: print, colours: coloursOf(false) },
    host,
  );
}

/** The runtime of a virtual node knows containers by their control groups. */
function runtimeOf({ containers, host }: ProgramRun): ContainerRuntime {
  return {
    async inspect(id) {
      const found = containers.get(id);
      if (!found) return { type: "missing" };
      const { podUid, controlGroup, mounts } = found;
      // A container that has no control group here runs on all CPUs.
      const file = controlGroup === undefined ? "/sys/devices/system/cpu/online" : `${controlGroup}/cpuset.cpus`;
      const cpus = await host.read(file);
      return {
        type: "found",
        container: { podUid, mounts, ...(cpus.type === "text" ? { cpus: cpus.text.trim() } : {}) },
      };
    },
  };
}

/** What the script in front of a database does: a virtual node has no shell. */
export async function scyllaWait([path = ""]: string[], run: ProgramRun): Promise<number> {
  const { signal, write } = run;
  const files = emptyDir(run, path);
  const id = randomUUID();
  let stop = (): void => {};
  const isOpen = (): boolean => files.list().has(openPrefix + id);
  const opened = new Promise<void>((resolve) => {
    stop = files.watch(() => isOpen() && resolve());
  });
  files.write(startPrefix + id, "");
  write("attune: waiting until the node is tuned for this container");
  await Promise.race([opened, whenAborted(signal)]);
  stop();
  if (!isOpen()) return 143;
  write("attune: starting the database");
  return 0;
}

function emptyDir({ files }: ProgramRun, path: string): SharedFiles {
  const shared = files.shared(path);
  if (!shared) throw new Error(`${path}: no volume that containers share`);
  return shared;
}

function memoryFolder(files: SharedFiles): SharedFolder {
  const named = <T>(prefix: string, as: (id: string, file: { text: string; at: number }) => T): T[] =>
    [...files.list()].flatMap(([name, file]) => (name.startsWith(prefix) ? [as(name.slice(prefix.length), file)] : []));
  return {
    read: async () => ({
      starts: named(startPrefix, (id, { at }) => ({ id, at })),
      openings: named(openPrefix, (start, { text }) => ({ start, containerId: text })),
    }),
    open: async ({ start, containerId }) => files.write(openPrefix + start, containerId),
    async forget({ starts, openings }) {
      for (const { id } of starts) files.remove(startPrefix + id);
      for (const { start } of openings) files.remove(openPrefix + start);
    },
    async watch(changed, signal) {
      const stop = files.watch(changed);
      await whenAborted(signal);
      stop();
    },
  };
}
