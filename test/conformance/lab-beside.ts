import { smallMachine, machineBase } from "../../src/embedded/lab/machine-base.ts";
import type { Impersonation } from "../../src/cluster/kube/connect/connection.ts";
import type { Program } from "../../src/embedded/lab/kubelet/container/program.ts";
import { VirtualNode } from "../../src/embedded/lab/kubelet/node/virtual-node.ts";
import { runLab } from "../../src/embedded/lab/run-lab.ts";
import type { Topology } from "../../src/embedded/lab/topology.ts";
import { whenAborted } from "../../src/cluster/runtime/clock.ts";
import { clientFor } from "../servers/client-for.ts";
import { controllerManagerPath, startControllerManager } from "../servers/controller-manager.ts";
import type { ServerUnderTest } from "../servers/server-under-test.ts";

/** A container with `attune talk WORD …` prints each word on a line and then waits to be stopped. */
const talk: Program = async ({ args, write, signal }) => {
  for (const word of args.slice(1)) write(word);
  await whenAborted(signal);
  return 0;
};

export interface LabOptions {
  readonly topology?: Topology;
  /** Puts files on a machine before its kubelet starts. */
  readonly prepare?: (node: VirtualNode) => Promise<void>;
}

/**
 * A lab of two nodes beside a server, as `attune lab` runs it, with scheduler and controllers. On a real server the
 * controllers are the real ones if they are available: the lab's stay idle while those hold their Lease.
 */
export async function startLabBeside(
  variant: "embedded" | "real",
  server: ServerUnderTest,
  { topology = smallMachine, prepare }: LabOptions = {},
): Promise<() => Promise<void>> {
  const stop = new AbortController();
  const client = clientFor(server);
  const manager =
    variant === "real" && controllerManagerPath
      ? await startControllerManager({ path: controllerManagerPath, server, url: server.url, accounts: true })
      : undefined;
  const base = machineBase(topology);
  const names = ["node1", "node2"];
  const nodes = names.map((name) => new VirtualNode({ name, topology, base }));
  const waiting = new Set(names);
  let lab: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    lab = runLab({
      client,
      clientAs: (who: Impersonation) => client.as(who),
      cluster: client.connection.cluster,
      nodes,
      program: talk,
      prepare,
      workloads: {
        onState: (side, state) => {
          if (side === "controllers" && (manager ? state.type === "idle" : state.type === "running"))
            waiting.delete(side);
          if (waiting.size === 0) resolve();
        },
      },
      signal: stop.signal,
      atEnd: "remove",
      onRegistered: (name) => {
        waiting.delete(name);
        if (waiting.size === 0) resolve();
      },
    });
    waiting.add("controllers");
    lab.catch(reject);
  });
  return async () => {
    stop.abort();
    await lab;
    await manager?.stop();
    client.close();
  };
}
