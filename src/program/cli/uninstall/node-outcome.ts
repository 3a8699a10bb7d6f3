import type { kinds } from "../../../cluster/kube/kinds.ts";
import { isTrue } from "../../../language/object/condition.ts";

export type Pod = NonNullable<(typeof kinds.pod)["object"]>;
export type Node = NonNullable<(typeof kinds.node)["object"]>;

/** How the removal of an agent ended for its node. */
export interface NodeOutcome {
  readonly node: string;
  /** Away: nothing ends its agent. */
  readonly state: "rolled back" | "not rolled back" | "away";
  /** Why it was not rolled back, as far as the cluster knows. */
  readonly because?: string | undefined;
}

/**
 * What became of a node, by the last state of its agent's pod, which is gone. On a node that is away a pod ends only in the
 * cluster: it was deleted by force, or with its Node.
 */
export function outcomeOf({ spec, status }: Pod, away?: string): NodeOutcome {
  const node = spec?.nodeName ?? "";
  const [container] = status?.containerStatuses ?? [];
  const { terminated, waiting } = container?.state ?? {};
  if (!container || waiting)
    return { node, state: "not rolled back", because: `its agent did not run${reasonOf(waiting)}` };
  if (!terminated && away !== undefined) return { node, state: "away", because: away };
  if (terminated && terminated.exitCode !== 0) {
    const because = terminated.message?.trim() || `its agent ended with exit code ${terminated.exitCode}`;
    return { node, state: "not rolled back", because };
  }
  return { node, state: "rolled back" };
}

/** What the pod of an agent does on a node that waits to be rolled back. */
export function progressOf({ status }: Pod): string {
  const [container] = status?.containerStatuses ?? [];
  const { running, terminated, waiting } = container?.state ?? {};
  if (running) return "its agent rolls back";
  return terminated ? "its agent has ended, its pod is being deleted" : `its agent does not run${reasonOf(waiting)}`;
}

function reasonOf(waiting: { readonly reason?: string } | undefined): string {
  return waiting?.reason ? ` (${waiting.reason})` : "";
}

/** Why a node is away: then nothing ends its agent. */
export function awayBecause(node: Node | undefined): string | undefined {
  if (!node) return "there is no Node of this name";
  return isTrue(node.status?.conditions, "Ready") ? undefined : "the node is not ready";
}
