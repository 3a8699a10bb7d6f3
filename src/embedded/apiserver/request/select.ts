import { parseFieldSelector, type FieldRequirement } from "../../../language/object/field-selector.ts";
import {
  matchesLabels,
  parseLabelSelector,
  SelectorError,
  type LabelSelector,
} from "../../../language/object/label-selector.ts";
import type { Resource } from "../resource.ts";
import { badRequest, type StatusError } from "../status-error.ts";
import type { Entry } from "../storage/store.ts";
import type { Views } from "../storage/views.ts";

/** The objects of a collection that a list, watch or deletecollection selects. */
export interface Selection {
  /** Prefix of the keys: `namespace/`, or nothing. */
  readonly prefix: string;
  /** The only name that can match, if the selector names one. */
  readonly name: string | undefined;
  /** Every key below the prefix matches. */
  readonly everything: boolean;
  /** Matching reads objects in the requested version: entries must be converted (`Views.ready`) before `matches`. */
  readonly reads: boolean;
  matches(entry: Entry): boolean;
}

export interface SelectionRequest {
  readonly resource: Resource;
  readonly views: Views;
  readonly namespace: string;
  /** From the URL, for a watch on one object. */
  readonly name: string;
  readonly query: URLSearchParams;
}

export function selectionOf({ resource, views, namespace, name, query }: SelectionRequest): Selection {
  const labels = parse(() => parseLabelSelector(query.get("labelSelector") ?? ""));
  const fields = parse(() => parseFieldSelector(query.get("fieldSelector") ?? ""));
  if (name !== "") fields.push({ field: "metadata.name", op: "=", value: name });
  const known = [
    "metadata.name",
    // Built-in kinds accept it even if they are cluster-scoped.
    ...(resource.namespaced || resource.origin === "builtin" ? ["metadata.namespace"] : []),
    ...Object.keys(resource.selectableFields),
  ];
  for (const { field } of fields) if (!known.includes(field)) throw unknownField(field, known, resource);
  const named = fields.find(({ field, op }) => field === "metadata.name" && op === "=")?.value;
  const { byLabel, byKey, byContent } = tests(labels, fields, resource, views);
  return {
    prefix: resource.namespaced && namespace !== "" ? `${namespace}/` : "",
    name: named,
    everything: !byLabel && !byKey && !byContent,
    reads: byContent !== undefined || (byLabel !== undefined && resource.versions?.webhook !== undefined),
    matches: (entry) => (!byLabel || byLabel(entry)) && (!byKey || byKey(entry)) && (!byContent || byContent(entry)),
  };
}

/** As kube-apiserver: kinds with selectable fields have another message. */
function unknownField(field: string, known: readonly string[], resource: Resource): StatusError {
  if (resource.origin === "custom" || Object.keys(resource.selectableFields).length > 0)
    return badRequest(`field label not supported: ${field}`);
  const only = known.map((name) => JSON.stringify(name)).join(", ");
  return badRequest(`${JSON.stringify(field)} is not a known field selector: only ${only}`);
}

type Test = (entry: Entry) => boolean;

function tests(
  labels: LabelSelector,
  fields: readonly FieldRequirement[],
  resource: Resource,
  views: Views,
): { byLabel?: Test; byKey?: Test; byContent?: Test } {
  const ofKey = fields.filter(({ field }) => field === "metadata.name" || field === "metadata.namespace");
  const ofContent = fields.filter((requirement) => !ofKey.includes(requirement));
  return {
    ...(labels.requirements.length > 0 && {
      byLabel: (entry: Entry) => matchesLabels(labels, labelsOf(entry, resource, views)),
    }),
    ...(ofKey.length > 0 && {
      byKey: (entry: Entry) => {
        const cut = entry.key.indexOf("/");
        const parts = {
          "metadata.namespace": entry.key.slice(0, Math.max(0, cut)),
          "metadata.name": entry.key.slice(cut + 1),
        };
        return ofKey.every(({ field, op, value }) => (parts[field as keyof typeof parts] === value) === (op === "="));
      },
    }),
    ...(ofContent.length > 0 && {
      byContent: (entry: Entry) => {
        const object = views.object(entry, resource);
        return ofContent.every(
          ({ field, op, value }) => (resource.selectableFields[field]?.(object) === value) === (op === "="),
        );
      },
    }),
  };
}

/** A conversion webhook may change labels. */
function labelsOf(entry: Entry, resource: Resource, views: Views): Entry["labels"] {
  if (!resource.versions?.webhook) return entry.labels;
  return views.object(entry, resource).metadata.labels;
}

function parse<T>(parser: () => T): T {
  try {
    return parser();
  } catch (error) {
    if (error instanceof SelectorError) throw badRequest(error.message);
    throw error;
  }
}
