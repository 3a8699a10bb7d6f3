import { isDrift } from "../../node/engine/enforce.ts";
import { readLedger } from "../../node/engine/journal.ts";
import type { Ledger } from "../../node/engine/ledger.ts";
import { profileOwner } from "../../node/engine/native-engine.ts";
import { planUnits } from "../../node/engine/plan-units.ts";
import type { UnitStep } from "../../node/engine/unit-step.ts";
import { nativePlugins } from "../../node/engine/plugins/native-plugins.ts";
import type { Host } from "../../node/host/host.ts";
import type { ProfileSpec } from "../../domain/node-tuning/api.ts";
import { profilesOf } from "../../domain/node-tuning/expected-profile.ts";
import type { Found } from "../../domain/node-tuning/explain/explain-node.ts";
import type { FoundSetting } from "../../domain/node-tuning/explain/settings.ts";
import { readSystemSysctls, sysctlPath } from "../../node/engine/plugins/sysctl/files.ts";
import { reapplySysctlOf } from "../../node/on-node/resolve-spec.ts";
import { execRule, withoutRefusedScripts } from "../../node/on-node/exec-policy.ts";
import { resolveOnNode } from "../../node/on-node/resolve-on-node.ts";

/** What a profile resolves to on a node, and the values that the node has now. Changes nothing there. */
export async function readNodeValues(spec: ProfileSpec, host: Host, programs: boolean): Promise<Found> {
  const expected = await resolveOnNode({ profiles: profilesOf(spec), host, programs });
  if (expected.type === "invalid") return { expected, settings: [] };
  const reapplySysctl = await reapplySysctlOf(spec.config.tunedConfig, host);
  const ledger = await readLedger(host);
  // Verifying a script means running it.
  const { profile } = programs ? expected : { profile: withoutRefusedScripts(expected.profile, execRule("none")) };
  const steps = await planUnits({
    profile,
    host,
    ledger,
    plugins: new Map(nativePlugins.map((plugin) => [plugin.type, plugin])),
    purpose: "verify",
    options: { reapplySysctl },
  });
  const own = reapplySysctl.enabled ? await readSystemSysctls({ host, reapplySysctl }) : { values: [] };
  const winners = new Map(own.values.map(({ key, from }) => [sysctlPath(key), from]));
  return { expected, settings: steps.flatMap((step) => foundSetting(step, ledger, winners)) };
}

/** `winners`: the lines of the node's own files, which win over the profile, by what they set. */
function foundSetting(
  step: UnitStep,
  ledger: Ledger,
  winners: ReadonlyMap<string | undefined, string>,
): FoundSetting[] {
  const { unit, option, device } = step;
  const about = { unit, option, ...(device === undefined ? {} : { device }) };
  switch (step.type) {
    case "same":
      return [{ ...about, type: "as wanted", value: step.before }];
    case "change": {
      // Some settings cannot be read back.
      if (step.verified === false) return [];
      const drifted = isDrift(step, ledger, profileOwner);
      const by = winners.get(step.target);
      const holder = ledger.holder(step.target, profileOwner);
      const why = holder
        ? `held by ${holder.owner}`
        : by
          ? `set by ${by}`
          : drifted
            ? "changed by another process since it was applied"
            : undefined;
      return [{ ...about, type: "different", value: step.before, ...(why === undefined ? {} : { message: why }) }];
    }
    case "skipped":
      return [{ ...about, type: "skipped", message: step.message }];
    case "impossible":
      return [{ ...about, type: step.verified === false ? "skipped" : "failed", message: step.message }];
  }
}
