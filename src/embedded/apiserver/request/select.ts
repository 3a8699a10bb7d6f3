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

/** Which objects of a collection a list, watch or deletecollection is about. */
export interface Selection {
  /** Keys start with this: `namespace/`, or nothing. */
  readonly prefix: string;
  /** The one name it can be about, if the selector says so. */
  readonly name: string | undefined;
  /** True when every key below the prefix is meant. */
  readonly everything: boolean;
  /** Whether what it matches by must be read in the version asked for: `matches` can only be asked of entries that are ready. */
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
    // Built-in kinds know it even where it is always empty.
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

/** Kinds with fields of their own have their own words for one they do not have. */
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

/** A webhook may give an object other labels in another version. */
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
