import { ovsSlice } from "../open-vswitch.ts";

/**
 * With cgroup v1: restricts the system to the CPUs of process 1, and lets Open vSwitch run on all CPUs. With cgroup v2, systemd
 * does both.
 */
export const cpusetConfigure = `#!/bin/sh
set -eu

groups=\${ATTUNE_ROOT:-}/sys/fs/cgroup
root=$groups/cpuset

if [ -f "$groups/cgroup.controllers" ]; then
  echo "nothing to do: control groups are of version 2"
  exit 0
fi

all_cpus=$(cat "$root/cpuset.cpus")
all_memory=$(cat "$root/cpuset.mems")
system_cpus=$(sed -n 's/^Cpus_allowed_list:[[:blank:]]*//p' "\${ATTUNE_ROOT:-}/proc/1/status")
if [ -z "$system_cpus" ]; then
  echo "it is not known on which CPUs process 1 runs" >&2
  exit 1
fi

# Without memory and CPUs a group takes no process.
make_group() {
  mkdir -p "$root/$1"
  echo "$all_memory" >"$root/$1/cpuset.mems"
}

# Kernel threads that are bound to a CPU cannot be moved, and processes may have ended.
move() {
  while read -r process; do
    { echo "$process" >"$root/$1/cgroup.procs"; } 2>/dev/null || :
  done
}

# CPUs are balanced within groups only, or isolated ones would take part.
echo 0 >"$root/cpuset.sched_load_balance"

make_group system.slice
echo "$system_cpus" >"$root/system.slice/cpuset.cpus"
move system.slice <"$root/cgroup.procs"

# A group has no CPU that the one above it lacks: room is taken from below and given from above.
make_group machine.slice
for order in -depth ''; do
  find "$root/machine.slice" $order -name cpuset.cpus | while read -r cpus; do
    { echo "$system_cpus" >"$cpus"; } 2>/dev/null || [ -n "$order" ] || echo "$cpus stays as it is" >&2
  done
done

make_group ${ovsSlice}
echo 0 >"$root/${ovsSlice}/cpuset.sched_load_balance"
echo "$all_cpus" >"$root/${ovsSlice}/cpuset.cpus"
for processes in "$groups/pids/${ovsSlice}"/*/cgroup.procs; do
  if [ -f "$processes" ]; then move ${ovsSlice} <"$processes"; fi
done
`;
