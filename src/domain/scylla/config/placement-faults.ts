import { labelValue, qualifiedName } from "../../../language/object/names.ts";
import type { NodeAffinity } from "../../../language/object/scheduling/node-affinity.ts";
import type { Toleration } from "../../../language/object/scheduling/tolerations.ts";
import { type FieldError, invalid, required } from "../../../language/schema/field-error.ts";
import type { Placement } from "../api.ts";

const place = "spec.placement";

/** What is wrong with a placement, so that the API server would reject the DaemonSet. */
export function placementFaults({ nodeSelector, tolerations, affinity }: Placement): FieldError[] {
  return [
    ...Object.entries(nodeSelector ?? {}).flatMap(([key, value]) => [
      ...faults(`${place}.nodeSelector`, key, qualifiedName(key)),
      ...faults(`${place}.nodeSelector[${key}]`, value, labelValue(value)),
    ]),
    ...(tolerations ?? []).flatMap((toleration, i) => tolerationFaults(toleration, `${place}.tolerations[${i}]`)),
    ...requiredFaults(affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
  ];
}

function faults(field: string, value: unknown, reasons: readonly string[]): FieldError[] {
  return reasons.map((reason) => invalid(field, value, reason));
}

function tolerationFaults(toleration: Toleration, field: string): FieldError[] {
  const { key = "", operator = "Equal", value = "", effect, tolerationSeconds } = toleration;
  return [
    ...(key === "" ? [] : faults(`${field}.key`, key, qualifiedName(key))),
    ...(key === "" && operator !== "Exists"
      ? [
          invalid(
            `${field}.operator`,
            operator,
            'operator must be Exists when `key` is empty, which means "match all values and all keys"',
          ),
        ]
      : []),
    ...(operator === "Exists" && value !== ""
      ? [invalid(`${field}.operator`, operator, "value must be empty when `operator` is 'Exists'")]
      : []),
    ...(operator === "Equal" ? faults(`${field}.value`, value, labelValue(value)) : []),
    ...(tolerationSeconds !== undefined && effect !== "NoExecute"
      ? [invalid(`${field}.effect`, effect ?? "", "effect must be 'NoExecute' when `tolerationSeconds` is set")]
      : []),
  ];
}

type Required = NonNullable<NodeAffinity["requiredDuringSchedulingIgnoredDuringExecution"]>;
type Term = Required["nodeSelectorTerms"][number];
type Requirement = NonNullable<Term["matchExpressions"]>[number];

function requiredFaults(terms: Required | null | undefined): FieldError[] {
  if (!terms) return [];
  const field = `${place}.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`;
  // Clients in Go write null for an empty list.
  const list = (terms.nodeSelectorTerms as Term[] | null) ?? [];
  if (list.length === 0) return [required(field, "must have at least one node selector term")];
  return list.flatMap(({ matchExpressions, matchFields }, i) => [
    ...(matchExpressions ?? []).flatMap((one, j) => expressionFaults(one, `${field}[${i}].matchExpressions[${j}]`)),
    ...(matchFields ?? []).flatMap((one, j) => fieldFaults(one, `${field}[${i}].matchFields[${j}]`)),
  ]);
}

const wholeNumber = /^[+-]?[0-9]+$/;

function expressionFaults({ key, operator, values: given }: Requirement, field: string): FieldError[] {
  const values = given ?? [];
  return [...faults(`${field}.key`, key, qualifiedName(key)), ...valueFaults()];

  function valueFaults(): FieldError[] {
    switch (operator) {
      case "In":
      case "NotIn":
        return values.length > 0
          ? values.flatMap((value, i) => faults(`${field}.values[${i}]`, value, labelValue(value)))
          : [required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
      case "Exists":
      case "DoesNotExist":
        return values.length === 0
          ? []
          : [invalid(`${field}.values`, values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
      case "Gt":
      case "Lt":
        if (values.length !== 1)
          return [required(`${field}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
        return wholeNumber.test(values[0] ?? "")
          ? []
          : [invalid(`${field}.values[0]`, values[0], "for 'Gt', 'Lt' operators, the value must be an integer")];
      default:
        return [invalid(`${field}.operator`, operator, "not a valid selector operator")];
    }
  }
}

function fieldFaults({ key, operator, values }: Requirement, field: string): FieldError[] {
  return [
    ...(key === "metadata.name" ? [] : [invalid(`${field}.key`, key, "not a valid field selector key")]),
    ...(operator === "In" || operator === "NotIn"
      ? []
      : [invalid(`${field}.operator`, operator, "not a valid selector operator")]),
    ...(values?.length === 1
      ? []
      : [
          required(
            `${field}.values`,
            "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
          ),
        ]),
  ];
}
