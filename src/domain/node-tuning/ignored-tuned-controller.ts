import type { Informer } from "../../cluster/kube/cache.ts";
import type { Client } from "../../cluster/kube/client.ts";
import { act, type ActResult } from "../../cluster/runtime/act/act.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import { Controller, source } from "../../cluster/runtime/controller/controller.ts";
import type { Log } from "../../cluster/runtime/log/log.ts";
import { keyOf } from "../../language/object/meta.ts";
import { emptyPlan, type Plan, type PlannedEvent } from "../../language/object/plan.ts";
import { formatTime } from "../../language/object/time.ts";
import { fieldManager, type Tuned, tunedKind } from "./api.ts";
import { ProfileTexts } from "./profile-texts.ts";
import { transitions } from "./status/transitions.ts";
import { tunedStatus } from "./status/tuned-status.ts";

export interface IgnoredTunedOptions {
  readonly client: Client;
  /** Tuneds of other namespaces, as `projectIgnored` keeps them. */
  readonly tuneds: Informer<Tuned>;
  /** The namespace of the Tuneds that have an effect. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly recorder: { record(event: PlannedEvent): void };
  readonly log?: Log | undefined;
}

/** Tells authors of Tuneds in other namespaces that these are ignored. No decision about nodes reads them. */
export function ignoredTunedController(options: IgnoredTunedOptions): Controller {
  const { client, tuneds, namespace, clock, recorder } = options;
  return new Controller({
    name: "ignored-tuneds",
    clock,
    log: options.log,
    sources: [source(tuneds, ({ object }) => [keyOf(object)])],
    async reconcile(key, { signal, log }): Promise<ActResult | undefined> {
      const tuned = tuneds.get(key);
      if (!tuned || tuned.metadata.deletionTimestamp) return undefined;
      return act(decideIgnored(tuned, namespace, formatTime(clock.now())), {
        client,
        kinds: () => tunedKind,
        observed: () => tuned,
        fieldManager,
        recorder,
        signal,
        log,
      });
    },
  });
}

function decideIgnored(tuned: Tuned, namespace: string, now: string): Plan {
  const nothing = { texts: new ProfileTexts([]), rulesOf: () => [], ties: new Map(), boot: new Map() };
  const status = tunedStatus(tuned, { ...nothing, namespace, now });
  const { apiVersion, kind, metadata } = tuned;
  const of = { apiVersion, kind, metadata: { name: metadata.name, namespace: metadata.namespace, uid: metadata.uid } };
  const events = transitions(of, tuned.status?.conditions, status.conditions);
  return { ...emptyPlan(), statuses: [{ of, status: { ...status } }], events };
}

/** Without profiles and rules, which have no effect: users may write any number of them. */
export function projectIgnored({ apiVersion, kind, metadata, status }: Tuned): Tuned {
  const { name, namespace, uid, generation, resourceVersion, deletionTimestamp } = metadata;
  const kept = {
    name,
    namespace,
    uid,
    generation,
    resourceVersion,
    ...(deletionTimestamp ? { deletionTimestamp } : {}),
  };
  return { apiVersion, kind, metadata: kept, ...(status ? { status } : {}) };
}
