import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { stopOnSignals } from "../../../cluster/runtime/signals.ts";
import { readMachine } from "../../explain/read-machine.ts";
import type { labReadFlags } from "../flags.ts";
import type { Values } from "../option/flag.ts";
import { processTerminal } from "../terminal/terminal.ts";
import { clusterToRead } from "../up/running-cluster.ts";

/** `attune lab read NODE PATH`: a file of a virtual machine, or the names in a folder. */
export async function readLabFile(node: string, path: string, options: Values<typeof labReadFlags>): Promise<void> {
  if (!path.startsWith("/")) throw new Error(`lab read ${path}: a path begins with /, such as /proc/sys/vm/swappiness`);
  const { out, err: note } = processTerminal();
  const client = new HttpClient(await clusterToRead(options, { about: "nodes", note }));
  try {
    const { signal } = stopOnSignals();
    const answer = await readMachine(client, { node, path, signal });
    if (answer.type === "missing") throw new Error(`lab read: ${answer.message}`);
    out(answer.text ?? (answer.names ?? []).map((name) => `${name}\n`).join(""));
  } finally {
    client.close();
  }
}
