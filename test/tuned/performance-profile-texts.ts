/** The TuneD profiles of a performance profile: isolated CPUs 2-7, on Intel. */
export interface Rendered {
  name: string;
  perPodPower?: boolean;
  hugepages?: boolean;
}

export function renderedProfiles({ name, perPodPower = false, hugepages = false }: Rendered): Record<string, string> {
  return {
    [`openshift-node-performance-${name}`]: `[main]
summary=onp
include=openshift-node,cpu-partitioning\${f:regex_search_ternary:\${f:exec:uname:-r}:rt:,openshift-node-performance-rt-${name}:};openshift-node-performance-\${f:lscpu_check:Vendor ID\\:\\s*GenuineIntel:intel-x86:Vendor ID\\:\\s*AuthenticAMD:amd-x86:Architecture\\:\\s*aarch64:arm-aarch64}-${name}
[variables]
isolated_cores=2-7
[cpu]
${perPodPower ? "enabled=false" : "force_latency=cstate.id:1|3\ngovernor=performance"}
[service]
service.fwupd-refresh.timer=stop,disable
service.stalld=stop,disable
[vm]
transparent_hugepages=never
[irqbalance]
enabled=false
[scheduler]
group.ksoftirqd=0:f:11:*:ksoftirqd.*
group.rcuc=0:f:11:*:rcuc.*
group.ktimers=0:f:11:*:ktimers.*
default_irq_smp_affinity=ignore
irq_process=false
[sysctl]
kernel.timer_migration=1
vm.dirty_ratio=10
vm.dirty_background_ratio=3
[bootloader]
initrd_remove_dir=
initrd_dst_img=
initrd_add_dir=
cmdline_cpu_part=+nohz=on rcu_nocbs=\${isolated_cores} tuned.non_isolcpus=\${not_isolated_cpumask} systemd.cpu_affinity=\${not_isolated_cores_expanded}
cmdline_cpu_part_nohzfull=+nohz_full=\${isolated_cores}
cmdline_cpu_tuning=+skew_tick=1
cmdline_iommu=
cmdline_isolation=+isolcpus=managed_irq,\${isolated_cores}
${hugepages ? "cmdline_hugepages=+ default_hugepagesz=1G hugepagesz=1G hugepages=4\n" : ""}`,
    [`openshift-node-performance-intel-x86-${name}`]: `[main]
summary=what Intel's need
[bootloader]
cmdline_iommu_intel=intel_iommu=on iommu=pt
cmdline_pstate=intel_pstate=${perPodPower ? "passive" : "${f:intel_recommended_pstate}"}
`,
  };
}
