import { keyOf, type KubeObject } from "../../../../language/object/meta.ts";
import { forEachBounded } from "../../../../cluster/runtime/for-each-bounded.ts";
import type { Pod } from "../workload-objects.ts";
import type { Expectations } from "./expectations.ts";
import { createPod, deletePod, type PodWrites } from "./pod-writes.ts";
import { slowStart } from "./slow-start.ts";

const maxConcurrentDeletions = 32;

export interface ExpectedWrites extends PodWrites {
  expectations: Expectations;
}

/** Creates pods of an owner with a slow start, and expects them in the cache. */
export async function createExpected(
  pods: readonly Pod[],
  owner: KubeObject,
  writes: ExpectedWrites,
): Promise<{ created: number; errors: unknown[] }> {
  const { expectations } = writes;
  const key = keyOf(owner);
  let created = 0;
  expectations.expectCreations(key, pods.length);
  const { attempted, errors } = await slowStart(pods.length, async (index) => {
    try {
      if (await createPod(pods[index]!, owner, writes)) created++;
      else expectations.creationObserved(key);
    } catch (error) {
      expectations.creationObserved(key);
      throw error;
    }
  });
  for (let skipped = attempted; skipped < pods.length; skipped++) expectations.creationObserved(key);
  return { created, errors };
}

/** Deletes pods of an owner, each after `before`, and expects the cache to show it. Pods that are gone count as deleted. */
export async function deleteExpected(
  pods: readonly Pod[],
  owner: KubeObject,
  writes: ExpectedWrites,
  before?: (pod: Pod) => Promise<unknown>,
): Promise<{ deleted: Pod[]; errors: unknown[] }> {
  const { expectations } = writes;
  const key = keyOf(owner);
  const deleted: Pod[] = [];
  const errors: unknown[] = [];
  expectations.expectDeletions(
    key,
    pods.map(({ metadata }) => metadata.uid ?? ""),
  );
  await forEachBounded(pods, maxConcurrentDeletions, async (pod) => {
    const { uid = "" } = pod.metadata;
    try {
      await before?.(pod);
      if (!(await deletePod(pod, owner, writes))) expectations.deletionObserved(key, uid);
      deleted.push(pod);
    } catch (error) {
      expectations.deletionObserved(key, uid);
      errors.push(error);
    }
  });
  return { deleted, errors };
}
