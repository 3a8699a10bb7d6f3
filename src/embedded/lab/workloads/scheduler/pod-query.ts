import type { PodAffinityTerm } from "kubernetes-types/core/v1.js";
import {
  formatLabelSelector,
  fromLabelSelector,
  type LabelSelector,
  type LabelSelectorObject,
  matchesLabels,
  nothing,
  SelectorError,
} from "../../../../language/object/label-selector.ts";

type Labels = Readonly<Record<string, string>>;

/** A selection of pods. Queries with the same key are equal. */
export interface PodQuery {
  readonly key: string;
  readonly selector: LabelSelector;
  readonly namespaces: ReadonlySet<string>;
  readonly namespaceSelector?: LabelSelector | undefined;
  /** Whether terminating pods count. */
  readonly countsTerminating: boolean;
}

/** A selection of pods, and the node label that makes up a topology domain. */
export interface PodTerm {
  readonly query: PodQuery;
  readonly topologyKey: string;
}

export function matchesQuery(
  query: PodQuery,
  pod: { namespace: string; labels: Labels; terminating: boolean },
  labelsOfNamespace: (name: string) => Labels,
): boolean {
  if (pod.terminating && !query.countsTerminating) return false;
  if (!matchesLabels(query.selector, pod.labels)) return false;
  if (query.namespaces.has(pod.namespace)) return true;
  return (
    query.namespaceSelector !== undefined && matchesLabels(query.namespaceSelector, labelsOfNamespace(pod.namespace))
  );
}

/** A term without namespaces and namespace selector selects pods of the pod's own namespace. */
export function podTermOf(
  term: PodAffinityTerm & { matchLabelKeys?: string[]; mismatchLabelKeys?: string[] },
  pod: { namespace: string; labels: Labels },
): PodTerm {
  const named = term.namespaces ?? [];
  const namespaces = named.length === 0 && !term.namespaceSelector ? [pod.namespace] : named;
  const selector = withKeys(selectorOf(term.labelSelector), pod.labels, term.matchLabelKeys, term.mismatchLabelKeys);
  return {
    topologyKey: term.topologyKey,
    query: podQuery({
      selector,
      namespaces,
      namespaceSelector: term.namespaceSelector ? selectorOf(term.namespaceSelector) : undefined,
      countsTerminating: true,
    }),
  };
}

export function podQuery({
  selector,
  namespaces,
  namespaceSelector,
  countsTerminating,
}: Omit<PodQuery, "key" | "namespaces"> & { namespaces: readonly string[] }): PodQuery {
  const key = JSON.stringify([
    namespaces.toSorted(),
    namespaceSelector && textOf(namespaceSelector),
    textOf(selector),
    countsTerminating,
  ]);
  return { key, selector, namespaces: new Set(namespaces), namespaceSelector, countsTerminating };
}

/** An invalid selector selects no pods: it must not keep other pods from being scheduled. */
export function selectorOf(selector: LabelSelectorObject | undefined): LabelSelector {
  try {
    return fromLabelSelector(selector);
  } catch (error) {
    if (error instanceof SelectorError) return nothing;
    throw error;
  }
}

/** `matchLabelKeys` and `mismatchLabelKeys`: requirements with the pod's own values of these labels. */
export function withKeys(
  selector: LabelSelector,
  labels: Labels,
  same: readonly string[] = [],
  different: readonly string[] = [],
): LabelSelector {
  const own = (keys: readonly string[], operator: "in" | "notin"): LabelSelector["requirements"] =>
    keys.flatMap((key) => (Object.hasOwn(labels, key) ? [{ key, operator, values: [labels[key]!] }] : []));
  const more = [...own(same, "in"), ...own(different, "notin")];
  return more.length === 0 ? selector : { ...selector, requirements: [...selector.requirements, ...more] };
}

const textOf = (selector: LabelSelector): string | null => (selector.nothing ? null : formatLabelSelector(selector));
