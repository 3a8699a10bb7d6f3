import { type CpuSet, formatRanges } from "../../../../language/cpu/cpu-set.ts";
import type { ProfileFacts } from "../../profile-facts.ts";
import { ovsSlice } from "../open-vswitch.ts";

/** Creates a cgroup with exclusive CPUs for the poll-mode threads of OVS-DPDK. */
export function ovsDpdkCpusConfigure(cpus: CpuSet, partition: ProfileFacts["ovsDpdkPartition"]): string {
  return `#!/bin/sh
set -eu

cpus='${formatRanges(cpus)}'
slice=\${ATTUNE_ROOT:-}/sys/fs/cgroup/${ovsSlice}
service=$slice/ovs-vswitchd.service
threads=$service/ovsdpdk.slice

if [ -z "$cpus" ]; then
  echo "nothing to do: OVS-DPDK has no CPUs of its own"
  exit 0
fi
if [ ! -d "$slice" ]; then
  echo "$slice does not exist: control groups must be of version 2, and Open vSwitch must run" >&2
  exit 1
fi
if [ ! -d "$service" ]; then
  echo "$service does not exist: is ovs-vswitchd running?" >&2
  exit 2
fi

echo '+cpuset +cpu +pids' >"$service/cgroup.subtree_control"
mkdir -p "$threads"
echo threaded >"$threads/cgroup.type"

# A group can keep to itself only what the group above it keeps.
for group in "$slice" "$service" "$threads"; do
  echo "$cpus" >"$group/cpuset.cpus.exclusive"
done

echo ${partition} >"$threads/cpuset.cpus.partition"
outcome=$(cat "$threads/cpuset.cpus.partition")
case $outcome in
  *invalid*)
    echo "the kernel does not let OVS-DPDK have the CPUs $cpus for itself: $outcome" >&2
    exit 3
    ;;
esac
`;
}
