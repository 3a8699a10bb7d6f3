import { type Condition, findCondition, isTrue, setCondition } from "../../../language/object/condition.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { type ObjectReference, type PlannedObject, referenceTo } from "../../../language/object/plan.ts";
import { formatTime } from "../../../language/object/time.ts";
import type { HostedCluster } from "../api.ts";
import type { HostedKubeconfig, KubeconfigRead } from "./kubeconfig.ts";
import { markedFor } from "./marks.ts";

/** Whether the nodes of a hosted cluster are tuned: its operator runs, and finds its kinds in the hosted cluster. */
export const availableCondition = "NodeTuningAvailable";

/** What became of the objects that the operator needs in the hosted cluster. */
export type HostedState =
  | { readonly type: "applied" }
  | { readonly type: "problem"; readonly reason: string; readonly message: string };

export interface HostedClusterInput {
  /** `namespace/name`. */
  readonly key: string;
  /** Absent: it is gone, or its nodes are not tuned. */
  readonly hostedCluster?: HostedCluster | undefined;
  readonly kubeconfig: KubeconfigRead;
  readonly hosted: HostedState;
  /** Everything that was made for it. */
  readonly own: readonly KubeObject[];
  /** Names of wanted objects that exist and are of another owner: `Kind name`. */
  readonly taken: ReadonlySet<string>;
  /** What runs its operator. */
  readonly objects: (kubeconfig: HostedKubeconfig) => readonly KubeObject[];
  readonly now: number;
}

export interface HostedClusterDecision {
  readonly objects: readonly PlannedObject[];
  readonly prunes: readonly ObjectReference[];
  /** To report, where it is not reported yet. */
  readonly condition?: Condition | undefined;
}

/** The operator of a hosted cluster in its control plane namespace. */
export function decideHostedCluster(input: HostedClusterInput): HostedClusterDecision {
  const { key, hostedCluster, kubeconfig, own, taken } = input;
  if (!hostedCluster) return { objects: [], prunes: own.map(referenceTo) };
  const condition = conditionOf(hostedCluster, outcomeOf(input), input.now);
  // An operator that runs goes on with what it has.
  if (kubeconfig.type === "problem") return { objects: [], prunes: [], condition };
  const wanted = wantedObjects(input, kubeconfig.kubeconfig).filter((object) => !taken.has(nameOf(object)));
  const names = new Set(wanted.map(nameOf));
  return {
    objects: wanted.map((object) => ({
      owns: "fields",
      object: markedFor(key, object),
      because: `HostedCluster ${key} exists`,
    })),
    prunes: own.filter((object) => !names.has(nameOf(object))).map(referenceTo),
    condition,
  };
}

export function wantedObjects(
  { objects }: Pick<HostedClusterInput, "objects">,
  kubeconfig: HostedKubeconfig,
): readonly KubeObject[] {
  return [...(kubeconfig.copy ? [kubeconfig.copy] : []), ...objects(kubeconfig)];
}

export function nameOf({ kind, metadata }: KubeObject): string {
  return `${kind} ${metadata.name}`;
}

type Outcome = { readonly status: "True" | "False"; readonly reason: string; readonly message: string };

function outcomeOf({ kubeconfig, hosted, own, taken }: HostedClusterInput): Outcome {
  const not = (reason: string, message: string): Outcome => ({ status: "False", reason, message });
  if (kubeconfig.type === "problem") return not(kubeconfig.reason, kubeconfig.message);
  if (taken.size > 0)
    return not("NameTaken", `not written, since others of these names exist: ${[...taken].toSorted().join(", ")}`);
  if (hosted.type === "problem") return not(hosted.reason, hosted.message);
  const deployment = own.find(({ kind }) => kind === "Deployment");
  const conditions = (deployment?.["status"] as { conditions?: Condition[] } | undefined)?.conditions;
  if (!isTrue(conditions, "Available"))
    return not("OperatorNotAvailable", `the Deployment of its operator is not available`);
  return { status: "True", reason: "AsExpected", message: "" };
}

/** Undefined: it is reported already. */
export function conditionOf({ metadata, status }: HostedCluster, outcome: Outcome, now: number): Condition | undefined {
  const old = status?.conditions ?? [];
  const wanted = { type: availableCondition, ...outcome, observedGeneration: metadata.generation };
  const set = setCondition(old, wanted, formatTime(now));
  return set === old ? undefined : findCondition(set, availableCondition);
}
