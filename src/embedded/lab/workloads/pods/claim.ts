import { isInvalid, isNotFound } from "../../../../cluster/kube/api-error.ts";
import type { Cache } from "../../../../cluster/kube/cache.ts";
import type { Client, KindRef } from "../../../../cluster/kube/client.ts";
import { fromLabelSelector, matchesLabels, type LabelSelector } from "../../../../language/object/label-selector.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { byController, orphansOf } from "../workload-caches.ts";
import { controllerOf, controllerReference } from "./controller-of.ts";

/** Which objects an owner has, adopts and releases, by their labels and owner references. */
export interface Claims<T> {
  mine: T[];
  /** Orphans that the selector matches. */
  adopt: T[];
  /** Owned objects that the selector no longer matches. */
  release: T[];
}

export function claims<T extends KubeObject>(
  owner: KubeObject,
  selector: LabelSelector,
  candidates: Iterable<T>,
): Claims<T> {
  const found: Claims<T> = { mine: [], adopt: [], release: [] };
  // A deleted owner neither adopts nor releases: the garbage collector handles its objects.
  const isDeleted = owner.metadata.deletionTimestamp !== undefined;
  for (const object of candidates) {
    const controller = controllerOf(object);
    const matches = matchesLabels(selector, object.metadata.labels);
    if (controller) {
      if (controller.uid !== owner.metadata.uid) continue;
      if (matches) found.mine.push(object);
      else if (!isDeleted) found.release.push(object);
    } else if (matches && !isDeleted && object.metadata.deletionTimestamp === undefined) found.adopt.push(object);
  }
  return found;
}

export interface ClaimOptions<T extends KubeObject, O extends KubeObject> {
  client: Client;
  ownerKind: KindRef<O>;
  owner: O;
  kind: KindRef<T>;
  /** The cache of the objects. */
  from: Cache<T>;
  /** Considers only these. */
  only?: ((object: T) => boolean) | undefined;
  /** Added to adopted objects and removed from released ones. */
  finalizers?: readonly string[];
  signal?: AbortSignal | undefined;
}

/** Adopts and releases objects, and returns those of the owner. */
export async function claim<T extends KubeObject, O extends KubeObject>(options: ClaimOptions<T, O>): Promise<T[]> {
  const { owner, from, only } = options;
  const { uid = "", namespace = "" } = owner.metadata;
  const candidates = [...from.byIndex(byController, uid), ...from.byIndex(orphansOf, namespace)];
  const { mine, adopt, release } = claims(owner, selectorOf(owner), only ? candidates.filter(only) : candidates);
  if (adopt.length > 0 && (await ownerExists(options))) {
    const adopted = await Promise.all(adopt.map((object) => adoptOne(object, options)));
    mine.push(...adopted.filter((object) => object !== undefined));
  }
  await Promise.all(release.map((object) => releaseOne(object, options)));
  return mine;
}

/** Asks the API server: a deleted owner that adopts an object makes the garbage collector delete it. */
async function ownerExists<T extends KubeObject, O extends KubeObject>(options: ClaimOptions<T, O>): Promise<boolean> {
  const { client, ownerKind, owner, signal } = options;
  const { name = "", namespace, uid } = owner.metadata;
  try {
    const { metadata } = await client.get(ownerKind, name, { namespace, signal });
    return metadata.uid === uid && metadata.deletionTimestamp === undefined;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

async function adoptOne<T extends KubeObject, O extends KubeObject>(
  object: T,
  { client, kind, ownerKind, owner, finalizers, signal }: ClaimOptions<T, O>,
): Promise<T | undefined> {
  const { name = "", namespace, uid } = object.metadata;
  const patch = { metadata: { uid, ownerReferences: [controllerReference(ownerKind, owner)], finalizers } };
  try {
    return await client.patch(kind, name, { type: "strategic", patch }, { namespace, signal });
  } catch (error) {
    // Gone, or adopted by another owner.
    if (isNotFound(error) || isInvalid(error)) return undefined;
    throw error;
  }
}

async function releaseOne<T extends KubeObject, O extends KubeObject>(
  object: T,
  { client, kind, owner, finalizers, signal }: ClaimOptions<T, O>,
): Promise<void> {
  const { name = "", namespace, uid } = object.metadata;
  const patch = {
    metadata: {
      uid,
      ownerReferences: [{ $patch: "delete", uid: owner.metadata.uid }],
      ...(finalizers && { "$deleteFromPrimitiveList/finalizers": finalizers }),
    },
  };
  try {
    await client.patch(kind, name, { type: "strategic", patch }, { namespace, signal });
  } catch (error) {
    // Gone, or no longer owned.
    if (!isNotFound(error) && !isInvalid(error)) throw error;
  }
}

/** `spec.selector`, which all owners have. */
export function selectorOf(owner: KubeObject): LabelSelector {
  const { selector } = (owner["spec"] ?? {}) as { selector?: Parameters<typeof fromLabelSelector>[0] };
  return fromLabelSelector(selector);
}
