import type { ParsedProfile } from "./text/parse-profile.ts";

/** What TuneD 2.28 has and 2.20 lacks. A profile that uses any of it is not for a daemon of 2.20. */
export const newSince220 = {
  functions: new Set(["intel_recommended_pstate", "log", "lscpu_check", "package2cpus", "package2uncores"]),
  plugins: new Set(["acpi", "irq", "uncore"]),
  /** Attributes of a section; 2.20 takes `priority` for an option and gives it the same meaning. */
  attributes: new Set(["prepend"]),
  options: new Map<string, ReadonlySet<string>>([
    ["cpu", new Set(["boost"])],
    ["scheduler", new Set(["irq_process", "kthread_process", "sched_base_slice_ns"])],
    ["video", new Set(["panel_power_savings"])],
    ["vm", new Set(["dirty_bytes", "dirty_ratio", "dirty_background_bytes", "dirty_background_ratio"])],
  ]),
} as const;

/** What both have, and 2.20 does otherwise; the recorded cases have it in `expect_2_20`. */
export const otherwiseIn220 = [
  { case: "f-calc_isolated-2", what: "calc_isolated_cores gives a plain list (2,3,6,7), not ranges" },
  { case: "f-calc_isolated-0", what: "calc_isolated_cores gives a plain list (0,1), not ranges" },
  { case: "f-calc_isolated-bad", what: "calc_isolated_cores refuses a bad count instead of failing over it" },
  { case: "parse-unit-attrs", what: "priority stays among the options" },
  { case: "plugin audio", what: "reset_controller is false by default" },
] as const;

/** `function lscpu_check`, `plug-in acpi`, …: what of these profiles a daemon of 2.20 would not know. */
export function unknownTo220(profiles: Iterable<ParsedProfile>): string[] {
  const found = new Set<string>();
  for (const { sections } of profiles) {
    for (const { name, options } of sections) {
      const type = options.find(({ key }) => key === "type")?.value ?? name;
      if (newSince220.plugins.has(type)) found.add(`plug-in ${type}`);
      if (type === "variables" && name !== "variables") found.add(`variables in a section [${name}]`);
      for (const { key, value } of options) {
        if (newSince220.attributes.has(key)) found.add(`attribute ${key}`);
        if (newSince220.options.get(type)?.has(key)) found.add(`option ${key} of plug-in ${type}`);
        for (const called of functionsIn(value)) if (newSince220.functions.has(called)) found.add(`function ${called}`);
      }
    }
  }
  return [...found].toSorted();
}

/** The functions that a text calls, or would if it were expanded. */
export function functionsIn(text: string): string[] {
  return Array.from(text.matchAll(/\$\{f:([\p{L}\p{N}_]+)/gu), ([, name = ""]) => name);
}
