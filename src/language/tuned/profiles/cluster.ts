/** The forerunner of `openshift` exists for both kinds of machines. */
function atomic(kind: string, include: string): string {
  return `[main]
summary=Atomic Host, a host of containers, on a ${kind}
include=${include}

[selinux]
avc_cache_threshold=65536

[net]
nf_conntrack_hashsize=1048576

[sysctl]
kernel.pid_max=131072
net.netfilter.nf_conntrack_max=1048576
fs.inotify.max_user_watches=65536
`;
}

/** Profiles of cluster nodes and cloud instances. */
export const clusterProfiles: Record<string, string> = {
  openshift: `[main]
summary=Base of all cluster nodes: limits for many pods, connections and neighbours
include=\${f:virt_check:virtual-guest:network-throughput}

[selinux]
avc_cache_threshold=8192

[net]
nf_conntrack_hashsize=1048576

[sysctl]
kernel.pid_max=>4194304
fs.aio-max-nr=>1048576
net.netfilter.nf_conntrack_max=1048576
net.ipv4.conf.all.arp_announce=2
net.ipv4.neigh.default.gc_thresh1=8192
net.ipv4.neigh.default.gc_thresh2=32768
net.ipv4.neigh.default.gc_thresh3=65536
net.ipv6.neigh.default.gc_thresh1=8192
net.ipv6.neigh.default.gc_thresh2=32768
net.ipv6.neigh.default.gc_thresh3=65536
vm.max_map_count=262144

[sysfs]
# Network disks may be unreachable for long without being lost.
/sys/module/nvme_core/parameters/io_timeout=4294967295
/sys/module/nvme_core/parameters/max_retries=10

[scheduler]
# The kubelet places containers, and watching every process costs more than it gains.
cgroup_ps_blacklist=/kubepods\\.slice/
runtime=0
`,

  "openshift-node": `[main]
summary=Cluster node that runs workloads
include=openshift

[sysctl]
net.ipv4.tcp_fastopen=3
fs.inotify.max_user_watches=65536
fs.inotify.max_user_instances=8192
`,

  "openshift-control-plane": `[main]
summary=Cluster node that runs the control plane
include=openshift
`,

  "atomic-host": atomic("physical machine", "throughput-performance"),
  "atomic-guest": atomic("virtual machine", "virtual-guest"),

  aws: `[main]
summary=Instance of Amazon EC2: patient with network disks, names of interfaces as the kernel gives them
include=throughput-performance

[bootloader.thunderx]
type=bootloader
uname_regex=aarch64
cmdline=+iommu.strict=0

[bootloader]
cmdline=+net.ifnames=0 nvme_core.io_timeout=4294967295
`,
};
