import type { PodTemplateSpec } from "kubernetes-types/core/v1.js";
import type { LabelSelector } from "kubernetes-types/meta/v1.js";
import { formatLabelSelector, fromLabelSelector } from "../../object/label-selector.ts";
import type { Column } from "../resource.ts";
import { stringColumn, typed } from "./columns.ts";

interface Workload {
  readonly spec?: { readonly template?: PodTemplateSpec; readonly selector?: LabelSelector };
}

const containersOf = ({ spec }: Workload) => spec?.template?.spec?.containers ?? [];

/** What the pods of a workload run, shown by `-o wide`. */
export const templateColumns: readonly Column[] = [
  stringColumn(
    "Containers",
    typed<Workload>((object) =>
      containersOf(object)
        .map(({ name }) => name)
        .join(","),
    ),
    1,
  ),
  stringColumn(
    "Images",
    typed<Workload>((object) =>
      containersOf(object)
        .map(({ image }) => image)
        .join(","),
    ),
    1,
  ),
];

export const selectorColumn: Column = stringColumn(
  "Selector",
  typed<Workload>(({ spec }) => formatLabelSelector(fromLabelSelector(spec?.selector))),
  1,
);
