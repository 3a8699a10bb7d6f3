/** Keeps kernel work on the CPUs that are not isolated, and disables polling for machine checks. */
const workqueues = `/sys/bus/workqueue/devices/writeback/cpumask=\${not_isolated_cpumask}
/sys/devices/virtual/workqueue/cpumask=\${not_isolated_cpumask}
/sys/devices/virtual/workqueue/*/cpumask=\${not_isolated_cpumask}
/sys/devices/system/machinecheck/machinecheck*/ignore_ce=1`;

/** TuneD's idiom for "the name is defined": it compares the value with the unexpanded reference. */
function assertSet(name: string, assertion: string, message: string): string {
  return `${name}_assert_check=\\\\\${${name}}
${name}=\${${name}}
${assertion}=\${f:assertion_non_equal:${message}:\${${name}}:\${${name}_assert_check}}`;
}

const coresAreOnline = `assert2=\${f:assertion:isolated_cores contains online CPU(s):\${isolated_cores_expanded}:\${isolated_cores_online_expanded}}`;

interface VirtualRealtime {
  readonly kind: "host" | "guest";
  readonly summary: string;
  /** Ends the name of its `cmdline_` option. */
  readonly tag: string;
  /** Further tasks for `ps_blacklist`. */
  readonly others?: string;
  /** Further sections. */
  readonly rest?: string;
}

/** The profiles for a host of virtual machines and for a guest differ from realtime in the same way. */
function virtualRealtime({ kind, summary, tag, others = "", rest = "" }: VirtualRealtime): string {
  return `[main]
summary=${summary}
include=realtime

[variables]
include=/etc/tuned/realtime-virtual-${kind}-variables.conf
isolated_cores_assert_check=\\\\\${isolated_cores}
assert1=\${f:assertion_non_equal:isolated_cores are set:\${isolated_cores}:\${isolated_cores_assert_check}}
isolated_cores_expanded=\${f:cpulist_unpack:\${isolated_cores}}
isolated_cores_online_expanded=\${f:cpulist_online:\${isolated_cores}}
non_isolated_cores=\${f:cpulist_invert:\${isolated_cores}}
${coresAreOnline}

[scheduler]
group.ksoftirqd=0:f:2:*:^\\[ksoftirqd
group.ktimers=0:f:2:*:^\\[ktimers
group.rcuc=0:f:4:*:^\\[rcuc
group.rcub=0:f:4:*:^\\[rcub
group.ktimersoftd=0:f:3:*:^\\[ktimersoftd
ps_blacklist=^\\[ksoftirqd;^\\[ktimers;^\\[rcuc;^\\[rcub;^\\[ktimersoftd${others}
${rest}
[bootloader]
cmdline_${tag}=+nohz=on nohz_full=\${isolated_cores} rcu_nocbs=\${isolated_cores} irqaffinity=\${non_isolated_cores}
`;
}

/**
 * What cpu-partitioning adds to the initrd. TuneD's profile makes a new directory in /tmp each time it is loaded, and leaves it
 * there unless an image is made from it.
 */
export const initrdDirectory = "/run/attune/initrd";

/** Profiles for workloads with isolated CPUs. */
export const isolationProfiles: Record<string, string> = {
  "cpu-partitioning": `[main]
summary=Isolated CPUs for the workload, the others for the system
include=network-latency

[variables]
include=/etc/tuned/cpu-partitioning-variables.conf
${assertSet("isolated_cores", "assert1", "isolated_cores are set")}
tmpdir=${initrdDirectory}
isolated_cores_expanded=\${f:cpulist_unpack:\${isolated_cores}}
isolated_cpumask=\${f:cpulist2hex:\${isolated_cores_expanded}}
not_isolated_cores_expanded=\${f:cpulist_invert:\${isolated_cores_expanded}}
isolated_cores_online_expanded=\${f:cpulist_online:\${isolated_cores}}
not_isolated_cores_online_expanded=\${f:cpulist_online:\${not_isolated_cores_expanded}}
not_isolated_cpumask=\${f:cpulist2hex:\${not_isolated_cores_expanded}}
no_balance_cores=\${no_balance_cores}
no_balance_cores_expanded=\${f:cpulist_unpack:\${no_balance_cores}}
${coresAreOnline}
cmd_isolcpus=\${f:regex_search_ternary:\${no_balance_cores}:\\s*[0-9]: isolcpus=\${no_balance_cores}:}

[sysfs]
${workqueues}

[systemd]
cpu_affinity=\${not_isolated_cores_expanded}

[irqbalance]
banned_cpus=\${isolated_cores}

[script]
priority=5
script=\${i:PROFILE_DIR}/script.sh

[scheduler]
isolated_cores=\${isolated_cores}
ps_blacklist=.*pmd.*;.*PMD.*;^DPDK;.*qemu-kvm.*;^contrail-vroute$;^lcore-slave-.*;^rte_mp_handle$;^rte_mp_async$;^eal-intr-thread$

[bootloader]
priority=10
initrd_remove_dir=True
initrd_dst_img=tuned-initrd.img
initrd_add_dir=\${tmpdir}
cmdline_cpu_part=+nohz=on\${cmd_isolcpus} nohz_full=\${isolated_cores} rcu_nocbs=\${isolated_cores} tuned.non_isolcpus=\${not_isolated_cpumask} intel_pstate=disable nosoftlockup
`,

  "cpu-partitioning-powersave": `[main]
summary=Isolated CPUs for the workload, with idle states as deep as it tolerates
include=cpu-partitioning

[variables]
include=/etc/tuned/cpu-partitioning-powersave-variables.conf
${assertSet("isolated_cores", "assert1", "isolated_cores are set")}
${assertSet("max_power_state", "assert2", "max_power_state is set")}

[cpu]
force_latency=\${max_power_state}
no_turbo=\${no_turbo}

[bootloader]
cmdline_cpu_part=+nohz=on\${cmd_isolcpus} nohz_full=\${isolated_cores} rcu_nocbs=\${isolated_cores} tuned.non_isolcpus=\${not_isolated_cpumask} intel_pstate=passive nosoftlockup
`,

  realtime: `[main]
summary=Realtime: isolated CPUs, and no limit on the run time of realtime tasks
include=network-latency

[variables]
include=/etc/tuned/realtime-variables.conf
disable_pstate=\${f:cpuinfo_check:GenuineIntel:intel_pstate=disable:AuthenticAMD:amd_pstate=disable:}
${assertSet("isolated_cores", "assert1", "isolated_cores are set")}
not_isolated_cpumask=\${f:cpulist2hex_invert:\${isolated_cores}}
isolated_cores_expanded=\${f:cpulist_unpack:\${isolated_cores}}
isolated_cpumask=\${f:cpulist2hex:\${isolated_cores_expanded}}
isolated_cores_online_expanded=\${f:cpulist_online:\${isolated_cores}}
${coresAreOnline}
isolate_managed_irq=\${isolate_managed_irq}
managed_irq=\${f:regex_search_ternary:\${isolate_managed_irq}:\\b[y,Y,1,t,T]\\b:managed_irq,domain,:}

[net]
channels=combined \${f:check_net_queue_count:\${netdev_queue_count}}

[sysctl]
kernel.sched_rt_runtime_us=-1

[sysfs]
${workqueues}

[bootloader]
cmdline_realtime=+isolcpus=\${managed_irq}\${isolated_cores} \${disable_pstate} nosoftlockup

[irqbalance]
banned_cpus=\${isolated_cores}

[scheduler]
isolated_cores=\${isolated_cores}
`,

  "realtime-virtual-host": virtualRealtime({
    kind: "host",
    summary: "Realtime host of virtual machines",
    tag: "rvh",
    others: ";pmd;PMD;^DPDK;qemu-kvm",
    rest: `
[sysfs]
/sys/kernel/mm/ksm/run=2

[script]
script=\${i:PROFILE_DIR}/script.sh
`,
  }),

  "realtime-virtual-guest": virtualRealtime({
    kind: "guest",
    summary: "Realtime inside a virtual machine",
    tag: "rvg",
  }),
};
