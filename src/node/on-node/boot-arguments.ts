import type { Notice } from "../../language/tuned/problem.ts";
import type { ResolvedProfile } from "../../language/tuned/resolve.ts";
import { placeOf } from "../../language/tuned/unit.ts";

/** `report`: MachineConfigs of the cluster carry the boot arguments, as the operator tells the agent; it writes none itself. */
export type BootArguments = "apply" | "report";

/**
 * The profile without what would write to the boot loader; its boot arguments are still reported. The Machine Config Operator
 * checks the arguments of its nodes, and would meet those that another program has set.
 */
export function withoutBootLoader(profile: ResolvedProfile): ResolvedProfile {
  const warnings: Notice[] = [...profile.warnings];
  for (const { name, type, enabled, unmet, options } of profile.units) {
    if (type !== "bootloader" || !enabled || unmet !== undefined) continue;
    for (const option of ["initrd_add_img", "initrd_add_dir"]) {
      const setting = options.get(option);
      if (!setting || setting.value === "") continue;
      const message = `[${name}] ${option} is not applied: MachineConfigs carry the boot arguments, and cannot add an image`;
      warnings.push({ ...placeOf(setting), level: "warning", message });
    }
  }
  return { ...profile, warnings, units: profile.units.filter(({ type }) => type !== "bootloader") };
}
