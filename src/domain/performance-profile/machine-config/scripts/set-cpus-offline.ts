/** Takes the CPUs in `OFFLINE_CPUS`, a comma-separated list, offline: all of them, or none if one has no switch. */
export const setCpusOffline = `#!/bin/sh
set -euf

cpus=\${ATTUNE_ROOT:-}/sys/devices/system/cpu
IFS=,

missing=
for cpu in \${OFFLINE_CPUS:-}; do
  [ -e "$cpus/cpu$cpu/online" ] || missing="\${missing:+$missing,}$cpu"
done
if [ -n "$missing" ]; then
  echo "no CPU was switched off, because some are not there or have no switch: $missing" >&2
  exit 1
fi

refused=
for cpu in \${OFFLINE_CPUS:-}; do
  echo 0 >"$cpus/cpu$cpu/online" || refused="\${refused:+$refused,}$cpu"
done
if [ -n "$refused" ]; then
  echo "the kernel keeps CPUs running: $refused" >&2
  exit 1
fi
`;
