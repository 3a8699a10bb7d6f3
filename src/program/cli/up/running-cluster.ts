import { dirname } from "node:path";
import type { Connection } from "../../../cluster/kube/connect/connection.ts";
import { readKubeconfig } from "../../../cluster/kube/connect/kubeconfig.ts";
import { loadConnection } from "../../../cluster/kube/connect/load-connection.ts";
import type { Environment } from "../option/flag.ts";
import { exportLine, runningKubeconfigs } from "./state-directory.ts";

export interface NamedCluster {
  /** `--kubeconfig`. */
  readonly kubeconfig?: string | undefined;
  /** `--context`. */
  readonly context?: string | undefined;
}

interface Reader {
  /** Of hosted control planes: whether the command is about nodes, which only the hosted cluster has. */
  readonly about?: "nodes" | undefined;
  /** Told which cluster was chosen. */
  readonly note: (text: string) => void;
  readonly env?: Environment | undefined;
}

/**
 * The cluster that a command reads: the one that is named, as kubectl finds it, or else that of an `attune up` on this
 * machine. For commands that change nothing: the others must not write to a cluster that their user did not choose.
 */
export async function clusterToRead(
  { kubeconfig, context }: NamedCluster,
  { about, note, env = process.env }: Reader,
): Promise<Connection> {
  try {
    return await loadConnection({ kubeconfig, context, env });
  } catch (error) {
    // Bundles have classes of their own, so `instanceof` does not know this one.
    if (!(error instanceof Error) || error.name !== "NoClusterError") throw error;
    const [running, ...others] = await runningKubeconfigs(env);
    if (running === undefined) throw error;
    if (others.length > 0) throw error;
    const { contexts } = await readKubeconfig([running]);
    const chosen = context ?? (about === "nodes" && contexts.has("hosted") ? "hosted" : undefined);
    const connection = await loadConnection({ kubeconfig: running, context: chosen, env });
    const rest = [...contexts.keys()].filter((name) => name !== connection.name);
    const which = rest.length === 0 ? `in ${dirname(running)}` : `context ${connection.name}`;
    note(`cluster: that of attune up, ${which}${rest.map((name) => `; its other one: --context ${name}`).join("")}\n`);
    return connection;
  }
}

interface NamedClusters extends Omit<NamedCluster, "context"> {
  /** `--context`, once for each cluster. */
  readonly contexts: readonly string[];
}

/**
 * All clusters of one set-up: those that are named, or, where one of an `attune up` on this machine is found, its other one too. For
 * commands that are of use only with both sides of hosted control planes.
 */
export async function clustersToRead(
  { kubeconfig, contexts }: NamedClusters,
  { note, env = process.env }: Reader,
): Promise<Connection[]> {
  const named = [...new Set(contexts)];
  if (named.length > 0)
    return Promise.all(named.map((context) => clusterToRead({ kubeconfig, context }, { note, env })));
  const first = await clusterToRead({ kubeconfig }, { note, env });
  for (const path of await runningKubeconfigs(env)) {
    const found = [...(await readKubeconfig([path])).contexts.keys()];
    const all = await Promise.all(found.map((context) => loadConnection({ kubeconfig: path, context, env })));
    if (all.some(({ cluster }) => cluster.server === first.cluster.server)) return all;
  }
  return [first];
}

/** Which cluster a command that changes one could be given. Undefined: no `attune up` runs here. */
export async function clustersToName(env: Environment): Promise<string | undefined> {
  const running = await runningKubeconfigs(env);
  if (running.length === 0) return undefined;
  const lines = running.map((path) => `  ${exportLine(path, env)}`);
  return ["no cluster: attune up is running; to use its cluster:", ...lines].join("\n");
}
