# A machine of its own: a card of two halves with queues, a disk in a file. $1: folder, $2: IRQs, then the program that tunes it.
set -eu
work=$1 irqs=$2
shift 2
mount --make-rprivate /
mount -t sysfs sysfs /sys
mount -t tmpfs tmpfs /run
mkdir -p /var/lib/attune
mount -t tmpfs tmpfs /var/lib/attune
ip link add perf0 numrxqueues 4 numtxqueues 4 type veth peer name perf1 numrxqueues 4 numtxqueues 4
ethtool -L perf0 rx 4 tx 4
# The kernel shows no device for it, so its folder is built from its queues and a device with IRQs.
mkdir -p "$work/net/perf0/device/msi_irqs" "$work/net/perf0/queues"
mount --bind /sys/class/net/perf0/queues "$work/net/perf0/queues"
for irq in $irqs; do touch "$work/net/perf0/device/msi_irqs/$irq"; done
mount --rbind "$work/net" /sys/class/net
truncate -s 16M "$work/disk"
loop=$(losetup --find --show "$work/disk")
queue=/sys/block/${loop#/dev/}/queue
trap 'cd /; umount "$work/mnt" 2>/dev/null || true; losetup -d "$loop"' EXIT
mke2fs -q "$loop"
mkdir "$work/mnt"
mount "$loop" "$work/mnt"
echo mq-deadline > "$queue/scheduler"
state() {
  for file in /sys/class/net/perf0/queues/*/rps_cpus /sys/class/net/perf0/queues/*/rps_flow_cnt /sys/class/net/perf0/queues/*/xps_cpus \
    /proc/sys/net/core/somaxconn /proc/sys/net/ipv4/tcp_max_syn_backlog /proc/sys/net/ipv4/tcp_mem; do
    [ ! -e "$file" ] || echo "$file=$(cat "$file" 2>&1)"
  done
  for irq in $irqs; do echo "/proc/irq/$irq/smp_affinity=$(cat /proc/irq/$irq/smp_affinity)"; done
  for name in scheduler nomerges write_cache; do echo "disk/$name=$(cat "$queue/$name")"; done
  ethtool -l perf0 | sed -n 's/^\(RX\|TX\|Combined\):[[:space:]]*/channels \1=/p' | tail -n 3
}
state > "$work/before"
export DIR="$work/mnt"
sh -euc "$1"
state > "$work/after"
[ $# -lt 2 ] || sh -euc "$2"
state > "$work/undone"
