import { isApiError, isNotFound, ifThere } from "../../cluster/kube/api-error.ts";
import { type Informer, isOlder } from "../../cluster/kube/cache.ts";
import type { Client, KindRef } from "../../cluster/kube/client.ts";
import { annotations } from "./node-annotations.ts";
import type { NodeChange } from "./node-changes.ts";
import { projectRolloutNode, type RolloutNode } from "./rollout-node.ts";

export const nodeKind: KindRef<RolloutNode> = { apiVersion: "v1", kind: "Node", plural: "nodes", namespaced: false };
export const fieldManager = "attune-rollout";

/**
 * Writes to Nodes, and shows them with what was written: a cache that lags behind would make a node that was told look
 * untold, and another would be told beyond the budget.
 */
export class NodeWriter {
  readonly #client: Client;
  readonly #nodes: Informer<RolloutNode>;
  readonly #written = new Map<string, RolloutNode>();
  /** Configs that nodes may have been told or not, for example after a timeout. */
  readonly #unsure = new Set<NodeChange>();

  constructor(client: Client, nodes: Informer<RolloutNode>) {
    this.#client = client;
    this.#nodes = nodes;
  }

  /** All nodes, each as the newer of cache and last write shows it. */
  list(): readonly RolloutNode[] {
    if (this.#written.size === 0) return this.#nodes.list();
    return this.#nodes.list().map((node) => this.#newest(node));
  }

  /** One node, if it exists. */
  get(name: string): RolloutNode | undefined {
    const node = this.#nodes.get(name);
    return node && this.#newest(node);
  }

  /** One node as the server has it now. */
  async read(name: string, signal: AbortSignal): Promise<RolloutNode | undefined> {
    const found = await ifThere(this.#client.get(nodeKind, name, { signal }));
    return found && this.#keep(found);
  }

  /** Tells nodes again what may not have arrived. Until then, the budget would be a guess. */
  async settle(signal: AbortSignal): Promise<void> {
    for (const change of this.#unsure) {
      await this.write(change, signal);
      this.#unsure.delete(change);
    }
  }

  async write(change: NodeChange, signal: AbortSignal): Promise<void> {
    try {
      await writeNode(this.#client, change, signal, (response) => this.#keep(response));
    } catch (error) {
      if (isNotFound(error)) return;
      const isRefused = isApiError(error) && error.code >= 400 && error.code < 500;
      if (isRefused) this.#unsure.delete(change);
      else if (change.annotations[annotations.desiredConfig]) this.#unsure.add(change);
      throw error;
    }
  }

  /** Responses may overtake each other. */
  #keep(response: RolloutNode): RolloutNode {
    const node = projectRolloutNode(response);
    const { name = "", resourceVersion = "" } = node.metadata;
    const known = this.#written.get(name)?.metadata.resourceVersion ?? "";
    if (!isOlder(resourceVersion, known)) this.#written.set(name, node);
    return node;
  }

  #newest(node: RolloutNode): RolloutNode {
    const { name = "", uid, resourceVersion = "" } = node.metadata;
    const written = this.#written.get(name);
    if (!written) return node;
    if (written.metadata.uid === uid && isOlder(resourceVersion, written.metadata.resourceVersion ?? ""))
      return written;
    this.#written.delete(name);
    return node;
  }
}

/** `answered` gets the Node as the server has it after each write. */
export async function writeNode(
  client: Client,
  change: NodeChange,
  signal: AbortSignal,
  answered: (node: RolloutNode) => void = () => {},
): Promise<void> {
  const { name = "" } = change.node.metadata;
  if (hasContent(change)) {
    const patch = { type: "merge", patch: patchOf(change) } as const;
    answered(await client.patch(nodeKind, name, patch, { fieldManager, signal }));
  }
  if (change.condition) {
    // The kubelet owns the other conditions: the list is merged by type.
    const patch = { type: "strategic", patch: { status: { conditions: [change.condition] } } } as const;
    answered(await client.patch(nodeKind, name, patch, { fieldManager, signal, subresource: "status" }));
  }
}

function hasContent({ annotations, labels, taints, isCordoned }: NodeChange): boolean {
  return (
    Object.keys(annotations).length > 0 || labels !== undefined || taints !== undefined || isCordoned !== undefined
  );
}

/** Taints are one list: they are written only over the version that was read. */
function patchOf({ node, annotations, labels, taints, isCordoned }: NodeChange): object {
  const { uid, resourceVersion } = node.metadata;
  return {
    metadata: { uid, annotations, ...(labels ? { labels } : {}), ...(taints ? { resourceVersion } : {}) },
    spec: { ...(taints ? { taints } : {}), ...(isCordoned === undefined ? {} : { unschedulable: isCordoned || null }) },
  };
}
