import { difference, formatRanges, union } from "../../../language/cpu/cpu-set.ts";
import type { CpuPools, ProfileFacts } from "../profile-facts.ts";
import { type Section, when } from "./section.ts";

/** What every node of the profile boots with, whoever made its processor. */
export function bootLoader(facts: ProfileFacts): Section {
  const { hints, hugepages, additionalKernelArgs, balanceIsolated, cpus } = facts;
  return {
    name: "bootloader",
    why: "Isolated CPUs run no timer tick, no RCU callback and no interrupt but a workload's own.",
    options: [
      // The parent would build an initial RAM disk, which an image-based system does not let it.
      ["initrd_remove_dir", ""],
      ["initrd_dst_img", ""],
      ["initrd_add_dir", ""],
      [
        "cmdline_cpu_part",
        "+nohz=on rcu_nocbs=${isolated_cores} tuned.non_isolcpus=${not_isolated_cpumask} systemd.cpu_affinity=${not_isolated_cores_expanded}",
      ],
      ["cmdline_cpu_part_nohzfull", "+nohz_full=${isolated_cores}"],
      ["cmdline_cpu_tuning", "+skew_tick=1"],
      // Empty ones are names that users' own Tuneds, which refine this one, may fill.
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
 * Pages of one NUMA node are set aside later, by a unit that writes to sysfs. The kernel makes the files for them only
 * for sizes it heard of, and where the default is 1G it does not hear of 2M unless it is named.
 */
export function hugepageArguments({ defaultSize, pages }: ProfileFacts["hugepages"]): string {
  const spread = pages.filter(({ node }) => node === undefined);
  const namesTheSmall =
    defaultSize === "1G" && pages.some(({ size }) => size === "2M") && !spread.some(({ size }) => size === "2M");
  return [
    `+ default_hugepagesz=${defaultSize}`,
    ...[...spread, ...(namesTheSmall ? [{ size: "2M", count: 0 }] : [])].map(
      ({ size, count }) => `hugepagesz=${size} hugepages=${count}`,
    ),
  ].join(" ");
}

/** Interrupts may go everywhere but to the threads of OVS-DPDK, which never leave their CPUs. */
function irqCpus({ isolated, reserved, shared, ovsDpdk }: CpuPools): string {
  const all = [isolated, reserved, shared].reduce(
    (cpus, pool) => union(cpus, pool?.cpus ?? []),
    [] as readonly number[],
  );
  return formatRanges(difference(all, ovsDpdk?.cpus ?? []));
}
