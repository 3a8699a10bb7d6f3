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

  "balanced-battery": `[main]
summary=Balance of power and performance on a battery
include=balanced

[cpu]
energy_performance_preference=balance_power
boost=1

[video]
panel_power_savings=1
`,

  default: `[main]
summary=Devices watched, and nothing set: the first default of TuneD

[cpu]

[disk]
`,

  desktop: `[main]
summary=Balance of power and performance, with a fair share of CPU time for each session
include=balanced

[sysctl]
kernel.sched_autogroup_enabled=1
`,

  "server-powersave": `[main]
summary=Server that saves power where that costs little

[cpu]
energy_performance_preference=balance_power

[disk]

[scsi_host]
alpm=med_power_with_dipm
`,

  "desktop-powersave": `[main]
summary=Desktop that saves power
include=server-powersave

[video]
radeon_powersave=dpm-battery, auto

[net]
`,

  "laptop-ac-powersave": `[main]
summary=Laptop that saves power while it is plugged in
include=desktop-powersave

[script]
script=\${i:PROFILE_DIR}/script.sh
`,

  "laptop-battery-powersave": `[main]
summary=Laptop on a battery: an earlier name of powersave
include=powersave
`,

  "spindown-disk": `[main]
summary=Rotating disks that stand still for long: written rarely, spun down soon

[disk]
apm=128
spindown=6

[scsi_host]
alpm=med_power_with_dipm

[vm]
dirty_bytes=60%

[sysctl]
vm.dirty_writeback_centisecs=6000
vm.dirty_expire_centisecs=9000
vm.swappiness=30

[script]
script=\${i:PROFILE_DIR}/script.sh
`,
};
