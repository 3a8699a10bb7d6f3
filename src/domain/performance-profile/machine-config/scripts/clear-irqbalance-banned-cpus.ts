/**
 * Removes bans of CPUs from before the restart of the node from irqbalance's settings, except those of OVS-DPDK, whose mask is
 * `OVS_DPDK_CPUS`. Arguments: irqbalance's settings, and the file in which CRI-O saves the mask that it restores after a pod.
 */
export const clearIrqbalanceBannedCpus = `#!/bin/sh
set -eu

sysconfig=\${ATTUNE_ROOT:-}/etc/sysconfig
settings=\${1:-$sysconfig/irqbalance}
saved=\${2-$sysconfig/orig_irq_banned_cpus}
# irqbalance reads 32 bits at a time, with commas between them.
banned=$(echo "\${OVS_DPDK_CPUS:-0}" | sed -e ':more' -e 's/^\\([0-9a-f]\\{1,\\}\\)\\([0-9a-f]\\{8\\}\\)/\\1,\\2/' -e 'tmore')

if [ ! -f "$settings" ]; then
  echo "nothing to do: $settings does not exist"
  exit 0
fi

# Written beside and then moved, so that irqbalance finds the old settings or the new. The copy keeps owner and mode.
cp -p "$settings" "$settings.new"
{
  grep -v '^[[:blank:]]*IRQBALANCE_BANNED_CPUS' "$settings" || [ $? -eq 1 ]
  echo "IRQBALANCE_BANNED_CPUS=$banned"
} >"$settings.new"
mv -f "$settings.new" "$settings"

if [ -n "$saved" ] && [ -f "$saved" ]; then echo "$banned" >"$saved"; fi
`;
