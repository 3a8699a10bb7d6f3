import { isConflict, isNotFound } from "../../../../cluster/kube/api-error.ts";
import type { Client } from "../../../../cluster/kube/client.ts";
import { isOlder } from "../../../../cluster/kube/cache.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import type { Clock } from "../../../../cluster/runtime/clock.ts";
import { forEachBounded } from "../../../../cluster/runtime/for-each-bounded.ts";
import { equal } from "../../../../language/object/json.ts";
import { keyOf } from "../../../../language/object/meta.ts";
import { Expectations } from "../pods/expectations.ts";
import { createExpected, deleteExpected } from "../pods/expected-writes.ts";
import type { PodWrites } from "../pods/pod-writes.ts";
import type { Job, Pod } from "../workload-objects.ts";
import type { PodsDecision } from "./decide-pods.ts";
import { isTracked, trackingFinalizer } from "./job-fields.ts";
import type { JobStatus, PodsOutcome } from "./job-status.ts";

const maxConcurrentRequests = 32;

/** Writes pods and statuses of Jobs, and remembers those that the caches do not show yet. */
export class JobWrites {
  /** Pods that were created or deleted. */
  readonly expectations: Expectations;
  /** Pods whose finalizer was removed. */
  readonly releases: Expectations;
  readonly #writes: PodWrites;
  /** Jobs as they were written last. With an older one from the cache, pods would be counted or created twice. */
  readonly #written = new Map<string, Job>();

  constructor(writes: Pick<PodWrites, "client" | "recorder">, clock: Clock) {
    this.#writes = writes;
    this.expectations = new Expectations(clock);
    this.releases = new Expectations(clock);
  }

  /** The Job as the cache has it, or as it was written since. */
  newest(key: string, cached: Job | undefined): Job | undefined {
    const written = this.#written.get(key);
    if (!cached || !written) return cached;
    const isBehind = isOlder(cached.metadata.resourceVersion ?? "", written.metadata.resourceVersion ?? "");
    if (isBehind && cached.metadata.uid === written.metadata.uid) return written;
    this.#written.delete(key);
    return cached;
  }

  forget(key: string): void {
    this.expectations.forget(key);
    this.releases.forget(key);
    this.#written.delete(key);
  }

  async carryOut(
    job: Job,
    decision: PodsDecision,
    { settled, signal }: { settled: boolean; signal: AbortSignal },
  ): Promise<PodsOutcome & { errors: unknown[] }> {
    const writes = { ...this.#writes, expectations: this.expectations, signal };
    const nothing = { created: 0, deleted: [], errors: [] };
    switch (decision.type) {
      case "create":
        return { ...nothing, ...(await createExpected(decision.pods, job, writes)), managed: true, done: true };
      case "delete": {
        // These pods are not counted, so nothing else would remove their finalizer.
        const release = async (pod: Pod): Promise<unknown> => isTracked(pod) && releasePod(writes.client, pod, signal);
        return {
          ...nothing,
          ...(await deleteExpected(decision.pods, job, writes, release)),
          managed: true,
          done: true,
        };
      }
      case "end": {
        const outcome = await deleteExpected(decision.pods, job, writes);
        return { ...nothing, ...outcome, managed: true, done: outcome.errors.length === 0 && settled };
      }
      default:
        return { ...nothing, managed: settled, done: true };
    }
  }

  async writeStatus(job: Job, status: JobStatus, signal: AbortSignal): Promise<Job> {
    if (equal(job.status ?? {}, status)) return job;
    const options = { namespace: job.metadata.namespace, subresource: "status", signal };
    const updated = await this.#writes.client.update(kinds.job, { ...job, status }, options);
    this.#written.set(keyOf(job), updated);
    return updated;
  }

  /** Releases pods that have been counted. Returns the errors by the uids of pods that could not be released. */
  async release(key: string, pods: readonly Pod[], signal: AbortSignal): Promise<Map<string, unknown>> {
    const failed = new Map<string, unknown>();
    this.releases.expectDeletions(
      key,
      pods.map(({ metadata }) => metadata.uid ?? ""),
    );
    await forEachBounded(pods, maxConcurrentRequests, async (pod) => {
      const { uid = "" } = pod.metadata;
      try {
        if (!(await releasePod(this.#writes.client, pod, signal))) this.releases.deletionObserved(key, uid);
      } catch (error) {
        this.releases.deletionObserved(key, uid);
        failed.set(uid, error);
      }
    });
    return failed;
  }
}

/** Removes the Job's finalizer: the pod has been counted, or never will be. False when the pod is gone. */
export async function releasePod(client: Client, { metadata }: Pod, signal: AbortSignal): Promise<boolean> {
  const { name = "", namespace, uid } = metadata;
  const patch = { metadata: { uid, "$deleteFromPrimitiveList/finalizers": [trackingFinalizer] } };
  try {
    await client.patch(kinds.pod, name, { type: "strategic", patch }, { namespace, signal });
    return true;
  } catch (error) {
    // Gone, or a new pod has its name.
    if (isNotFound(error) || isConflict(error)) return false;
    throw error;
  }
}
