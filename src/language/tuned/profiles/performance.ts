/** Profiles for latency, throughput, networks and virtual machines. */
export const performanceProfiles: Record<string, string> = {
  "latency-performance": `[main]
summary=Low latency at the cost of power: shallow idle states, full clock, little dirty memory

[cpu]
force_latency=cstate.id_no_zero:1|3
governor=performance
energy_perf_bias=performance
min_perf_pct=100
boost=1

[acpi]
platform_profile=performance

[vm]
dirty_bytes=10%
dirty_background_bytes=3%

[sysctl]
vm.swappiness=10

[video]
panel_power_savings=0
`,

  "network-latency": `[main]
summary=Low network latency: polling sockets, less background work of the kernel
include=latency-performance

[vm]
transparent_hugepages=never

[sysctl]
net.core.busy_read=50
net.core.busy_poll=50
net.ipv4.tcp_fastopen=3
kernel.numa_balancing=0
kernel.hung_task_timeout_secs=600
kernel.nmi_watchdog=0
vm.stat_interval=10
kernel.timer_migration=0

[bootloader]
cmdline_network_latency=skew_tick=1 tsc=reliable rcupdate.rcu_normal_after_boot=1 rcutree.nohz_full_patience_delay=1000

[rtentsk]

[selinux]
avc_cache_threshold=8192
`,

  "throughput-performance": `[main]
summary=High throughput: full clock, much dirty memory, long read-ahead

[variables]
# On these cores, huge pages and NUMA balancing cost more than they gain.
thunderx_cpuinfo_regex=CPU part\\s+:\\s+(0x0?516)|(0x0?af)|(0x0?a[0-3])|(0x0?b8)\\b

[cpu]
governor=performance
energy_perf_bias=performance
min_perf_pct=100
energy_performance_preference=performance
boost=1

[acpi]
platform_profile=performance

[vm]
dirty_bytes=40%
dirty_background_bytes=10%

[vm.thunderx]
type=vm
uname_regex=aarch64
cpuinfo_regex=\${thunderx_cpuinfo_regex}
transparent_hugepages=never

[disk]
readahead=>4096

[sysctl]
vm.swappiness=10
net.core.somaxconn=>2048

[sysctl.thunderx]
type=sysctl
uname_regex=aarch64
cpuinfo_regex=\${thunderx_cpuinfo_regex}
kernel.numa_balancing=0

[video]
panel_power_savings=0
`,

  "network-throughput": `[main]
summary=High network throughput: large windows that stay large when idle
include=throughput-performance

[sysctl]
net.ipv4.tcp_notsent_lowat=131072
net.ipv4.tcp_slow_start_after_idle=0
net.ipv4.tcp_rmem="4096 131072 16777216"
net.ipv4.tcp_wmem="4096 16384 16777216"
`,

  "virtual-guest": `[main]
summary=High throughput inside a virtual machine: less dirty memory, because the host caches too
include=throughput-performance

[vm]
dirty_bytes=30%

[sysctl]
vm.swappiness=30
`,

  "virtual-host": `[main]
summary=High throughput of virtual machines on this host: dirty memory written sooner, shallow idle states
include=throughput-performance

[vm]
dirty_background_bytes=5%

[cpu]
force_latency=cstate.id_no_zero:3|70
`,
};
