import { builtIns } from "./functions/catalogue.ts";
import type { ResolvedProfile } from "./resolve.ts";
import type { ParsedProfile } from "./text/parse-profile.ts";

/**
 * The two versions of TuneD that were compared: 2.20 (Debian 12), and 2.28, which this folder and the native plug-ins
 * follow. A version between them may lack whatever 2.20 lacks.
 */
export const oldestVersion = [2, 20] as const;
const newestVersion = [2, 28] as const;

/** What 2.28 has and 2.20 lacks. Sections named other than `[variables]` with `type=variables`, and `prepend`, are new too. */
export const newSince220 = {
  functions: new Set(["intel_recommended_pstate", "log", "lscpu_check", "package2cpus", "package2uncores"]),
  plugins: new Set(["acpi", "irq", "uncore"]),
  /** `plug-in.option` */
  options: new Set([
    "cpu.boost",
    "scheduler.irq_process",
    "scheduler.kthread_process",
    "scheduler.sched_base_slice_ns",
    "video.panel_power_savings",
    "vm.dirty_background_bytes",
    "vm.dirty_background_ratio",
    "vm.dirty_bytes",
    "vm.dirty_ratio",
  ]),
} as const;

/** Every plug-in of 2.28. */
export const tunedPlugins: ReadonlySet<string> = new Set([
  ...newSince220.plugins,
  "audio",
  "bootloader",
  "cpu",
  "disk",
  "eeepc_she",
  "irqbalance",
  "modules",
  "mounts",
  "net",
  "rtentsk",
  "scheduler",
  "script",
  "scsi_host",
  "selinux",
  "service",
  "sysctl",
  "sysfs",
  "systemd",
  "usb",
  "video",
  "vm",
]);

/** Files that versions before 2.28 change for a plug-in, where 2.28 changes others. */
const filesOfOlder: ReadonlyMap<string, readonly string[]> = new Map([
  ["systemd", ["/etc/systemd/system.conf"]],
  ["irqbalance", ["/etc/default/irqbalance", "/etc/sysconfig/irqbalance"]],
]);

export function isOlder(version: string | undefined): boolean {
  return version !== undefined && compareVersion(version, newestVersion) < 0;
}

export function compareVersion(version: string, [major, minor]: readonly [number, number]): number {
  const [ofMajor = 0, ofMinor = 0] = version.split(".").map(Number);
  return ofMajor - major || ofMinor - minor;
}

/** Whether this version changes other files for a plug-in than 2.28 does. */
export function changesOtherFiles(type: string, version: string | undefined): boolean {
  return isOlder(version) && filesOfOlder.has(type);
}

/** Every version writes this file anew, and loses what other programs wrote to it (Q13). */
const rewritten: ReadonlyMap<string, readonly string[]> = new Map([["modules", ["/etc/modprobe.d/tuned.conf"]]]);

/** The files that this version changes for the profile's units and that the native engine does not, or not as a whole. */
export function otherFiles({ units }: ResolvedProfile, version: string | undefined): string[] {
  const types = new Set(units.flatMap(({ type, enabled, unmet }) => (enabled && unmet === undefined ? [type] : [])));
  return [...filesOfOlder, ...rewritten].flatMap(([type, files]) =>
    types.has(type) && (rewritten.has(type) || changesOtherFiles(type, version)) ? files : [],
  );
}

/** What a profile needs of the TuneD that applies it. */
export interface UsedFeatures {
  readonly functions: ReadonlySet<string>;
  readonly plugins: ReadonlySet<string>;
  /** `plug-in.option` */
  readonly options: ReadonlySet<string>;
  /** Variables put before inherited ones. */
  readonly prepend: boolean;
  /** Names of sections of variables other than `[variables]`. */
  readonly variableSections: ReadonlySet<string>;
}

/**
 * Units that this node does not apply need nothing. Functions are looked for in `texts`, which the profile was merged
 * from, too: many stand in variables.
 */
export function usedFeatures(profile: ResolvedProfile, texts: readonly ParsedProfile[] = []): UsedFeatures {
  const functions = new Set<string>();
  const plugins = new Set<string>();
  const options = new Set<string>();
  const variableSections = new Set<string>();
  let prepend = false;
  for (const { type, enabled, unmet, options: settings } of profile.units) {
    if (!enabled || unmet !== undefined) continue;
    plugins.add(type);
    for (const [option, { raw = "" }] of settings) {
      options.add(`${type}.${option}`);
      addCalls(raw, functions);
    }
  }
  for (const { sections } of texts)
    for (const { name, options: written } of sections)
      for (const { key, value } of written) {
        addCalls(value, functions);
        if (key === "prepend") prepend = true;
        if (key === "type" && value === "variables" && name !== "variables") variableSections.add(name);
      }
  return { functions, plugins, options, prepend, variableSections };
}

/** A backslash before `${f:` keeps TuneD from calling the function. */
function addCalls(text: string, functions: Set<string>): void {
  for (const [, name = ""] of text.matchAll(/(?<!\\)\$\{f:([\p{L}\p{N}_]+)/gu)) functions.add(name);
}

/** Names what the profile uses and this version of TuneD does not have. */
export function lackedBy(version: string, used: UsedFeatures): string[] {
  const older = isOlder(version);
  const { functions, plugins, options } = newSince220;
  const lacksFunction = (name: string): boolean => !builtIns.has(name) || (older && functions.has(name));
  const lacksPlugin = (name: string): boolean => !tunedPlugins.has(name) || (older && plugins.has(name));
  const lacking = [
    ...[...used.functions].filter(lacksFunction).map((name) => `function ${name}`),
    ...[...used.plugins].filter(lacksPlugin).map((name) => `plug-in ${name}`),
  ];
  if (!older) return lacking;
  return [
    ...lacking,
    ...[...used.options].filter((name) => options.has(name)).map((name) => `option ${name}`),
    // 2.20 takes the slash of net.ipv4.conf.eth0/100.forwarding for one of the path.
    ...[...used.options].filter((name) => /^sysctl\..*\/./.test(name)).map((name) => `names such as ${name}`),
    ...(used.prepend ? ["prepend for variables"] : []),
    ...[...used.variableSections].map((name) => `variables in a section [${name}]`),
  ];
}
