export const openshiftNode = `[main]
summary=A node that runs workloads
include=openshift

[sysctl]
net.ipv4.tcp_fastopen=3
fs.inotify.max_user_watches=65536
fs.inotify.max_user_instances=8192
`;
