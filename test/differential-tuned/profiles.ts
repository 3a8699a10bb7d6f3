/** Profiles for behaviour that those of TuneD do not cover. */
export const profiles: Record<string, string> = {
  modifiers: `
[sysctl]
vm.swappiness=>10
kernel.pid_max=<32768
net.core.somaxconn = >70000
net.ipv4.ip_local_port_range="1024 65000"
net.ipv4.nosuch=1
[disk]
readahead=>64
`,
  "one-file-twice": `
[sysctl]
vm.swappiness=11
[later]
type=sysctl
vm.swappiness=12
[sysfs]
/sys/kernel/mm/ksm/run=1
[again]
type=sysfs
/sys/kernel/mm/ksm/r*=2
`,
  order: `
[first]
type=sysctl
priority=10
vm.swappiness=21
[second]
type=sysctl
priority=-5
vm.swappiness=22
`,
  language: `
[main]
include=modifiers
[variables]
cpus=0-1
mask=\${f:cpulist2hex:\${cpus}}
swap=\${f:regex_search_ternary:\${mask}:3:31:32}
[sysctl]
vm.swappiness=\${swap}
kernel.sched_rt_runtime_us=-1
[sysfs]
/sys/devices/virtual/workqueue/cpumask=\${f:cpulist2hex:1}
/sys/outside/../kernel/mm/ksm/run=1
`,
  devices: `
[cpu]
devices=cpu1
governor=ondemand|performance
energy_performance_preference=performance
pm_qos_resume_latency_us=100
[disk]
devices=sd*,!sdb
elevator=bfq
readahead=256 s
[scsi_host]
alpm=min_power
[vm]
transparent_hugepages=never
transparent_hugepage.defrag=always
`,
  boot: `
[bootloader]
cmdline_base=+quiet isolcpus=1
cmdline_less=-quiet
cmdline_more=nohz=on nohz=on
[modules]
loop=max_loop=16
[irqbalance]
banned_cpus=1
[systemd]
cpu_affinity=0
`,
  "shell-words": `
[bootloader]
cmdline=a=\\$x
`,
};
