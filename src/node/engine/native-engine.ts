import type { Host } from "../host/host.ts";
import type { Difference, Engine } from "./engine.ts";
import { enforce, isDrift } from "./enforce.ts";
import { followProfile } from "./follow.ts";
import { readLedger } from "./journal.ts";
import type { Ledger } from "./ledger.ts";
import { type PlanInput, planUnits } from "./plan-units.ts";
import type { Plugin } from "./plugin.ts";
import { nativePlugins } from "./plugins/native-plugins.ts";
import { releaseAll } from "./release-all.ts";
import { serialQueue } from "../host/serial-queue.ts";
import { aboutOf, isChange, type UnitStep } from "./unit-step.ts";

/** The owner of a profile's claims in the ledger. */
export const profileOwner = "profile";

/** Applies profiles itself, without the TuneD daemon. */
export function nativeEngine(list: readonly Plugin[] = nativePlugins): Engine {
  const plugins = new Map(list.map((plugin) => [plugin.type, plugin]));
  const enqueue = queuePerHost();
  const owner = profileOwner;

  const planning =
    (input: Omit<PlanInput, "ledger" | "plugins">) =>
    (ledger: Ledger): Promise<UnitStep[]> =>
      planUnits({ ...input, ledger, plugins });

  return {
    name: "native",

    apply(profile, host, options = {}) {
      const plan = planning({ profile, host, purpose: "apply", options });
      return enqueue(host, () => enforce({ host, owner, plan }));
    },

    verify(profile, host, options = {}) {
      return enqueue(host, async () => {
        const ledger = await readLedger(host);
        const steps = await planning({ profile, host, purpose: "verify", options })(ledger);
        // What another owner holds differs for a good reason, which the report of an apply names.
        const own = steps.filter((step) => !isChange(step) || !ledger.holder(step.target, owner));
        return { differences: own.flatMap((step) => difference(step, isDrift(step, ledger, owner))) };
      });
    },

    follow(profile, host, follow, options = {}) {
      const plan = planning({ profile, host, purpose: "apply", options, follow });
      return enqueue(host, () => followProfile({ host, owner, follow, plan }));
    },

    rollback(host, { extent } = {}) {
      return enqueue(host, () => releaseAll({ host, owner, extent }));
    },
  };
}

function difference(step: UnitStep, drifted: boolean): Difference[] {
  if (step.type === "same" || step.type === "skipped" || step.verified === false) return [];
  const about = aboutOf(step);
  if (step.type === "impossible") return [{ ...about, message: step.message }];
  const { target, value: expected, before: found } = step;
  const message = `is ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`;
  return [{ ...about, message, target, expected, found, ...(drifted ? { drifted } : {}) }];
}

/** One operation at a time on each host: no other may read the journal before this one has written it. */
function queuePerHost(): <T>(host: Host, operation: () => Promise<T>) => Promise<T> {
  const queues = new WeakMap<Host, ReturnType<typeof serialQueue>>();
  return (host, operation) => {
    const enqueue = queues.get(host) ?? serialQueue();
    queues.set(host, enqueue);
    return enqueue(operation);
  };
}
