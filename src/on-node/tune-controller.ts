import type { Engine } from "../engine/engine.ts";
import type { Host } from "../host/host.ts";
import type { Informer } from "../kube/cache.ts";
import type { Client } from "../kube/client.ts";
import { type Profile, profileKind, type ProfileStatus } from "../node-tuning/api.ts";
import { equal } from "../object/json.ts";
import { keyOf } from "../object/meta.ts";
import { emptyPlan } from "../object/plan.ts";
import { formatTime } from "../object/time.ts";
import { act, type ActResult } from "../runtime/act.ts";
import type { Clock } from "../runtime/clock.ts";
import { Controller, source } from "../runtime/controller.ts";
import type { Log } from "../runtime/log.ts";
import { profileStatus } from "./profile-status.ts";
import { tune, type TuneOutcome } from "./tune.ts";

export interface TuneControllerOptions {
  client: Client;
  /** Of this node's own Profile and no other. */
  profiles: Informer<Profile>;
  namespace: string;
  node: string;
  host: Host;
  engine: Engine;
  clock: Clock;
  log?: Log;
}

/** Keeps a node as its Profile says, and the Profile's status as the node is. */
export function tuneController(options: TuneControllerOptions): Controller {
  const { client, profiles, namespace, node, host, engine, clock } = options;
  const key = `${namespace}/${node}`;
  let said: ProfileStatus | undefined;

  async function report(profile: Profile, outcome: TuneOutcome, signal: AbortSignal, log: Log): Promise<ActResult> {
    const status = profileStatus(profile, outcome, formatTime(clock.now()));
    said = status;
    const { apiVersion, kind, metadata } = profile;
    return act(
      { ...emptyPlan(), statuses: [{ of: { apiVersion, kind, metadata }, status: { ...status } }] },
      { client, kinds: () => profileKind, observed: () => profile, fieldManager: "attune-agent", signal, log },
    );
  }

  return new Controller({
    name: "tune",
    clock,
    log: options.log,
    sources: [
      source(profiles, (event) => {
        if (keyOf(event.object) !== key) return [];
        // Our own words come back as an event: nothing to do then.
        const echo = event.type === "updated" && sameSpec(event) && equal(event.object.status, said);
        return echo ? [] : [key];
      }),
    ],
    async reconcile(_key, { signal, log }) {
      const profile = profiles.get(key);
      if (!profile) {
        const { restored } = await engine.rollback(host);
        if (restored.length > 0) log.info({ settings: restored.length }, "the Profile is gone: originals put back");
        return undefined;
      }
      let outcome: TuneOutcome;
      try {
        outcome = await tune({ spec: profile.spec, host, engine, signal });
      } catch (error) {
        // The node says so in its status, and the worker loop logs it and tries again.
        await report(profile, { type: "failed", message: (error as Error).message }, signal, log);
        throw error;
      }
      return report(profile, outcome, signal, log);
    },
  });
}

function sameSpec({ before, object }: { before: Profile; object: Profile }): boolean {
  return before.metadata.uid === object.metadata.uid && before.metadata.generation === object.metadata.generation;
}
