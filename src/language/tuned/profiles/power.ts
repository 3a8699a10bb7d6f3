/** Profiles that save power. */
export const powerProfiles: Record<string, string> = {
  balanced: `[main]
summary=Balance of power and performance: the default for an unknown machine

[modules]
cpufreq_conservative=+r

[cpu]
priority=10
governor=schedutil|ondemand|powersave
energy_perf_bias=normal
energy_performance_preference=balance_performance
boost=1

[acpi]
platform_profile=balanced

[audio]
timeout=10

[video]
radeon_powersave=dpm-balanced, auto
panel_power_savings=0

[disk]

[scsi_host]
alpm=med_power_with_dipm
`,

  powersave: `[main]
summary=Low power consumption

[cpu]
governor=schedutil|conservative|powersave
energy_perf_bias=powersave|power
energy_performance_preference=power
boost=0

[acpi]
platform_profile=low-power|quiet

[eeepc_she]

[vm]

[audio]
timeout=10

[video]
radeon_powersave=dpm-battery, auto
panel_power_savings=3

[disk]

[net]

[scsi_host]
alpm=med_power_with_dipm

[sysctl]
vm.dirty_writeback_centisecs=1500
kernel.nmi_watchdog=0

[script]
script=\${i:PROFILE_DIR}/script.sh
`,
};
