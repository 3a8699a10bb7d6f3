import { isNotFound } from "../../../cluster/kube/api-error.ts";
import type { Client, KindRef } from "../../../cluster/kube/client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { kindOf } from "../../../cluster/kube/manifest-kinds.ts";
import { equal } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";

export type Applied = "created" | "changed" | "unchanged";

export interface ApplyOptions {
  /** Nothing is stored. */
  readonly dryRun?: boolean | undefined;
  readonly onApplied?: ((object: KubeObject, what: Applied) => void) | undefined;
}

/** Server-side apply, as `kubectl apply --server-side`: a second run changes nothing. */
export async function applyManifests(
  client: Client,
  manifests: readonly KubeObject[],
  signal?: AbortSignal,
  { dryRun = false, onApplied }: ApplyOptions = {},
): Promise<void> {
  const onlyPlanned = new Set<string>();
  for (const object of manifests) {
    const ref = kindOf(object);
    const { name = "", namespace } = object.metadata;
    // A dry run does not create the namespace, and the API server refuses objects in a missing one.
    if (namespace !== undefined && onlyPlanned.has(namespace)) {
      onApplied?.(object, "created");
      continue;
    }
    const before = onApplied ? await observed(client, ref, object, signal) : undefined;
    if (dryRun && ref === kinds.namespace && !before) onlyPlanned.add(name);
    const patch = { type: "apply", object, force: true } as const;
    const answer = await client.patch(ref, name, patch, { namespace, fieldManager: "attune", dryRun, signal });
    onApplied?.(object, outcome(before, answer));
  }
}

async function observed(
  client: Client,
  ref: KindRef,
  { metadata: { name = "", namespace } }: KubeObject,
  signal?: AbortSignal,
): Promise<KubeObject | undefined> {
  try {
    return await client.get(ref, name, { namespace, signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Compares without managed fields and status: a change of those is no change of the manifest. */
function outcome(before: KubeObject | undefined, after: KubeObject): Applied {
  if (!before) return "created";
  return equal(contentOf(before), contentOf(after)) ? "unchanged" : "changed";
}

function contentOf({ metadata, status: _, ...rest }: KubeObject): object {
  const { labels, annotations } = metadata;
  return { ...rest, labels, annotations };
}
