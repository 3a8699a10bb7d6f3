import { setMaxListeners } from "node:events";
import { runAgent } from "../../src/program/agent/agent.ts";
import type { MemoryHost } from "../../src/node/host/memory-host.ts";
import { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { loadConnection } from "../../src/cluster/kube/connect/load-connection.ts";
import { machine } from "../../src/embedded/lab/machine.ts";
import { machineBase, smallMachine } from "../../src/embedded/lab/machine-base.ts";

/**
 * Started by `virtual-nodes.ts` as a process: the agents of `count` nodes, each with a machine in memory. Prints
 * `VALUE MILLISECONDS` (wall time) whenever all machines have the same new value in the file.
 */
const [kubeconfig = "", count = "50", path = ""] = process.argv.slice(2);
const client = new HttpClient(await loadConnection({ kubeconfig }));
const end = new AbortController();
// Every agent listens to it.
setMaxListeners(0, end.signal);
const base = machineBase(smallMachine);
const hosts: MemoryHost[] = Array.from({ length: Number(count) }, () => machine(base));
process.once("SIGTERM", () => end.abort());

let last = "";
setInterval(() => void compare(), 1).unref();
await Promise.all(
  hosts.map((host, index) =>
    runAgent({ client: client.for(client.connection), node: `node-${index}`, host, signal: end.signal }),
  ),
);
client.close();

async function compare(): Promise<void> {
  let value: string | undefined;
  for (const host of hosts) {
    const file = await host.read(path);
    const text = file.type === "text" ? file.text.trim() : "";
    if (value !== undefined && text !== value) return;
    value = text;
  }
  if (value === undefined || value === last) return;
  last = value;
  console.log(`${value} ${performance.timeOrigin + performance.now()}`);
}
