import { heldReport } from "../../engine/enforce.ts";
import type { SettingReport } from "../../engine/engine.ts";
import type { Ledger } from "../../engine/ledger.ts";
import { profileOwner } from "../../engine/native-engine.ts";

/**
 * The reports on a profile in force, by who holds its settings now: another owner takes them and lets them go while no
 * setting of the profile changes.
 */
export function withHolders(settings: readonly SettingReport[], ledger: Ledger): SettingReport[] {
  return settings.map((setting) => {
    if (setting.type === "skipped" || setting.type === "failed") return setting;
    const { unit, option, from, device, target, value } = setting;
    const about = { unit, option, from, ...(device === undefined ? {} : { device }) };
    const holder = ledger.holder(target, profileOwner);
    if (holder && holder.value !== value) return heldReport(about, setting, holder);
    if (setting.type !== "overridden" || setting.by.owner === undefined) return setting;
    return { ...about, type: "same", target, value };
  });
}
