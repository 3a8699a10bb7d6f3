import type { NamespaceCondition } from "kubernetes-types/core/v1.js";

/** Objects that keep a namespace from being removed. */
export interface Remaining {
  /** `configmaps.` or `deployments.apps`, and how many. */
  readonly resources: ReadonlyMap<string, number>;
  /** Finalizers of these objects, and how many have each. */
  readonly finalizers: ReadonlyMap<string, number>;
}

interface Finding {
  readonly type: string;
  /** Reason and message while all is well. */
  readonly fine: readonly [reason: string, message: string];
  /** Undefined if all is well. */
  readonly wrong: (remaining: Remaining) => readonly [reason: string, message: string] | undefined;
}

/** The types, reasons and messages of kube-controller-manager. This server discovers and deletes without failures. */
const findings: readonly Finding[] = [
  fine("NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"),
  fine(
    "NamespaceDeletionGroupVersionParsingFailure",
    "ParsedGroupVersions",
    "All legacy kube types successfully parsed",
  ),
  fine(
    "NamespaceDeletionContentFailure",
    "ContentDeleted",
    "All content successfully deleted, may be waiting on finalization",
  ),
  {
    type: "NamespaceContentRemaining",
    fine: ["ContentRemoved", "All content successfully removed"],
    wrong: ({ resources }) =>
      resources.size === 0
        ? undefined
        : ["SomeResourcesRemain", `Some resources are remaining: ${listed(resources, "has %d resource instances")}`],
  },
  {
    type: "NamespaceFinalizersRemaining",
    fine: ["ContentHasNoFinalizers", "All content-preserving finalizers finished"],
    wrong: ({ finalizers }) =>
      finalizers.size === 0
        ? undefined
        : [
            "SomeFinalizersRemain",
            `Some content in the namespace has finalizers remaining: ${listed(finalizers, "in %d resource instances")}`,
          ],
  },
];

/** Why a namespace is not removed yet. Times of unchanged conditions stay. */
export function namespaceConditions(
  before: readonly NamespaceCondition[],
  remaining: Remaining,
  now: string,
): NamespaceCondition[] {
  const own = new Set(findings.map(({ type }) => type));
  const reported = findings.map((finding): NamespaceCondition => {
    const wrong = finding.wrong(remaining);
    const [reason, message] = wrong ?? finding.fine;
    const status = wrong ? "True" : "False";
    const old = before.find(({ type }) => type === finding.type);
    const lastTransitionTime = old?.status === status ? (old.lastTransitionTime ?? now) : now;
    return { type: finding.type, status, lastTransitionTime, reason, message };
  });
  return [...before.filter(({ type }) => !own.has(type)), ...reported];
}

function fine(type: string, reason: string, message: string): Finding {
  return { type, fine: [reason, message], wrong: () => undefined };
}

function listed(counts: ReadonlyMap<string, number>, phrase: string): string {
  const parts = Array.from(counts, ([name, count]) => `${name} ${phrase.replace("%d", String(count))}`);
  return parts.toSorted().join(", ");
}
