import type { Client, KindRef } from "../../../cluster/kube/client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { type Clock, pause } from "../../../cluster/runtime/clock.ts";
import { tunedKind, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { defaultTunedName } from "../../../domain/node-tuning/default-tuned.ts";
import { formatLabelSelector, fromLabelSelector } from "../../../language/object/label-selector.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { operatorLabels } from "../../operator/deployment.ts";
import { performanceProfileConversion } from "../../webhook/performance-profile-handler.ts";
import { ifThere } from "../../../cluster/kube/api-error.ts";
import { kindOf } from "../../../cluster/kube/manifest-kinds.ts";
import { type Decided, isDefinition } from "./decide-deletions.ts";
import { nameOf } from "./installed-objects.ts";

export interface Deletion {
  readonly client: Client;
  readonly dryRun: boolean;
  readonly clock: Clock;
  /** For everything together. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** A namespace that pods on nodes that are away keep. */
  readonly isHeld: (object: KubeObject) => boolean;
  readonly deleted: (object: KubeObject) => void;
}

/** Carries out what was decided, in order. An object that is gone already is no error. */
export async function deleteObjects(decided: readonly Decided[], deletion: Deletion): Promise<void> {
  const deadline = deletion.clock.monotonic() + deletion.timeoutMs;
  for (const { object, keptBecause } of decided) {
    if (keptBecause === undefined) await deleteOne(object, deletion, deadline);
    else await stopConversion(object, deletion);
  }
}

/** How long pods of the operator may take to end. Those on nodes that are away do not end, and have no rights any more. */
const operatorMs = 30_000;

/** Without it the next installation would begin with `Removed`. */
export async function deleteDefaultTuned(namespace: string, deletion: Deletion): Promise<void> {
  const { client, dryRun, clock, signal } = deletion;
  if (dryRun) return;
  const labelSelector = formatLabelSelector(fromLabelSelector({ matchLabels: operatorLabels }));
  // An operator that still runs would make it again, with agents on every node.
  for (const deadline = clock.monotonic() + operatorMs; clock.monotonic() < deadline; await pause(clock, 200, signal))
    if ((await client.list(kinds.pod, { namespace, labelSelector, signal })).items.length === 0) break;
  await ifThere(client.delete(tunedKind, defaultTunedName, { namespace: tuningNamespace, signal }));
}

async function deleteOne(object: KubeObject, deletion: Deletion, deadline: number): Promise<void> {
  const { client, dryRun, signal, isHeld, deleted } = deletion;
  const of = kindOf(object);
  const { name = "", namespace, uid } = object.metadata;
  const propagationPolicy = "Background";
  await ifThere(client.delete(of, name, { namespace, propagationPolicy, preconditions: { uid }, dryRun, signal }));
  // What they contain is deleted after them, and needs what is deleted next.
  if (!dryRun && !isHeld(object) && (isDefinition(object) || object.kind === "Namespace"))
    await until(() => isGone(client, of, object, signal), nameOf(object), { ...deletion, deadline });
  deleted(object);
}

async function isGone(client: Client, of: KindRef, { metadata }: KubeObject, signal: AbortSignal): Promise<boolean> {
  const found = await ifThere(client.get(of, metadata.name ?? "", { signal }));
  return found?.metadata.uid !== metadata.uid;
}

/** The webhook that converts PerformanceProfiles is gone. */
async function stopConversion(object: KubeObject, { client, dryRun, signal }: Deletion): Promise<void> {
  const { definition } = performanceProfileConversion;
  if (!isDefinition(object) || object.metadata.name !== definition) return;
  const patch = { spec: { conversion: { strategy: "None", webhook: null } } };
  await client.patch(kinds.customResourceDefinition, definition, { type: "merge", patch }, { dryRun, signal });
}

async function until(
  holds: () => Promise<boolean>,
  what: string,
  { clock, signal, deadline, timeoutMs }: Deletion & { readonly deadline: number },
): Promise<void> {
  while (!(await holds())) {
    signal.throwIfAborted();
    if (clock.monotonic() > deadline)
      throw new Error(
        `uninstall: ${what} was not deleted within ${timeoutMs / 1000} s: see its finalizers and conditions, and run the command again`,
      );
    await pause(clock, 200, signal);
  }
}
