import { type Node, nodeStatus } from "./node-object.ts";
import { sharedCpusResource } from "./partitioned-node.ts";
import type { VirtualNode } from "./virtual-node.ts";

type NodeStatus = NonNullable<Node["status"]>;

/** Resources of other clients, or of this kubelet before it started again. */
function foreignIn(stored: NodeStatus | undefined, own: NodeStatus): string[] {
  const isOwn = (name: string): boolean => !name.includes("/") || own.capacity?.[name] !== undefined;
  return Object.keys({ ...stored?.capacity, ...stored?.allocatable }).filter((name) => !isOwn(name));
}

/** Whether another client has changed a capacity that the kubelet has to repeat in allocatable. */
export function lagsBehind(stored: NodeStatus | undefined, node: VirtualNode): boolean {
  // Called with every event of a Node: most have no resources of others.
  if (!Object.keys(stored?.capacity ?? {}).some((name) => name.includes("/"))) return false;
  return foreignIn(stored, nodeStatus(node, { port: 0, now: 0 })).some(
    (name) => stored?.capacity?.[name] !== stored?.allocatable?.[name],
  );
}

/**
 * The status as a patch of the stored one. A kubelet keeps a capacity that it does not know, and makes it allocatable. One that
 * takes its node for a new one sets it to 0. Only the shared CPUs of a kubelet that no longer has them are removed.
 */
export function withForeignResources(own: NodeStatus, stored: NodeStatus | undefined, isReset: boolean): object {
  const capacity: Record<string, string | null> = {};
  const allocatable: Record<string, string | null> = {};
  for (const name of foreignIn(stored, own)) {
    const known = stored?.capacity?.[name];
    if (name === sharedCpusResource || known === undefined) capacity[name] = allocatable[name] = null;
    else if (isReset) capacity[name] = allocatable[name] = "0";
    else allocatable[name] = known;
  }
  return {
    ...own,
    capacity: { ...own.capacity, ...capacity },
    allocatable: { ...own.allocatable, ...allocatable },
  };
}
