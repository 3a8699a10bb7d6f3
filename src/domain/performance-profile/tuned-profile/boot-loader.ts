import { difference, formatRanges, union } from "../../../language/cpu/cpu-set.ts";
import type { CpuPools, ProfileFacts } from "../profile-facts.ts";
import { type Section, when } from "./section.ts";

/** Boot arguments of every node, whatever its processor. */
export function bootLoader(facts: ProfileFacts): Section {
  const { hints, hugepages, additionalKernelArgs, balanceIsolated, cpus } = facts;
  return {
    name: "bootloader",
    why: "Isolated CPUs run no timer tick, no RCU callback and no interrupt but a workload's own.",
    options: [
      // The included profile would build an initrd, which an image-based system does not allow.
      ["initrd_remove_dir", ""],
      ["initrd_dst_img", ""],
      ["initrd_add_dir", ""],
      [
        "cmdline_cpu_part",
        "+nohz=on rcu_nocbs=${isolated_cores} tuned.non_isolcpus=${not_isolated_cpumask} systemd.cpu_affinity=${not_isolated_cores_expanded}",
      ],
      ["cmdline_cpu_part_nohzfull", "+nohz_full=${isolated_cores}"],
      ["cmdline_cpu_tuning", "+skew_tick=1"],
      // Empty options are names that Tuneds of users may set.
      ["cmdline_iommu", ""],
      ["cmdline_isolation", `+isolcpus=${balanceIsolated ? "" : "domain,"}managed_irq,\${isolated_cores}`],
      ...when(
        hints.realTime,
        ["cmdline_realtime_nosoftlookup", "+nosoftlockup"],
        ["cmdline_realtime_common", "+rcutree.kthread_prio=11"],
      ),
      ...when(hints.highPowerConsumption, ["cmdline_power_performance", ""]),
      ...when(hints.highPowerConsumption && hints.realTime, ["cmdline_idle_poll", ""]),
      ...when(hugepages.defaultSize !== undefined, ["cmdline_hugepages", hugepageArguments(hugepages)]),
      ...when((cpus.ovsDpdk?.cpus.length ?? 0) > 0, ["cmdline_irqaffinity", `+irqaffinity=${irqCpus(cpus)}`]),
      ...when(additionalKernelArgs.length > 0, ["cmdline_additionalArg", `+${additionalKernelArgs.join(" ")}`]),
    ],
  };
}

/**
 * Pages of one NUMA node are allocated later, by a unit that writes to sysfs. The kernel creates these files only for sizes in
 * its arguments, and with a default of 1G it needs 2M to be named.
 */
export function hugepageArguments({ defaultSize, pages }: ProfileFacts["hugepages"]): string {
  const spread = pages.filter(({ node }) => node === undefined);
  const namesSmallSize =
    defaultSize === "1G" && pages.some(({ size }) => size === "2M") && !spread.some(({ size }) => size === "2M");
  return [
    `+ default_hugepagesz=${defaultSize}`,
    ...[...spread, ...(namesSmallSize ? [{ size: "2M", count: 0 }] : [])].map(
      ({ size, count }) => `hugepagesz=${size} hugepages=${count}`,
    ),
  ].join(" ");
}

/** All CPUs but those of OVS-DPDK, whose threads never leave them. */
function irqCpus({ isolated, reserved, shared, ovsDpdk }: CpuPools): string {
  const all = [isolated, reserved, shared].reduce(
    (cpus, pool) => union(cpus, pool?.cpus ?? []),
    [] as readonly number[],
  );
  return formatRanges(difference(all, ovsDpdk?.cpus ?? []));
}
