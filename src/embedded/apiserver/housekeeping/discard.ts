import { formatTime } from "../../../language/object/time.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import { asStored } from "../conversion/stored-version.ts";
import { collectionOf } from "../registry.ts";
import type { Services } from "../request/context.ts";
import { draftOf } from "../request/draft.ts";
import type { Resource } from "../resource.ts";
import type { Entry } from "../storage/store.ts";
import { inBackground } from "./in-background.ts";

/** Deletes an object because what it belongs to goes: at once, or when whoever holds it by a finalizer lets it go. */
export function discard({ store, views, clock }: Services, log: Log, kind: Resource, entry: Entry): void {
  const resource = asStored(kind, entry);
  const collection = collectionOf(resource);
  // A newer version is on its way to disk: its commit brings the caller here again.
  if (store.head(collection, entry.key) !== entry) return;
  const object = views.object(entry, resource);
  const { metadata } = object;
  if ((metadata.finalizers?.length ?? 0) === 0)
    return inBackground(log, () => store.remove(collection, entry.key, entry, draftOf(object, resource)));
  if (metadata.deletionTimestamp) return;
  metadata.deletionTimestamp = formatTime(clock.now());
  metadata.deletionGracePeriodSeconds = 0;
  if (metadata.generation !== undefined) metadata.generation++;
  inBackground(log, () => store.put(collection, entry.key, entry, draftOf(object, resource)));
}
