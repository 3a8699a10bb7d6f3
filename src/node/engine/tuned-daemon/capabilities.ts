/** What versions of TuneD know. Two were looked at: 2.20 (Debian 12) and 2.28. One between may lack what 2.20 lacks. */

export const oldestVersion = [2, 20] as const;
export const newestVersion = [2, 28] as const;

/** The parts of the language and the plug-ins that are in 2.28 and not in 2.20. */
export const laterFunctions: ReadonlySet<string> = new Set([
  "intel_recommended_pstate",
  "log",
  "lscpu_check",
  "package2cpus",
  "package2uncores",
]);

export const functions: ReadonlySet<string> = new Set([
  ...laterFunctions,
  "assertion",
  "assertion_non_equal",
  "calc_isolated_cores",
  "check_net_queue_count",
  "cpuinfo_check",
  "cpulist2devs",
  "cpulist2hex",
  "cpulist2hex_invert",
  "cpulist_invert",
  "cpulist_online",
  "cpulist_pack",
  "cpulist_present",
  "cpulist_unpack",
  "exec",
  "hex2cpulist",
  "kb2s",
  "regex_search_ternary",
  "s2kb",
  "strip",
  "virt_check",
]);

export const laterPlugins: ReadonlySet<string> = new Set(["acpi", "irq", "uncore"]);

export const plugins: ReadonlySet<string> = new Set([
  ...laterPlugins,
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

/** `plug-in.option` */
export const laterOptions: ReadonlySet<string> = new Set([
  "cpu.boost",
  "scheduler.irq_process",
  "scheduler.kthread_process",
  "scheduler.sched_base_slice_ns",
  "video.panel_power_savings",
  "vm.dirty_background_bytes",
  "vm.dirty_background_ratio",
  "vm.dirty_bytes",
  "vm.dirty_ratio",
]);

/** Plug-ins that the native engine leaves to TuneD. */
export const onlyInTuned: ReadonlySet<string> = new Set(["acpi", "audio", "eeepc_she", "uncore", "usb", "video"]);
