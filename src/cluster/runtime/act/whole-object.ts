import { equal, omitUndefined } from "../../../language/object/json.ts";
import type { KubeObject, ObjectMeta, OwnerReference } from "../../../language/object/meta.ts";

/** Fields that are not content: identity, metadata, and what other clients write. */
const notContent = new Set(["apiVersion", "kind", "metadata", "status"]);

/** What the object must not have. */
interface Absent {
  absentAnnotations?: readonly string[] | undefined;
  /** No owner references. */
  ownerless?: boolean | undefined;
  /** Nothing in metadata but what is wanted. */
  exactMetadata?: boolean | undefined;
}

/**
 * The object to PUT so that the whole content equals `wanted`, or undefined if it does. It carries the observed
 * resourceVersion: if the object changed meanwhile, the server responds with a conflict.
 */
export function wholeUpdate(wanted: KubeObject, observed: KubeObject, absent: Absent = {}): KubeObject | undefined {
  const metadata = (absent.exactMetadata ? exactly : wantedMetadata)(wanted.metadata, observed.metadata, absent);
  if (metadata === observed.metadata && sameContent(wanted, observed)) return undefined;
  return {
    ...wanted,
    // Without managedFields in the body the server keeps its own.
    metadata: { ...metadata, managedFields: undefined },
    ...("status" in observed ? { status: observed["status"] } : {}),
  };
}

function sameContent(wanted: KubeObject, observed: KubeObject): boolean {
  for (const field of Object.keys(wanted))
    if (!notContent.has(field) && wanted[field] !== undefined && !equal(wanted[field], own(observed, field)))
      return false;
  for (const field of Object.keys(observed))
    if (!notContent.has(field) && observed[field] !== undefined && own(wanted, field) === undefined) return false;
  return true;
}

function own(object: KubeObject, field: string): unknown {
  return Object.hasOwn(object, field) ? object[field] : undefined;
}

/** The observed metadata with the wanted labels, annotations and owners; the same object if nothing changes. */
function wantedMetadata(
  wanted: ObjectMeta,
  observed: ObjectMeta,
  { absentAnnotations = [], ownerless = false }: Absent,
): ObjectMeta {
  const labels = withNamed(observed.labels, wanted.labels);
  const annotations = without(withNamed(observed.annotations, wanted.annotations), absentAnnotations);
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

/** The observed metadata with the wanted labels, annotations, finalizers and owners only; the same object if nothing changes. */
function exactly(wanted: ObjectMeta, observed: ObjectMeta): ObjectMeta {
  const { labels = {}, annotations = {}, finalizers = [], ownerReferences = [] } = wanted;
  const exact = { labels, annotations, finalizers, ownerReferences };
  const had = { labels: {}, annotations: {}, finalizers: [], ownerReferences: [], ...omitUndefined(observed) };
  const isExact = (Object.keys(exact) as (keyof typeof exact)[]).every((field) => equal(exact[field], had[field]));
  return isExact ? observed : { ...observed, ...exact };
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

/** Owners are identified by uid, as in the garbage collector. */
function withOwners(observed: Owners, wanted: Owners): Owners {
  if (!wanted?.some((owner) => !observed?.some((other) => equal(owner, other)))) return observed;
  const others = observed?.filter((other) => wanted.every((owner) => owner.uid !== other.uid)) ?? [];
  return [...others, ...wanted];
}
