/** Allocates huge pages on one NUMA node: `HUGEPAGES_COUNT` of `HUGEPAGES_SIZE` KiB on `NUMA_NODE`. */
export const hugepagesAllocation = `#!/bin/sh
set -eu

tries=60
what="huge pages of $HUGEPAGES_SIZE KiB on NUMA node $NUMA_NODE"
node=\${ATTUNE_ROOT:-}/sys/devices/system/node/node$NUMA_NODE
pages=$node/hugepages/hugepages-\${HUGEPAGES_SIZE}kB/nr_hugepages

if [ ! -e "$pages" ]; then
  echo "there can be no $what: $pages does not exist" >&2
  exit 1
fi

# The kernel gives what it finds at once. Asked again, it moves memory out of the way and finds more.
obtained=$(cat "$pages")
while [ "$obtained" != "$HUGEPAGES_COUNT" ]; do
  if [ "$tries" -eq 0 ]; then
    echo "obtained $obtained instead of $HUGEPAGES_COUNT $what; the kubelet will offer no others\${refusal:+: $refusal}" >&2
    exit 1
  fi
  tries=$((tries - 1))
  refusal=$({ echo "$HUGEPAGES_COUNT" >"$pages"; } 2>&1) || :
  obtained=$(cat "$pages")
  if [ "$obtained" != "$HUGEPAGES_COUNT" ]; then sleep 1; fi
done

echo "obtained $what: $obtained"
`;
