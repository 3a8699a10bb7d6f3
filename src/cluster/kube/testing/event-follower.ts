import { type KubeObject, keyOf } from "../../../language/object/meta.ts";
import type { CacheEvent } from "../cache.ts";

/** Replays a cache's events and records each that contradicts the ones before it. */
export class EventFollower {
  readonly objects = new Map<string, KubeObject>();
  readonly complaints: string[] = [];

  follow(event: CacheEvent<KubeObject>): void {
    const key = keyOf(event.object);
    const known = this.objects.get(key);
    const version = event.object.metadata.resourceVersion;
    const complain = (why: string): void => void this.complaints.push(`${event.type} ${key}@${version}: ${why}`);
    if ((event.type === "added") === (known !== undefined)) complain(known ? "is there already" : "is not there");
    if (event.type === "updated") {
      if (event.object.metadata.uid !== known?.metadata.uid) complain("is another object of that name");
      if (event.before !== known) complain("follows a version that was not emitted");
      if (Number(version) <= Number(known?.metadata.resourceVersion))
        complain(`is older than ${known?.metadata.resourceVersion}`);
    }
    if (event.type === "deleted") this.objects.delete(key);
    else this.objects.set(key, event.object);
  }
}
