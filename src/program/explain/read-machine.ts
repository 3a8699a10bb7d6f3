import { isNotFound } from "../../cluster/kube/api-error.ts";
import type { Client } from "../../cluster/kube/client.ts";
import { filesPath } from "../../embedded/lab/kubelet/log/files-path.ts";

export interface FileOfNode {
  readonly node: string;
  readonly path: string;
  readonly signal?: AbortSignal | undefined;
}

export type MachineFile =
  | {
      readonly type: "found";
      readonly text?: string;
      /** Of a folder. */
      readonly names?: readonly string[];
      /** The path with all links resolved. */
      readonly real?: string;
    }
  /** There is no such file, no such node, or the node is not virtual. */
  | { readonly type: "missing"; readonly message: string };

/** A file of a virtual node, through the API server with the rights of the user: to read a node's proxy, as for its logs. */
export async function readMachine(client: Client, { node, path, signal }: FileOfNode): Promise<MachineFile> {
  const at = `/api/v1/nodes/${encodeURIComponent(node)}/proxy${filesPath}${encodeURIComponent(node)}`;
  try {
    const answer = await client.raw("GET", `${at}?path=${encodeURIComponent(path)}`, undefined, { signal });
    return { ...(answer as Omit<Extract<MachineFile, { type: "found" }>, "type">), type: "found" };
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return { type: "missing", message: error.message.trim() };
  }
}
