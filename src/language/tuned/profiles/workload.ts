/** Profiles for databases, SAP, computing and storage. */
export const workloadProfiles: Record<string, string> = {
  "hpc-compute": `[main]
summary=Computing on many nodes: low latency, large pages, memory of the own NUMA node first
include=latency-performance

[vm]
transparent_hugepages=always

[disk]
readahead=>4096

[sysctl]
# Leaves the kernel enough free memory for network buffers of fast fabrics.
vm.min_free_kbytes=135168
vm.zone_reclaim_mode=1
kernel.numa_balancing=0
net.core.busy_read=50
net.core.busy_poll=50
net.ipv4.tcp_fastopen=3
`,

  "accelerator-performance": `[main]
summary=High throughput with accelerators: idle states that wake up within 99 microseconds

[cpu]
governor=performance
energy_perf_bias=performance
min_perf_pct=100
boost=1
force_latency=99

[acpi]
platform_profile=performance

[disk]
readahead=>4096

[vm]
dirty_bytes=40%
dirty_background_bytes=10%

[sysctl]
vm.swappiness=10

[scheduler]
sched_min_granularity_ns=10000000
sched_wakeup_granularity_ns=15000000

[video]
panel_power_savings=0
`,

  oracle: `[main]
summary=Oracle databases: large shared memory, many files, no huge pages behind the database's back
include=throughput-performance

[sysctl]
vm.swappiness=10
vm.dirty_expire_centisecs=500
vm.dirty_writeback_centisecs=100
kernel.shmmax=4398046511104
kernel.shmall=1073741824
kernel.shmmni=4096
kernel.sem=250 32000 100 128
fs.file-max=6815744
fs.aio-max-nr=1048576
net.ipv4.ip_local_port_range=9000 65499
net.core.rmem_default=262144
net.core.rmem_max=4194304
net.core.wmem_default=262144
net.core.wmem_max=1048576
kernel.panic_on_oops=1
kernel.numa_balancing=0

[vm]
dirty_background_bytes=3%
dirty_bytes=40%
transparent_hugepages=never
`,

  mssql: `[main]
summary=Microsoft SQL Server: huge pages, many memory maps, frequent writing back
include=throughput-performance

[cpu]
force_latency=5

[vm]
transparent_hugepages=always
dirty_background_bytes=3%
dirty_bytes=80%

[sysctl]
vm.swappiness=1
vm.dirty_expire_centisecs=500
vm.dirty_writeback_centisecs=100
vm.max_map_count=1600000
net.core.rmem_default=262144
net.core.rmem_max=4194304
net.core.wmem_default=262144
net.core.wmem_max=1048576
kernel.numa_balancing=0

[scheduler]
sched_latency_ns=60000000
sched_migration_cost_ns=500000
sched_min_granularity_ns=15000000
sched_wakeup_granularity_ns=2000000
`,

  postgresql: `[main]
summary=PostgreSQL: little dirty memory, no huge pages behind the database's back, shallow idle states
include=throughput-performance

[cpu]
force_latency=1

[vm]
transparent_hugepages=never
dirty_background_bytes=67108864
dirty_bytes=536870912

[sysctl]
vm.swappiness=3
kernel.sched_autogroup_enabled=0

[scheduler]
sched_min_granularity_ns=10000000
sched_migration_cost_ns=50000000
`,

  "sap-hana": `[main]
summary=SAP HANA: many semaphores, huge pages on request, idle states that wake up within 70 microseconds

[cpu]
force_latency=70
governor=performance
energy_perf_bias=performance
min_perf_pct=100
boost=1

[vm]
transparent_hugepages=madvise
dirty_bytes=40%
dirty_background_bytes=10%

[sysctl]
kernel.sem=32000 1024000000 500 32000
kernel.numa_balancing=0
vm.swappiness=10
`,

  "sap-hana-kvm-guest": `[main]
summary=SAP HANA inside a KVM guest: the guest polls before it halts, and reads the time-stamp counter
include=sap-hana

[modules]
cpuidle-haltpoll=+r force

[sysfs]
# After the module, which brings the last two files.
priority=10
/sys/devices/system/clocksource/clocksource0/current_clocksource=tsc
/sys/module/haltpoll/parameters/guest_halt_poll_ns=2400000
/sys/module/haltpoll/parameters/guest_halt_poll_grow_start=2400000

[bootloader]
cmdline_saphana=skew_tick=1
`,

  "sap-netweaver": `[main]
summary=SAP NetWeaver: shared memory without a limit, many semaphores and memory maps
include=throughput-performance

[sysctl]
kernel.sem=32000 1024000000 500 32000
kernel.shmall=18446744073692774399
kernel.shmmax=18446744073692774399
vm.max_map_count=2147483647
`,

  "spectrumscale-ece": `[main]
summary=IBM Spectrum Scale with erasure coding: disks without read-ahead
include=throughput-performance

[cpu]
governor=performance
energy_perf_bias=performance
min_perf_pct=100
boost=1

[vm]
dirty_bytes=40%
dirty_background_bytes=10%

[sysctl]
kernel.numa_balancing=1
vm.swappiness=10
net.ipv4.tcp_window_scaling=1
net.ipv4.tcp_timestamps=1

[scheduler]
sched_min_granularity_ns=10000000
sched_wakeup_granularity_ns=15000000

[disk-sas]
type=disk
devices=sd*
elevator=mq-deadline
readahead=0

[disk-nvme]
type=disk
devices=nvme*
elevator=none
readahead=0
`,

  "enterprise-storage": `[main]
summary=An earlier name of throughput-performance
include=throughput-performance
`,

  "intel-sst": `[main]
summary=Intel Speed Select: leaves the kernel's frequency driver on, beside a profile that turns it off

[bootloader]
cmdline_intel_sst=-intel_pstate=disable
`,

  "optimize-serial-console": `[main]
summary=Slow serial console: only errors are printed to it

[sysctl]
kernel.printk="4 4 1 7"
`,
};
