import type { Cache, CacheEvent, Informer } from "../../../../cluster/kube/cache.ts";
import type { KindRef } from "../../../../cluster/kube/client.ts";
import { matchesLabels } from "../../../../language/object/label-selector.ts";
import { keyOf, type KubeObject } from "../../../../language/object/meta.ts";
import { source, type Source } from "../../../../cluster/runtime/controller/controller.ts";
import { byNamespace } from "../workload-caches.ts";
import { selectorOf } from "./claim.ts";
import { controllerOf } from "./controller-of.ts";
import type { Expectations } from "./expectations.ts";

/**
 * Maps events of dependents (mostly pods) to keys of owners: the controller of the object, its former one, and for an
 * orphan every owner that could adopt it. Expectations are updated first.
 */
export function dependentsSource<T extends KubeObject>(
  dependents: Informer<T>,
  ownerKind: KindRef,
  owners: Cache,
  expectations?: Expectations,
): Source<string> {
  const ownerOf = (object: T): KubeObject | undefined => {
    const reference = controllerOf(object);
    if (reference?.kind !== ownerKind.kind) return undefined;
    const owner = owners.get(`${object.metadata.namespace}/${reference.name}`);
    return owner?.metadata.uid === reference.uid ? owner : undefined;
  };
  return source(dependents, (event) => {
    const { object } = event;
    const keys = new Set<string>();
    const owner = ownerOf(object);
    if (owner) {
      keys.add(keyOf(owner));
      if (expectations) observe(expectations, keyOf(owner), event);
    }
    const before = event.type === "updated" ? event.before : undefined;
    const former = before && ownerOf(before);
    if (former) {
      keys.add(keyOf(former));
      if (former !== owner) expectations?.deletionObserved(keyOf(former), object.metadata.uid ?? "");
    }
    if (isAdoptable(event))
      for (const candidate of owners.byIndex(byNamespace, object.metadata.namespace ?? ""))
        if (matchesLabels(selectorOf(candidate), object.metadata.labels)) keys.add(keyOf(candidate));
    return keys;
  });
}

function observe<T extends KubeObject>(expectations: Expectations, key: string, event: CacheEvent<T>): void {
  const { uid = "", deletionTimestamp } = event.object.metadata;
  if (event.type === "added") expectations.creationObserved(key);
  if (event.type === "deleted" || deletionTimestamp !== undefined) expectations.deletionObserved(key, uid);
}

/** An orphan that is new, or whose labels or owner changed. */
function isAdoptable<T extends KubeObject>(event: CacheEvent<T>): boolean {
  const { object } = event;
  if (event.type === "deleted" || object.metadata.deletionTimestamp !== undefined || controllerOf(object)) return false;
  if (event.type === "added") return true;
  return (
    controllerOf(event.before) !== undefined ||
    JSON.stringify(event.before.metadata.labels) !== JSON.stringify(object.metadata.labels)
  );
}
