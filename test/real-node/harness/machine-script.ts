/**
 * Run by `sh -c` with a folder, a name for control groups, a host name and an address. It prints `ready` when the
 * machine is set up. `bash` is the first process inside: it reaps processes that lost their parent.
 */
export const machineScript = `
set -e
for hierarchy in /sys/fs/cgroup/*/; do
  mkdir "$hierarchy$2"
  for file in cpuset.cpus cpuset.mems; do
    [ ! -e "$hierarchy$file" ] || cat "$hierarchy$file" >"$hierarchy$2/$file"
  done
  echo 0 >"$hierarchy$2/cgroup.procs"
done
exec unshare -m -n -p -i -u -C -f --kill-child --propagation private bash -c '
set -e
cd "$1"
mount -t tmpfs tmpfs layer
mkdir layer/upper layer/work
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/layer/upper,workdir=$1/layer/work" root
mount --bind layer "root$1/layer"
mount --bind data "root$1/data"
mount -t proc proc root/proc
mount -t sysfs sysfs root/sys
mount -t tmpfs tmpfs root/sys/fs/cgroup
for hierarchy in /sys/fs/cgroup/*; do
  name=\${hierarchy##*/}
  mkdir "root$hierarchy"
  case $name in
    unified) mount -t cgroup2 cgroup2 "root$hierarchy" ;;
    systemd) mount -t cgroup -o none,name=systemd cgroup "root$hierarchy" ;;
    *) mount -t cgroup -o "$name" cgroup "root$hierarchy" ;;
  esac
done
mount --rbind /dev root/dev
mount -t tmpfs tmpfs root/run
mount -t tmpfs tmpfs root/var/log
for folder in kubelet cni containerd; do
  mkdir -p "data/$folder" "root/var/lib/$folder"
  mount --bind "data/$folder" "root/var/lib/$folder"
done
rm -rf root/var/lib/attune root/var/lib/ocp-tuned root/usr/sbin/tuned
cd root
pivot_root . .
umount -l .
cd /
mount --make-rshared /
hostname "$3"
ip link set lo up
ip link add node0 type veth peer name node1
ip link set node1 up
ip link set node0 up
ip address add "$4/24" dev node0
ip route add default dev node0
echo 1 >/proc/sys/net/ipv4/ip_forward
[ ! -e /proc/sys/net/bridge ] || echo 1 >/proc/sys/net/bridge/bridge-nf-call-iptables
echo ready
sleep infinity & wait
' bash "$@"
`;
