import { join } from "node:path";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { createLog } from "../../../cluster/runtime/log/log.ts";
import { stopOnSignals } from "../../../cluster/runtime/signals.ts";
import type { consoleFlags } from "../flags.ts";
import type { Values } from "../option/flag.ts";
import { logOptions } from "../option/shared-flags.ts";
import { processTerminal, writeOut } from "../terminal/terminal.ts";
import { clustersToRead, clusterToRead } from "../up/running-cluster.ts";
import { defaultStateDirectory, systemNames } from "../up/state-directory.ts";
import { clusterOfPod, serveInCluster } from "./in-cluster.ts";
import { version } from "../../version.ts";
import { newLink, startOwnConsole } from "./running-console.ts";

/** `attune console`: the console for any cluster, or both of hosted control planes, with the rights of the kubeconfig's user. */
export async function consoleCommand(options: Values<typeof consoleFlags>): Promise<void> {
  const { dir, port, url, inCluster, allowedHost: allowedHosts = [], certificates } = options;
  if (inCluster) {
    const { signal } = stopOnSignals();
    const log = await createLog({ name: "attune", ...logOptions(options) });
    const connection = await clusterOfPod(process.env);
    const running = await serveInCluster({
      connection,
      host: "0.0.0.0",
      port,
      allowedHosts,
      certificates,
      signal,
      log,
    });
    log.info({}, `attune ${version} console of ${connection.cluster.server}`);
    return running.stopped;
  }
  const own = dir ?? defaultStateDirectory("console", process.env);
  if (own === undefined)
    throw new Error("choose a directory: neither HOME nor XDG_STATE_HOME is an absolute path; pass --dir");
  if (url) return printLink(dir === undefined ? defaultFolders(own) : [dir]);
  const { kubeconfig, context: contexts = [] } = options;
  const reader = { note: processTerminal().err };
  const connections =
    contexts.length > 0
      ? await clustersToRead({ kubeconfig, contexts }, reader)
      : [await clusterToRead({ kubeconfig }, reader)];
  const clusters = connections.map((connection) => ({ name: connection.name, client: new HttpClient(connection) }));
  const { signal } = stopOnSignals();
  try {
    const log = await createLog({ name: "attune", ...logOptions(options) });
    const running = await startOwnConsole(own, { clusters, port, allowedHosts, signal, log });
    writeOut(
      `console     ${running.link()}\n\nThe address works once; attune console --url prints a new one. Ctrl-C stops.\n`,
    );
    await running.stopped;
  } finally {
    for (const { client } of clusters) client.close();
  }
}

/** Of `attune console`, and of each `attune up`. */
function defaultFolders(own: string): string[] {
  return [own, ...systemNames.map((mode) => join(own, "..", mode))];
}

async function printLink(folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    const link = await newLink(folder);
    if (link === undefined) continue;
    writeOut(`${link}\n`);
    return;
  }
  throw new Error("no console runs: start attune up, or attune console --kubeconfig FILE");
}
