import { readFile } from "node:fs/promises";
import type { Impersonation } from "../../../cluster/kube/connect/connection.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { loadConnection } from "../../../cluster/kube/connect/load-connection.ts";
import type { VirtualNode } from "../../../embedded/lab/kubelet/node/virtual-node.ts";
import { runLab } from "../../../embedded/lab/run-lab.ts";
import type { ComponentState, WorkloadComponent } from "../../../embedded/lab/workloads/run-workloads.ts";
import { readTopology, TopologyError } from "../../../embedded/lab/topology-file.ts";
import { createLog } from "../../../cluster/runtime/log/log.ts";
import { stopOnSignals } from "../../../cluster/runtime/signals.ts";
import { nodesOption } from "../option/nodes-option.ts";
import { programs } from "./container-programs.ts";
import { nodesOfGroups, smallNodes } from "./virtual-nodes.ts";

/** `attune lab`: virtual nodes on any API server, until it is told to stop. */
export async function lab(options: Record<string, string | boolean>): Promise<void> {
  const nodes = await nodesFor(options);
  const kubeconfig = typeof options.kubeconfig === "string" ? options.kubeconfig : undefined;
  const context = typeof options.context === "string" ? options.context : undefined;
  const client = new HttpClient(await loadConnection({ kubeconfig, context }));
  const { signal } = stopOnSignals();
  const log = await createLog({ name: "lab", level: "warn" });
  const clientAs = (who: Impersonation): HttpClient => client.as(who);
  // A cluster that cannot be reached, or does not know us, is told at once and not with every node.
  await client.raw("GET", "/version", undefined, { signal });
  say(`${nodes.length} virtual ${nodes.length === 1 ? "node" : "nodes"} on ${client.connection.cluster.server}`);
  try {
    await runLab({
      client,
      clientAs,
      cluster: client.connection.cluster,
      nodes,
      program: programs(client, log),
      workloads: options.workloads === false ? false : { onState: sayState },
      signal,
      atEnd: options.cleanup === true ? "remove" : "retire",
      onRegistered: progress(nodes.length),
      log,
    });
  } finally {
    client.close();
  }
  say(options.cleanup === true ? "stopped, and the nodes are deleted" : "stopped; the nodes stay and are not ready");
}

async function nodesFor(options: Record<string, string | boolean>): Promise<VirtualNode[]> {
  const { topology } = options;
  if (typeof topology !== "string") {
    if (options.nodes === undefined) throw new Error("--nodes or --topology: say which nodes there are");
    return smallNodes(nodesOption(options.nodes), String(options.namePrefix));
  }
  if (options.nodes !== undefined)
    throw new Error("--nodes and --topology: only one of them can say which nodes there are");
  const { readYaml, YamlError } = await import("../../../language/object/yaml.ts");
  try {
    return nodesOfGroups(readTopology(readYaml(await readFile(topology, "utf8"))));
  } catch (error) {
    if (error instanceof TopologyError || error instanceof YamlError)
      throw new Error(`--topology ${topology}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** A line at the first node, at every tenth part of many, and at the last. */
function progress(all: number): (name: string) => void {
  const seen = new Set<string>();
  const started = performance.now();
  return (name) => {
    if (seen.has(name)) return say(`${name} registered again`);
    seen.add(name);
    const { size } = seen;
    if (size === all) say(`${size} of ${all} nodes ready after ${((performance.now() - started) / 1000).toFixed(1)} s`);
    else if (size % Math.max(100, Math.ceil(all / 10)) === 0) say(`${size} of ${all} nodes ready`);
  };
}

function sayState(side: WorkloadComponent, state: ComponentState): void {
  if (state.type === "running") say(`${side}: run here`);
  else if (state.type === "idle") say(`${side}: left to ${state.holder}`);
  else say(`${side}: run by ${state.leader ?? "another lab"}`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
