/**
 * A simulated node: sysctls, devices, interrupts and boot files are copies or made up, and programs that would change a
 * real disk, service or kernel module only record that they were called. Shell, run within a machine.
 */
export const fakeNode = `
put() { mkdir -p "$(dirname "$1")"; printf '%s\\n' "$2" >"$1"; }

# Sysctls: a copy, since many are the whole kernel's.
mkdir -p /mnt/node/proc-sys
for part in fs kernel net vm; do cp -r --no-preserve=all /proc/sys/$part /mnt/node/proc-sys/ 2>/dev/null || true; done
rm -rf /mnt/node/proc-sys/net/netfilter
mount --bind /mnt/node/proc-sys /proc/sys

# Interrupts.
for irq in 1 8 9; do put /mnt/node/irq/$irq/smp_affinity 3; done
put /mnt/node/irq/default_smp_affinity 3
mount --bind /mnt/node/irq /proc/irq
printf '           CPU0       CPU1\\n  1:  0 0 IO-APIC 1-edge i8042\\n  8:  1 0 IO-APIC 8-edge rtc0\\n  9:  0 0 IO-APIC 9-fasteoi acpi\\n' >/mnt/interrupts
mount --bind /mnt/interrupts /proc/interrupts

# Devices.
sys=/mnt/node/sys
for n in 0 1; do
  cpu=$sys/devices/system/cpu/cpu$n
  put $cpu/uevent ''
  put $cpu/topology/physical_package_id 0
  put $cpu/topology/core_id $n
  put $cpu/power/pm_qos_resume_latency_us 0
  put $cpu/power/energy_perf_bias 6
  put $cpu/cpuidle/state0/name POLL
  put $cpu/cpuidle/state0/latency 0
  put $cpu/cpuidle/state1/name C1
  put $cpu/cpuidle/state1/latency 2
  put $cpu/cpufreq/scaling_governor powersave
  put $cpu/cpufreq/scaling_available_governors 'performance powersave ondemand'
  policy=$sys/devices/system/cpu/cpufreq/policy$n
  put $policy/energy_performance_preference balance_performance
  put $policy/energy_performance_available_preferences 'default performance balance_performance balance_power power'
  mkdir -p $sys/bus/cpu/devices
  ln -s ../../../../bus/cpu $cpu/subsystem
  ln -s ../../../devices/system/cpu/cpu$n $sys/bus/cpu/devices/cpu$n
done
put $sys/devices/system/cpu/cpu1/online 1
for list in online present possible; do put $sys/devices/system/cpu/$list 0-1; done
put $sys/devices/system/cpu/intel_pstate/min_perf_pct 20
put $sys/devices/system/cpu/intel_pstate/max_perf_pct 90
put $sys/devices/system/cpu/intel_pstate/no_turbo 0

disk=$sys/devices/pci0000:00/host0/target0:0:0/0:0:0:0
mkdir -p $sys/bus/scsi/devices $sys/class/block $sys/class/scsi_host $sys/block
put $disk/uevent DEVTYPE=scsi_device
ln -s ../../../../../bus/scsi $disk/subsystem
put $disk/block/sda/uevent "$(printf 'MAJOR=8\\nMINOR=0\\nDEVNAME=sda\\nDEVTYPE=disk')"
put $disk/block/sda/removable 0
put $disk/block/sda/queue/scheduler 'none [mq-deadline] bfq'
put $disk/block/sda/queue/read_ahead_kb 128
put $disk/block/sda/queue/iosched/quantum 8
put $disk/block/sda/stat '1 0 8 0 1 0 8 0 0 0 0'
ln -s ../../../../../../../class/block $disk/block/sda/subsystem
ln -s ../../devices/pci0000:00/host0/target0:0:0/0:0:0:0/block/sda $sys/class/block/sda
ln -s ../devices/pci0000:00/host0/target0:0:0/0:0:0:0/block/sda $sys/block/sda
host=$sys/devices/pci0000:00/host0
put $host/uevent DEVTYPE=scsi_host
ln -s ../../../bus/scsi $host/subsystem
ln -s ../../../devices/pci0000:00/host0 $sys/bus/scsi/devices/host0
put $host/scsi_host/host0/uevent ''
put $host/scsi_host/host0/link_power_management_policy max_performance
ln -s ../../../../../class/scsi_host $host/scsi_host/host0/subsystem
ln -s ../../devices/pci0000:00/host0/scsi_host/host0 $sys/class/scsi_host/host0

put $sys/kernel/mm/transparent_hugepage/enabled 'always [madvise] never'
put $sys/kernel/mm/transparent_hugepage/defrag 'always defer [madvise] never'
put $sys/kernel/mm/ksm/run 0
put $sys/module/nf_conntrack/parameters/hashsize 65536
queue=$sys/devices/virtual/workqueue
put $queue/cpumask 3
put $queue/writeback/cpumask 3
put $queue/writeback/numa 1
mkdir -p $sys/bus/workqueue/devices $sys/class/net
ln -s ../../../devices/virtual/workqueue/writeback $sys/bus/workqueue/devices/writeback
put $sys/devices/system/machinecheck/machinecheck0/ignore_ce 0
mount --bind $sys /sys

# Boot files.
mkdir -p /mnt/node/boot/grub /var/lib/tuned
printf '### BEGIN /etc/grub.d/00_header ###\\n### END /etc/grub.d/00_header ###\\nmenuentry x {\\n\\tlinux /vmlinuz root=/dev/sda1 ro\\n\\tinitrd /initrd.img\\n}\\n' >/mnt/node/boot/grub/grub.cfg
mount --bind /mnt/node/boot /boot
printf 'IRQBALANCE_BANNED_CPUS=\n' >/etc/default/irqbalance
printf 'GRUB_CMDLINE_LINUX=""\\n' >/etc/default/grub
mount -t tmpfs none /var/lib/tuned
mkdir /mnt/node/latency && : >/mnt/node/latency/cpu_dma_latency
if [ -e /dev/cpu_dma_latency ]; then mount --bind /mnt/node/latency/cpu_dma_latency /dev/cpu_dma_latency; fi
# As TuneD is shipped since 2.28; the native engine tunes nothing by load.
sed -i 's/^dynamic_tuning.*/dynamic_tuning = 0/' /etc/tuned/tuned-main.conf

# Programs that would reach something real.
mount -t tmpfs none /usr/local/sbin
program() { printf '#!/bin/sh\\necho "%s $*" >>/run/programs\\n%s\\n' "$1" "$2" >/usr/local/sbin/$1; chmod +x /usr/local/sbin/$1; }
program systemctl 'case $1 in is-system-running) echo running;; is-active) echo active;; is-enabled) echo enabled;; esac; exit 0'
program hdparm 'exit 1'
program modprobe ''
program modinfo ''
program x86_energy_perf_policy 'exit 1'
program virt-what ''
program dmidecode ''
program update-grub ''
program mount 'exit 1'
program tuna ''
program dracut ''
program cpio 'cat; echo'
`;
