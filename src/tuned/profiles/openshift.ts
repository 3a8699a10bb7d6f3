export const openshift = `[main]
summary=What every node of a cluster needs: room for many pods, connections and neighbours

[sysctl]
vm.swappiness=10
vm.max_map_count=262144
kernel.pid_max=>4194304
fs.aio-max-nr=>1048576
net.core.somaxconn=>2048
net.netfilter.nf_conntrack_max=1048576
net.ipv4.conf.all.arp_announce=2
net.ipv4.neigh.default.gc_thresh1=8192
net.ipv4.neigh.default.gc_thresh2=32768
net.ipv4.neigh.default.gc_thresh3=65536
net.ipv6.neigh.default.gc_thresh1=8192
net.ipv6.neigh.default.gc_thresh2=32768
net.ipv6.neigh.default.gc_thresh3=65536
`;
