import {
  everything,
  fromLabelSelector,
  type LabelSelector,
  type LabelSelectorObject,
  matchesLabels,
} from "../../../../language/object/label-selector.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import type { Lookup, Resource } from "../../resource.ts";
import { notFound } from "../../status-error.ts";
import type { Attributes } from "../admission.ts";

export interface Selectors {
  readonly namespace: LabelSelector;
  readonly object: LabelSelector;
}

/** A missing selector selects everything. */
export function compileSelectors(source: {
  readonly namespaceSelector?: LabelSelectorObject | null | undefined;
  readonly objectSelector?: LabelSelectorObject | null | undefined;
}): Selectors {
  const { namespaceSelector, objectSelector } = source;
  return {
    namespace: namespaceSelector ? fromLabelSelector(namespaceSelector) : everything,
    object: objectSelector ? fromLabelSelector(objectSelector) : everything,
  };
}

export function matchesSelectors(selectors: Selectors, attributes: Attributes, objects: Lookup): boolean {
  return matchesObject(selectors.object, attributes) && matchesNamespace(selectors.namespace, attributes, objects);
}

/** Matches the object before or after the write: removing a label does not evade the check. */
function matchesObject(selector: LabelSelector, { object, old }: Attributes): boolean {
  if (isEverything(selector)) return true;
  return [object, old].some((side) => side !== undefined && matchesLabels(selector, side.metadata?.labels));
}

/** Cluster-scoped objects always match a namespaceSelector. */
function matchesNamespace(selector: LabelSelector, attributes: Attributes, objects: Lookup): boolean {
  if (isEverything(selector)) return true;
  if (attributes.namespace === "" && !isNamespace(attributes.resource)) return true;
  return matchesLabels(selector, namespaceBehind(attributes, objects).metadata.labels);
}

/** A Namespace that is being written matches by its new labels. */
function namespaceBehind(attributes: Attributes, objects: Lookup): KubeObject {
  const { resource, subresource, object, operation, namespace } = attributes;
  if (object && isNamespace(resource) && subresource === "" && operation !== "DELETE") return object;
  const found = objects.head("namespaces", namespace);
  if (!found) throw notFound("", "namespaces", namespace);
  return found;
}

function isEverything({ requirements, nothing }: LabelSelector): boolean {
  return requirements.length === 0 && !nothing;
}

export function isNamespace({ group, plural }: Pick<Resource, "group" | "plural">): boolean {
  return group === "" && plural === "namespaces";
}

/** The Namespace of a write; undefined for Namespaces themselves and cluster-scoped objects. */
export function surroundingNamespace({ resource, namespace }: Attributes, objects: Lookup): KubeObject | undefined {
  return namespace === "" || isNamespace(resource) ? undefined : objects.head("namespaces", namespace);
}
