import { isForbidden, isNotFound, isUnauthorized } from "../../cluster/kube/api-error.ts";
import type { Informer } from "../../cluster/kube/cache.ts";
import type { Client } from "../../cluster/kube/client.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import {
  type CpusInForce,
  type Profile,
  profileKind,
  type ProfileStatus,
  type Protocol,
  type OptionalField,
  optionalFields,
} from "../../domain/node-tuning/api.ts";
import { withoutCaches, withoutFields } from "../../domain/node-tuning/projections.ts";
import { equal } from "../../language/object/json.ts";
import { keyOf } from "../../language/object/meta.ts";
import { emptyPlan } from "../../language/object/plan.ts";
import { formatTime } from "../../language/object/time.ts";
import { act } from "../../cluster/runtime/act/act.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import { Controller, type Result, source } from "../../cluster/runtime/controller/controller.ts";
import type { Log } from "../../cluster/runtime/log/log.ts";
import { nodeAnnotator } from "./node-annotations.ts";
import type { NodeHardware } from "./node-hardware.ts";
import type { NodeTuner } from "./node-tuner.ts";
import { profileStatus } from "./report/profile-status.ts";
import type { Tuning } from "./tune-outcome.ts";

export interface TuneControllerOptions {
  client: Client;
  /** Caches this node's own Profile and no other. */
  profiles: Informer<Profile>;
  namespace: string;
  node: string;
  tuner: NodeTuner;
  hardware: NodeHardware;
  cpus: () => Promise<CpusInForce>;
  /** The id of this boot, if the host has one. */
  bootId: () => Promise<string | undefined>;
  protocol: Protocol;
  /** The node is as its Profile says, or the Profile says why not, or there is none and nothing is left to restore. */
  settled?: (() => void) | undefined;
  clock: Clock;
  log?: Log;
}

const fieldManager = "attune-agent";

/** Applies the Profile to the node, and reports the result in the Profile's status. */
export function tuneController(options: TuneControllerOptions): Controller {
  const { client, profiles, namespace, node, tuner, hardware, cpus, bootId, clock } = options;
  const key = `${namespace}/${node}`;
  const annotate = options.protocol === "shipped" ? nodeAnnotator({ client, node, fieldManager }) : undefined;

  /** Fields that the API server drops from the status of the Profile with this uid, because the CRD has none of them. */
  let dropped: { uid: string; fields: OptionalField[] } = { uid: "", fields: [] };

  async function report(profile: Profile, tuning: Tuning, signal: AbortSignal, log: Log): Promise<void> {
    const tunedIn = tuning.outcome.type === "failed" ? profile.status?.bootID : await bootId();
    const { apiVersion, kind, metadata } = profile;
    const { uid = "" } = metadata;
    const names = await tuner.hostProfiles();
    const found = {
      ...profileStatus(profile, tuning, formatTime(clock.now()), await hardware.read()),
      cpus: await cpus(),
      ...(names.length > 0 ? { hostProfiles: names } : {}),
      ...(tunedIn ? { bootID: tunedIn } : {}),
    };
    const status = dropped.uid === uid ? withoutFields(found, dropped.fields) : found;
    const { unchanged } = await act(
      { ...emptyPlan(), statuses: [{ of: { apiVersion, kind, metadata }, status: { ...status } }] },
      { client, kinds: () => profileKind, observed: () => profile, fieldManager, signal, log },
    );
    const lost = unchanged > 0 ? lostIn(profile, status) : [];
    if (lost.length > 0) dropped = { uid, fields: [...(dropped.uid === uid ? dropped.fields : []), ...lost] };
    await annotate?.(profile, tuning, signal);
  }

  async function release(signal: AbortSignal, log: Log): Promise<Result> {
    if (!(await isGone({ client, namespace, node, signal }))) return { requeue: true };
    try {
      await checkNode({ client, node, tuner, signal });
    } catch (error) {
      if (!(error instanceof UnknownNodeError)) throw error;
      // The Node may still be created. A mistake of the user's needs no stack trace.
      log.warn({}, error.message);
      return { requeue: true };
    }
    const { restored } = await tuner.release();
    if (restored.length === 0) return {};
    const failed = restored.filter((one) => one.failed !== undefined);
    log.info({ settings: restored.length, failed }, "the Profile is gone: rolled back");
    return failed.length > 0 ? { requeue: true } : {};
  }

  return new Controller({
    name: "tune",
    clock,
    log: options.log,
    queue: { backoff: { baseMs: 1000, maxMs: 60_000 } },
    sources: [source(profiles, ({ object }) => (keyOf(object) === key ? [key] : []))],
    async reconcile(_key, { signal, log }) {
      const profile = profiles.get(key);
      if (!profile) {
        const result = await release(signal, log);
        if (!result.requeue) options.settled?.();
        return result;
      }
      let tuning: Tuning;
      try {
        tuning = await tuner.tune(profile, signal);
      } catch (error) {
        // Reported in the status; the worker loop logs the error and tries again.
        const outcome = { type: "failed", message: (error as Error).message } as const;
        await report(profile, { outcome, inForce: undefined }, signal, log);
        throw error;
      }
      await report(profile, tuning, signal, log);
      options.settled?.();
      return tuning.outcome.type === "failed" ? { requeue: true } : { requeueAfterMs: tuner.checkInMs };
    },
  });
}

/** The fields of a written status that the Profile does not have, although the write changed nothing. */
function lostIn({ status }: Profile, written: ProfileStatus): OptionalField[] {
  const lost: OptionalField[] = optionalFields.filter(
    (field) => written[field] !== undefined && !equal(status?.[field], written[field]),
  );
  const { hardware } = written;
  const isWithoutCaches = hardware?.caches && equal(status?.hardware, withoutCaches(hardware));
  return isWithoutCaches ? lost.map((field) => (field === "hardware" ? "hardware.caches" : field)) : lost;
}

export interface OwnNode {
  readonly client: Client;
  readonly node: string;
  readonly tuner: NodeTuner;
  readonly signal?: AbortSignal | undefined;
}

/** The cluster has no Node of the name that the agent was given. */
class UnknownNodeError extends Error {
  constructor(node: string) {
    super(
      `there is no Node "${node}" in the cluster: nothing is changed; pass --node with a name that "kubectl get nodes" lists`,
    );
  }
}

/** Throws where a missing Profile may only mean that the agent was given a wrong name. */
export async function checkNode({ client, node, tuner, signal }: OwnNode): Promise<void> {
  if (await tuner.isKnown()) return;
  try {
    await client.get(kinds.node, node, { signal });
  } catch (error) {
    if (isNotFound(error)) throw new UnknownNodeError(node);
    // Agents that the DaemonSet started may not read Nodes, but have their names from the kubelet.
    if (!isForbidden(error) && !isUnauthorized(error)) throw error;
  }
}

export interface OwnProfile {
  readonly client: Client;
  readonly namespace: string;
  readonly node: string;
  readonly signal?: AbortSignal | undefined;
}

/** Asks the API server: a cache may be behind. Throws where the answer is uncertain. */
export async function isGone({ client, namespace, node, signal }: OwnProfile): Promise<boolean> {
  try {
    await client.get(profileKind, node, { namespace, signal });
    return false;
  } catch (error) {
    if (isNotFound(error)) return true;
    throw error;
  }
}
