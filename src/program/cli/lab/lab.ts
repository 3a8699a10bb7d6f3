import type { Impersonation } from "../../../cluster/kube/connect/connection.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { loadConnection } from "../../../cluster/kube/connect/load-connection.ts";
import type { VirtualNode } from "../../../embedded/lab/kubelet/node/virtual-node.ts";
import { runLab } from "../../../embedded/lab/run-lab.ts";
import type { ComponentState, WorkloadComponent } from "../../../embedded/lab/workloads/run-workloads.ts";
import { createLog } from "../../../cluster/runtime/log/log.ts";
import { stopOnSignals } from "../../../cluster/runtime/signals.ts";
import type { labFlags } from "../flags.ts";
import type { Values } from "../option/flag.ts";
import { logOptions } from "../option/shared-flags.ts";
import { programs } from "./container-programs.ts";
import { firstBoots } from "./first-boots.ts";
import { unitPrograms } from "./unit-programs.ts";
import { nodesOfFile, smallNodes } from "./virtual-nodes.ts";
import { writeOut } from "../terminal/terminal.ts";

type LabOptions = Values<typeof labFlags>;

/** `attune lab`: virtual nodes on any API server, until SIGTERM or SIGINT. */
export async function lab(options: LabOptions): Promise<void> {
  const nodes = await nodesFor(options);
  const { workloads, cleanup, firstBoot } = options;
  const client = new HttpClient(await loadConnection(options));
  const { signal } = stopOnSignals();
  const log = await createLog({ name: "lab", ...logOptions(options) });
  const clientAs = (who: Impersonation): HttpClient => client.as(who);
  // An API server that cannot be reached or refuses our credentials is reported once, not once for each node.
  await client.raw("GET", "/version", undefined, { signal });
  print(`${nodes.length} virtual ${nodes.length === 1 ? "node" : "nodes"} on ${client.connection.cluster.server}`);
  try {
    await runLab({
      client,
      clientAs,
      cluster: client.connection.cluster,
      nodes,
      program: programs(client, log),
      runAttune: unitPrograms(log, signal),
      ...(firstBoot === undefined ? {} : firstBoots({ client, pool: firstBoot, signal, log })),
      workloads: workloads && { onState: printState },
      signal,
      atEnd: cleanup ? "remove" : "retire",
      onRegistered: progress(nodes.length),
      log,
    });
  } finally {
    client.close();
  }
  print(cleanup ? "stopped; the nodes are deleted" : "stopped; the nodes stay and become NotReady");
}

async function nodesFor({ topology, nodes, namePrefix }: LabOptions): Promise<VirtualNode[]> {
  if (topology === undefined) {
    if (nodes === undefined) throw new Error("--nodes or --topology is required");
    return smallNodes(nodes, namePrefix);
  }
  if (nodes !== undefined) throw new Error("--nodes and --topology cannot be used together");
  return nodesOfFile(topology);
}

/** Prints a line for every tenth of the nodes, at least 100 apart, and one for the last. */
function progress(all: number): (name: string) => void {
  const seen = new Set<string>();
  const started = performance.now();
  return (name) => {
    if (seen.has(name)) return print(`${name} registered again`);
    seen.add(name);
    const { size } = seen;
    if (size === all)
      print(`${size} of ${all} nodes ready after ${((performance.now() - started) / 1000).toFixed(1)} s`);
    else if (size % Math.max(100, Math.ceil(all / 10)) === 0) print(`${size} of ${all} nodes ready`);
  };
}

function printState(component: WorkloadComponent, state: ComponentState): void {
  if (state.type === "running") print(`${component}: running here`);
  else if (state.type === "idle") print(`${component}: idle, ${state.holder} holds the lease`);
  else print(`${component}: running in ${state.leader ?? "another lab"}`);
}

function print(line: string): void {
  writeOut(`${line}\n`);
}
