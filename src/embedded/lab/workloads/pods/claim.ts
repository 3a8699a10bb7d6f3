import { isInvalid, isNotFound } from "../../../../cluster/kube/api-error.ts";
import type { Cache } from "../../../../cluster/kube/cache.ts";
import type { Client, KindRef } from "../../../../cluster/kube/client.ts";
import { fromLabelSelector, matchesLabels, type LabelSelector } from "../../../../language/object/label-selector.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { byController, orphansOf } from "../workload-caches.ts";
import { controllerOf, controllerReference } from "./controller-of.ts";

/** What follows of labels and owner references: whose objects these are. */
export interface Claims<T> {
  mine: T[];
  /** Orphans that the selector wants. */
  adopt: T[];
  /** Owned, but the selector does not want them any more. */
  release: T[];
}

export function claims<T extends KubeObject>(
  owner: KubeObject,
  selector: LabelSelector,
  candidates: Iterable<T>,
): Claims<T> {
  const found: Claims<T> = { mine: [], adopt: [], release: [] };
  // An owner that is going neither takes nor gives: what it has is the garbage collector's to judge.
  const going = owner.metadata.deletionTimestamp !== undefined;
  for (const object of candidates) {
    const controller = controllerOf(object);
    const wanted = matchesLabels(selector, object.metadata.labels);
    if (controller) {
      if (controller.uid !== owner.metadata.uid) continue;
      if (wanted) found.mine.push(object);
      else if (!going) found.release.push(object);
    } else if (wanted && !going && object.metadata.deletionTimestamp === undefined) found.adopt.push(object);
  }
  return found;
}

export interface ClaimOptions<T extends KubeObject, O extends KubeObject> {
  client: Client;
  ownerKind: KindRef<O>;
  owner: O;
  kind: KindRef<T>;
  /** Where what it owns and what nobody owns is found. */
  from: Cache<T>;
  /** Which of them count. */
  only?: ((object: T) => boolean) | undefined;
  /** Put on what is adopted. */
  finalizers?: readonly string[];
  signal?: AbortSignal | undefined;
}

/** Adopts and releases by patches, and returns what then belongs to the owner. */
export async function claim<T extends KubeObject, O extends KubeObject>(options: ClaimOptions<T, O>): Promise<T[]> {
  const { owner, from, only } = options;
  const { uid = "", namespace = "" } = owner.metadata;
  const there = [...from.byIndex(byController, uid), ...from.byIndex(orphansOf, namespace)];
  const { mine, adopt, release } = claims(owner, selectorOf(owner), only ? there.filter(only) : there);
  if (adopt.length > 0 && (await isStillThere(options))) {
    const adopted = await Promise.all(adopt.map((object) => adoptOne(object, options)));
    mine.push(...adopted.filter((object) => object !== undefined));
  }
  await Promise.all(release.map((object) => releaseOne(object, options)));
  return mine;
}

/** A cache that lags would let an owner adopt after its deletion, and the garbage collector take the adopted. */
async function isStillThere<T extends KubeObject, O extends KubeObject>(options: ClaimOptions<T, O>): Promise<boolean> {
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
    // Gone, or another owner was faster.
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
    // Gone, or it has no such owner any more.
    if (!isNotFound(error) && !isInvalid(error)) throw error;
  }
}

/** `spec.selector` of an owner, as all of them have it. */
export function selectorOf(owner: KubeObject): LabelSelector {
  const { selector } = (owner["spec"] ?? {}) as { selector?: Parameters<typeof fromLabelSelector>[0] };
  return fromLabelSelector(selector);
}
