import { annotations } from "./node-annotations.ts";
import type { NodeCondition, RolloutNode, Taint } from "./rollout-node.ts";

/** What to write to one Node. Null removes. */
export interface NodeChange {
  readonly node: RolloutNode;
  readonly annotations: Readonly<Record<string, string | null>>;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** All of them. Absent: as they are. */
  readonly taints?: readonly Taint[] | undefined;
  /** Absent: as it is. */
  readonly isCordoned?: boolean | undefined;
  /** To set in its status. */
  readonly condition?: NodeCondition | undefined;
}

const updateTaint: Taint = { key: "UpdateInProgress", effect: "PreferNoSchedule" };

interface Draft {
  readonly annotations: Record<string, string | null>;
  labels?: Readonly<Record<string, string>>;
  taints?: Taint[];
  condition?: NodeCondition;
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

  condition(node: RolloutNode, condition: NodeCondition): void {
    this.#of(node).condition = condition;
  }

  taint(node: RolloutNode, isWanted: boolean): void {
    const taints = node.spec?.taints ?? [];
    const isUpdate = ({ key, effect }: Taint): boolean => key === updateTaint.key && effect === updateTaint.effect;
    if (taints.some(isUpdate) === isWanted) return;
    this.#of(node).taints = isWanted ? [...taints, updateTaint] : taints.filter((taint) => !isUpdate(taint));
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
