import { findCondition } from "../../language/object/condition.ts";
import { agentAnnotations, annotations, ownAnnotations, writtenByAgent } from "./node-annotations.ts";
import { conflictCondition, type NodeCondition, type RolloutNode, type Taint } from "./rollout-node.ts";

/** What to write to one Node. Null removes. */
export interface NodeChange {
  readonly node: RolloutNode;
  readonly annotations: Readonly<Record<string, string | null>>;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** All of them. Absent: as they are. */
  readonly taints?: readonly Taint[] | undefined;
  /** Absent: as it is. */
  readonly isCordoned?: boolean | undefined;
  /** To set in its status, or to remove from it. */
  readonly condition?: NodeCondition | RemovedCondition | undefined;
}

/** As a strategic merge patch removes an item of a list. */
export interface RemovedCondition {
  readonly type: string;
  readonly $patch: "delete";
}

/** On nodes that wait for an update, so that pods that are moved come to rest elsewhere. */
export const updateTaint: Taint = { key: "UpdateInProgress", effect: "PreferNoSchedule" };

function isSame(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect;
}

interface Draft {
  readonly annotations: Record<string, string | null>;
  labels?: Readonly<Record<string, string>>;
  taints?: Taint[];
  isCordoned?: boolean;
  condition?: NodeCondition | RemovedCondition;
}

/** Collects what a pass writes to nodes: one change for each. */
export class NodeChanges {
  readonly #changes = new Map<RolloutNode, Draft>();

  get all(): NodeChange[] {
    return [...this.#changes].map(([node, change]) => ({ node, ...change }));
  }

  annotate(node: RolloutNode, name: string, value: string | null): void {
    this.#of(node).annotations[name] = value;
  }

  label(node: RolloutNode, labels: Readonly<Record<string, string>>): void {
    this.#of(node).labels = labels;
    this.annotate(node, annotations.customPoolLabelsApplied, "");
  }

  /** Undefined: there is none. Returns whether that is new. */
  conflict(node: RolloutNode, wanted: NodeCondition | undefined): boolean {
    const before = findCondition(node.status?.conditions, conflictCondition);
    if (before?.status === wanted?.status && before?.message === wanted?.message) return false;
    this.#of(node).condition = wanted ?? { type: conflictCondition, $patch: "delete" };
    return true;
  }

  /** The node becomes one that was never told. When it was tuned stays: without it, the taint until then would go. */
  forget(node: RolloutNode): void {
    const { desiredConfig, lastAppliedDrain } = annotations;
    const { previousConfig, drain } = ownAnnotations;
    const reported = writtenByAgent.filter((name) => name !== agentAnnotations.tunedBoot);
    for (const name of [desiredConfig, lastAppliedDrain, previousConfig, drain, ...reported])
      if (node.metadata.annotations?.[name] !== undefined) this.annotate(node, name, null);
  }

  uncordon(node: RolloutNode): void {
    this.#of(node).isCordoned = false;
  }

  taint(node: RolloutNode, taint: Taint, isWanted: boolean): void {
    const taints = this.#changes.get(node)?.taints ?? node.spec?.taints ?? [];
    const others = taints.filter((one) => !isSame(one, taint));
    if (others.length < taints.length === isWanted) return;
    this.#of(node).taints = isWanted ? [...taints, taint] : others;
  }

  #of(node: RolloutNode): Draft {
    let change = this.#changes.get(node);
    if (!change) {
      change = { annotations: {} };
      this.#changes.set(node, change);
    }
    return change;
  }
}
