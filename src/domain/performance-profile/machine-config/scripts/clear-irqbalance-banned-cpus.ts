/**
 * Makes irqbalance start without CPUs banned in an earlier life of the node, except those of OVS-DPDK: `OVS_DPDK_CPUS` is
 * their mask. Arguments: irqbalance's settings, and where CRI-O keeps the mask that it puts back when a pod has ended.
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
