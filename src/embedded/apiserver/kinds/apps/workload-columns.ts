import type { PodTemplateSpec } from "kubernetes-types/core/v1.js";
import type { LabelSelector } from "kubernetes-types/meta/v1.js";
import { formatLabelSelector, fromLabelSelector } from "../../../../language/object/label-selector.ts";
import type { Column } from "../../resource.ts";
import { integerColumn, stringColumn, typed } from "../columns.ts";

interface Workload {
  readonly spec?: {
    readonly replicas?: number;
    readonly template?: PodTemplateSpec;
    readonly selector?: LabelSelector;
  };
  readonly status?: Readonly<Record<string, unknown>>;
}

const containersOf = ({ spec }: Workload) => spec?.template?.spec?.containers ?? [];

/** Containers and images of the pod template, with `-o wide`. */
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

/** `none` is printed for an empty selector. */
export const selectorColumn = (none: string): Column =>
  stringColumn(
    "Selector",
    typed<Workload>(({ spec }) => formatLabelSelector(fromLabelSelector(spec?.selector)) || none),
    1,
  );

/** A count of the status; an absent one is 0. */
export const countColumn = (name: string, field: string, column = integerColumn): Column =>
  column(
    name,
    typed<Workload>(({ status }) => status?.[field] ?? 0),
  );

/** `2/3`: ready and desired replicas. */
export const readyColumn: Column = stringColumn(
  "Ready",
  typed<Workload>(({ spec, status }) => `${Number(status?.["readyReplicas"] ?? 0)}/${spec?.replicas ?? 0}`),
);

/** Desired, current and ready replicas. */
export const replicaColumns: readonly Column[] = [
  integerColumn(
    "Desired",
    typed<Workload>(({ spec }) => spec?.replicas ?? 0),
  ),
  countColumn("Current", "replicas"),
  countColumn("Ready", "readyReplicas"),
];
