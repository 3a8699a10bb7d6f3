import type { ProgramRun } from "../../../embedded/lab/kubelet/container/program.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import { serveInCluster } from "../console/in-cluster.ts";
import { consoleFlags } from "../flags.ts";
import { parseArguments } from "../option/flag.ts";

/** `attune console --in-cluster` in a pod of a virtual node. The pod has no network: it listens on this machine. */
export async function consoleProgram(args: string[], run: ProgramRun, log: Log): Promise<number> {
  const { connection, env, signal, write } = run;
  const { allowedHost: allowedHosts = [], certificates } = parseArguments(consoleFlags, args, env);
  const own = { host: "127.0.0.1", port: 0, certificates, allowedHosts, connection, signal, log };
  const running = await serveInCluster(own);
  write(`ready ${running.url}`);
  await running.stopped;
  return 0;
}
