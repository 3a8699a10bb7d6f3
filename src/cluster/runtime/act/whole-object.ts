import { equal } from "../../../language/object/json.ts";
import type { KubeObject, ObjectMeta, OwnerReference } from "../../../language/object/meta.ts";

/** What is not content: the identity, and what others write. */
const apart = new Set(["apiVersion", "kind", "metadata", "status"]);

/**
 * The object to PUT so that `wanted` holds from end to end, or nothing if it does. It carries the observed
 * resourceVersion: if anything changed meanwhile, the server refuses it.
 */
export function wholeUpdate(
  wanted: KubeObject,
  observed: KubeObject,
  absentAnnotations: readonly string[] = [],
  ownerless = false,
): KubeObject | undefined {
  const metadata = wantedMetadata(wanted.metadata, observed.metadata, absentAnnotations, ownerless);
  if (metadata === observed.metadata && sameContent(wanted, observed)) return undefined;
  return {
    ...wanted,
    // Left out, the server keeps its own record of owners.
    metadata: { ...metadata, managedFields: undefined },
    ...("status" in observed ? { status: observed["status"] } : {}),
  };
}

function sameContent(wanted: KubeObject, observed: KubeObject): boolean {
  for (const field of Object.keys(wanted))
    if (!apart.has(field) && wanted[field] !== undefined && !equal(wanted[field], own(observed, field))) return false;
  for (const field of Object.keys(observed))
    if (!apart.has(field) && observed[field] !== undefined && own(wanted, field) === undefined) return false;
  return true;
}

function own(object: KubeObject, field: string): unknown {
  return Object.hasOwn(object, field) ? object[field] : undefined;
}

/** The observed metadata with what we name in it as we say; the very same object if nothing changes. */
function wantedMetadata(
  wanted: ObjectMeta,
  observed: ObjectMeta,
  absent: readonly string[],
  ownerless: boolean,
): ObjectMeta {
  const labels = withNamed(observed.labels, wanted.labels);
  const annotations = without(withNamed(observed.annotations, wanted.annotations), absent);
  const owners = observed.ownerReferences;
  const ownerReferences = ownerless && owners?.length ? [] : withOwners(owners, wanted.ownerReferences);
  if (
    labels === observed.labels &&
    annotations === observed.annotations &&
    ownerReferences === observed.ownerReferences
  )
    return observed;
  return { ...observed, labels, annotations, ownerReferences };
}

type Names = Record<string, string> | undefined;

function withNamed(observed: Names, wanted: Names): Names {
  const changed = Object.keys(wanted ?? {}).some(
    (name) => !observed || !Object.hasOwn(observed, name) || observed[name] !== wanted![name],
  );
  return changed ? { ...observed, ...wanted } : observed;
}

function without(names: Names, absent: readonly string[]): Names {
  if (!names || !absent.some((name) => Object.hasOwn(names, name))) return names;
  return Object.fromEntries(Object.entries(names).filter(([name]) => !absent.includes(name)));
}

type Owners = OwnerReference[] | undefined;

/** An owner is told from another by its uid, as the garbage collector does. */
function withOwners(observed: Owners, wanted: Owners): Owners {
  if (!wanted?.some((owner) => !observed?.some((other) => equal(owner, other)))) return observed;
  const others = observed?.filter((other) => wanted.every((owner) => owner.uid !== other.uid)) ?? [];
  return [...others, ...wanted];
}
