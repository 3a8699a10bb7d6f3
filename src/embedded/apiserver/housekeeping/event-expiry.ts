import type { KubeObject } from "../../../language/object/meta.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import type { Services } from "../request/context.ts";
import { draftOf } from "../request/draft.ts";
import type { Resource } from "../resource.ts";
import { decodeObject } from "../storage/object-codec.ts";
import { Deadlines } from "./deadlines.ts";
import { writeInBackground } from "./server-writes.ts";

const hour = 3600_000;

/** Removes Events an hour after their last write, regardless of finalizers. The returned function ends it. */
export function expireEvents(services: Services, log: Log): () => void {
  const { store, clock, registry } = services;
  const deadlines = new Deadlines(clock, expire);
  for (const { key, bytes } of store.list("events")) deadlines.set(key, lastWrite(decodeObject(bytes)) + hour);
  const unwatch = store.watch("events", (changes) => {
    const due = clock.now() + hour;
    for (const { key, after } of changes)
      if (after) deadlines.set(key, due);
      else deadlines.delete(key);
  });
  return () => {
    unwatch();
    deadlines.stop();
  };

  function expire(key: string): void {
    const entry = store.get("events", key);
    // A newer version is uncommitted: its commit sets a new deadline.
    if (!entry || store.head("events", key) !== entry) return;
    const resource = registry.find("", "v1", "events") as Resource;
    writeInBackground(log, () => store.remove("events", key, entry, draftOf(decodeObject(entry.bytes), resource)));
  }
}

/** After a restart, the times in the object are the only record of its writes. */
function lastWrite({ metadata }: KubeObject): number {
  const times = [metadata.creationTimestamp, ...(metadata.managedFields ?? []).map(({ time }) => time)];
  return Math.max(...times.map((time) => (time ? Date.parse(time) : 0)));
}
