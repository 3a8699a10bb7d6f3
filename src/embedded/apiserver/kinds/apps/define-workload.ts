import type { LabelSelector } from "kubernetes-types/meta/v1.js";
import { equal } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { type FieldError, immutable, invalid } from "../../../../language/schema/field-error.ts";
import type { Column, Resource, Strategy, Subresource } from "../../resource.ts";
import { ageColumn, nameColumn } from "../columns.ts";
import { defineKind, type KindTable } from "../define-kind.ts";
import { templateColumns } from "./workload-columns.ts";
import { atLeast } from "../bounds.ts";
import { formatLabelSelector, fromLabelSelector } from "../../../../language/object/label-selector.ts";

export interface WorkloadTable extends Pick<KindTable, "kind" | "plural" | "selectableFields"> {
  readonly shortName: string;
  /** The columns between name and age. */
  readonly columns: readonly Column[];
  /** The columns after the containers, with `-o wide`. */
  readonly wideColumns?: readonly Column[];
  readonly strategy: Strategy;
  readonly validateStatus: (object: KubeObject, old: KubeObject) => FieldError[];
  readonly scales: boolean;
}

/** What the kinds of apps/v1 with a pod template have in common. */
export function defineWorkload(table: WorkloadTable): Resource {
  const { shortName, columns, wideColumns = [], strategy, validateStatus, scales, ...names } = table;
  return defineKind({
    group: "apps",
    version: "v1",
    namespaced: true,
    shortNames: [shortName],
    categories: ["all"],
    ...names,
    columns: [nameColumn, ...columns, ageColumn, ...templateColumns, ...wideColumns],
    strategy: { hasGeneration: true, ignoredFields: ["status"], ...strategy },
    subresources: {
      ...(scales ? { scale: workloadScale } : {}),
      status: { type: "status", validateUpdate: validateStatus },
    },
  });
}

/** The selector is immutable: the pods of the old one would be orphaned. */
export function validateSelectorUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const selectorOf = ({ spec }: KubeObject): unknown => (spec as { selector?: unknown }).selector;
  return equal(selectorOf(object), selectorOf(old)) ? [] : [immutable("spec.selector", selectorOf(object))];
}

/** Counts in the status: none is negative, and no part exceeds the total. */
export function validateReplicaCounts(
  status: object | undefined,
  counts: readonly string[],
  parts: readonly string[],
  ready: "readyReplicas" | "status.readyReplicas" = "readyReplicas",
): FieldError[] {
  const values = (status ?? {}) as Readonly<Record<string, number | undefined>>;
  const errors = counts.flatMap((field) => atLeast(values[field], 0, `status.${field}`));
  const total = values.replicas ?? 0;
  for (const field of parts) {
    const value = values[field] ?? 0;
    if (value > total) errors.push(invalid(`status.${field}`, value, "cannot be greater than status.replicas"));
  }
  const available = values.availableReplicas ?? 0;
  if (available > (values.readyReplicas ?? 0))
    errors.push(invalid("status.availableReplicas", available, `cannot be greater than ${ready}`));
  return errors;
}

/** The `scale` subresource of a workload. */
export const workloadScale = {
  type: "scale",
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelector: (object) =>
    formatLabelSelector(fromLabelSelector((object.spec as { selector?: LabelSelector }).selector)),
} as const satisfies Subresource;
