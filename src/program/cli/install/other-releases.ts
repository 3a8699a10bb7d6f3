import { ifThere } from "../../../cluster/kube/api-error.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { kindOf } from "../../../cluster/kube/manifest-kinds.ts";
import { defaultRelease, type ReleaseName, releases } from "../../../domain/workload-partitioning/release.ts";
import { isOurs } from "../../../language/object/custom-definition.ts";
import { keyOf, type KubeObject } from "../../../language/object/meta.ts";
import { type InstallOptions, installManifests } from "./manifests.ts";

/** What an installation with the rules of any other release of workload partitioning has more. Bindings come before their policies. */
export function onlyInOtherReleases(options: InstallOptions): KubeObject[] {
  const { partitioningRelease: wanted = defaultRelease } = options;
  const manifests = (partitioningRelease: ReleaseName): KubeObject[] =>
    installManifests({ ...options, partitioningRelease });
  const identity = (object: KubeObject): string => `${object.apiVersion} ${object.kind} ${keyOf(object)}`;
  const kept = new Set(manifests(wanted).map(identity));
  const others = new Map(
    (Object.keys(releases) as ReleaseName[]).flatMap(manifests).map((one) => [identity(one), one]),
  );
  return [...others].flatMap(([name, object]) => (kept.has(name) ? [] : [object])).toReversed();
}

/**
 * Removes what an earlier installation with the rules of another release brought: a policy that stays refuses what the rules of
 * this one admit. Returns the removed objects.
 */
export async function removeOfOtherReleases(
  client: Client,
  options: InstallOptions,
  { dryRun, signal }: { readonly dryRun?: boolean | undefined; readonly signal?: AbortSignal | undefined } = {},
): Promise<KubeObject[]> {
  const removed: KubeObject[] = [];
  for (const object of onlyInOtherReleases(options)) {
    const { name = "", namespace } = object.metadata;
    const found = await ifThere(client.get(kindOf(object), name, { namespace, signal }));
    if (!found || !isOurs(found.metadata)) continue;
    const preconditions = { uid: found.metadata.uid };
    await ifThere(client.delete(kindOf(object), name, { namespace, preconditions, dryRun, signal }));
    removed.push(object);
  }
  return removed;
}
