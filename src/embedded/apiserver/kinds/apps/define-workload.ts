import { equal } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { type FieldError, immutable } from "../../../../language/schema/field-error.ts";
import type { Column, Resource, Strategy } from "../../resource.ts";
import { ageColumn, nameColumn } from "../columns.ts";
import { defineKind, type KindTable } from "../define-kind.ts";
import { templateColumns } from "./workload-columns.ts";
import { workloadScale } from "./workload-scale.ts";

export interface WorkloadTable extends Pick<KindTable, "kind" | "plural" | "selectableFields"> {
  readonly shortName: string;
  /** Between its name and its age. */
  readonly columns: readonly Column[];
  /** After the containers, with `-o wide`. */
  readonly wideColumns?: readonly Column[];
  readonly strategy: Strategy;
  readonly validateStatus: (object: KubeObject, old: KubeObject) => FieldError[];
  readonly scales: boolean;
}

/** What the kinds of apps/v1 that make pods from a template have alike. */
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

/** Pods of another selector would be left behind. */
export function validateSelectorUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const selectorOf = ({ spec }: KubeObject): unknown => (spec as { selector?: unknown }).selector;
  return equal(selectorOf(object), selectorOf(old)) ? [] : [immutable("spec.selector", selectorOf(object))];
}
