import type { DeploymentCondition } from "kubernetes-types/apps/v1.js";
import { findCondition } from "../../../../language/object/condition.ts";
import { equal, omitUndefined } from "../../../../language/object/json.ts";
import type { PlannedEvent } from "../../../../language/object/plan.ts";
import { byAge } from "../object-fields.ts";
import { replicasOf } from "../pods/replicas.ts";
import type { Deployment, ReplicaSet } from "../workload-objects.ts";
import { type Bounds, boundsOf } from "./bounds.ts";
import { withCondition } from "./deployment-condition.ts";
import { findNewReplicaSet, newReplicaSet } from "./new-replica-set.ts";
import { highestRevision, revisedAnnotations, sizeAnnotations } from "./revision.ts";

/** A ReplicaSet of the Deployment, as the cache has it and as planned. */
export interface Member {
  /** Undefined for a ReplicaSet to create. */
  readonly cached: ReplicaSet | undefined;
  planned: ReplicaSet;
}

type Progress = readonly [status: "True" | "False" | "Unknown", reason: string, message: string];

/** The changes of one pass to a Deployment's ReplicaSets, gathered before any is written. */
export class RolloutDraft {
  readonly deployment: Deployment;
  readonly bounds: Bounds;
  readonly now: number;
  /** Oldest first. */
  readonly old: readonly Member[];
  /** The ReplicaSet of the current template. */
  fresh: Member | undefined;
  conditions: readonly DeploymentCondition[];
  readonly deletes: ReplicaSet[] = [];
  readonly events: PlannedEvent[] = [];

  constructor(deployment: Deployment, replicaSets: readonly ReplicaSet[], now: number) {
    this.deployment = deployment;
    this.bounds = boundsOf(deployment);
    this.now = now;
    this.conditions = deployment.status?.conditions ?? [];
    const oldestFirst = replicaSets.toSorted(byAge);
    const found = findNewReplicaSet(deployment, oldestFirst);
    this.fresh = found && { cached: found, planned: found };
    this.old = oldestFirst.filter((one) => one !== found).map((one) => ({ cached: one, planned: one }));
  }

  get all(): readonly Member[] {
    return this.fresh ? [...this.old, this.fresh] : this.old;
  }

  get active(): readonly Member[] {
    return this.all.filter(({ planned }) => replicasOf(planned) > 0);
  }

  /** Updates annotations and `minReadySeconds` of the new ReplicaSet. */
  revise(): void {
    const { fresh, deployment } = this;
    if (!fresh) return;
    const { planned } = fresh;
    const before = planned.metadata.annotations ?? {};
    const annotations = revisedAnnotations(deployment, before, this.#nextRevision());
    const minReadySeconds = deployment.spec?.minReadySeconds;
    if (annotations !== before || (planned.spec?.minReadySeconds ?? 0) !== (minReadySeconds ?? 0))
      fresh.planned = {
        ...planned,
        metadata: { ...planned.metadata, annotations: { ...annotations } },
        spec: omitUndefined({ ...planned.spec!, minReadySeconds }),
      };
    this.report((existing) =>
      existing ? undefined : ["True", "FoundNewReplicaSet", `Found new replica set "${nameOf(planned)}"`],
    );
  }

  /** Plans a ReplicaSet for the current template. */
  create(replicas: number): Member {
    const { deployment, bounds } = this;
    const created = newReplicaSet(deployment);
    const annotations = {
      ...revisedAnnotations(deployment, {}, this.#nextRevision()),
      ...sizeAnnotations(bounds.replicas, bounds.replicas + bounds.surge),
    };
    const planned = {
      ...created,
      metadata: { ...created.metadata, annotations },
      spec: { ...created.spec!, replicas },
    };
    this.fresh = { cached: undefined, planned };
    if (replicas > 0) this.#recordScaled(planned, 0, replicas);
    this.report(() => ["True", "NewReplicaSetCreated", `Created new replica set "${nameOf(planned)}"`]);
    return this.fresh;
  }

  /** Plans a size, with the size of the Deployment as annotations. True if the size changes. */
  scale(member: Member, replicas: number): boolean {
    const { planned } = member;
    const before = replicasOf(planned);
    const { bounds } = this;
    const annotations = {
      ...planned.metadata.annotations,
      ...sizeAnnotations(bounds.replicas, bounds.replicas + bounds.surge),
    };
    if (before === replicas && equal(annotations, planned.metadata.annotations ?? {})) return false;
    member.planned = {
      ...planned,
      metadata: { ...planned.metadata, annotations },
      spec: { ...planned.spec!, replicas },
    };
    if (before === replicas) return false;
    this.#recordScaled(planned, before, replicas);
    return true;
  }

  /** Sets the Progressing condition of a Deployment with a progress deadline. `judge` gets the existing one. */
  report(judge: (existing: DeploymentCondition | undefined) => Progress | undefined): void {
    if (!hasDeadline(this.deployment)) return;
    const type = "Progressing";
    const progress = judge(findCondition(this.conditions, type));
    if (!progress) return;
    const [status, reason, message] = progress;
    this.conditions = withCondition(this.conditions, { type, status, reason, message }, this.now);
  }

  #nextRevision(): number {
    return highestRevision(this.old.map(({ planned }) => planned)) + 1;
  }

  #recordScaled({ metadata }: ReplicaSet, from: number, to: number): void {
    const message = `Scaled ${from < to ? "up" : "down"} replica set ${metadata.name} from ${from} to ${to}`;
    this.events.push({ regarding: this.deployment, type: "Normal", reason: "ScalingReplicaSet", message });
  }
}

/** The largest 32-bit number means: no deadline. */
export function hasDeadline({ spec }: Deployment): boolean {
  return spec?.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== 2 ** 31 - 1;
}

function nameOf({ metadata }: ReplicaSet): string {
  return metadata.name ?? "";
}
