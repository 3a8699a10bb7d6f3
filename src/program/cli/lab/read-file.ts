import { isNotFound } from "../../../cluster/kube/api-error.ts";
import { loadConnection } from "../../../cluster/kube/connect/load-connection.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { stopOnSignals } from "../../../cluster/runtime/signals.ts";
import { filesPath } from "../../../embedded/lab/kubelet/log/log-server.ts";
import type { labReadFlags } from "../flags.ts";
import type { Values } from "../option/flag.ts";
import { writeOut } from "../terminal/terminal.ts";

export interface FileOfNode {
  readonly node: string;
  readonly path: string;
  readonly signal?: AbortSignal | undefined;
}

/** `attune lab read NODE PATH`: a file of a virtual machine, or the names in a folder. */
export async function readLabFile(node: string, path: string, options: Values<typeof labReadFlags>): Promise<void> {
  if (!path.startsWith("/")) throw new Error(`lab read ${path}: not an absolute path`);
  const client = new HttpClient(await loadConnection(options));
  try {
    const { signal } = stopOnSignals();
    const answer = await readMachine(client, { node, path, signal });
    writeOut(answer.text ?? (answer.names ?? []).map((name) => `${name}\n`).join(""));
  } finally {
    client.close();
  }
}

export interface MachineFile {
  readonly text?: string;
  /** Of a folder. */
  readonly names?: readonly string[];
}

/** Through the API server, with the rights of the user: to read a node's proxy, as for its logs. */
export async function readMachine(client: Client, { node, path, signal }: FileOfNode): Promise<MachineFile> {
  const at = `/api/v1/nodes/${encodeURIComponent(node)}/proxy${filesPath}${encodeURIComponent(node)}`;
  try {
    return (await client.raw("GET", `${at}?path=${encodeURIComponent(path)}`, undefined, { signal })) as MachineFile;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new Error(`lab read: ${error.message.trim()}`, { cause: error });
  }
}
