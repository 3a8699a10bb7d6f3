import { type CpuSet, formatRanges, formatUnpacked, union } from "../../../language/cpu/cpu-set.ts";
import { pythonDifference } from "../../../language/cpu/python-set.ts";
import { tunedProfileName } from "../names.ts";
import type { ProfileFacts } from "../profile-facts.ts";
import { bootLoader } from "./boot-loader.ts";
import { networkCards } from "./network-cards.ts";
import { formatProfile, type Section, when } from "./section.ts";

/** The text of the TuneD profile that nodes get. */
export function mainProfile(facts: ProfileFacts): string {
  const { hints, irqsBanned } = facts;
  return formatProfile([
    {
      name: "main",
      why: "The node picks by itself what its kernel and its processor need.",
      options: [
        ["summary", `Latency-critical work on CPUs of its own, as PerformanceProfile ${facts.name} says`],
        ["include", includes(facts.name)],
      ],
    },
    {
      name: "variables",
      why: "Workloads have these CPUs for themselves; everything else runs on the others.",
      options: [
        ["isolated_cores", formatRanges(isolatedCpus(facts))],
        ["not_isolated_cores_expanded", notIsolated(facts)],
        // cpu-partitioning refuses isolated CPUs that are offline. One that the profile had switched off is online after the boot;
        // one that the machine does not have is refused still.
        ["isolated_cores_online_expanded", "${f:cpulist_present:${isolated_cores}}"],
      ],
    },
    power(hints.perPodPowerManagement),
    {
      name: "service",
      why: hints.realTime
        ? "stalld lets a thread run that a busy real-time one keeps waiting; fwupd would only disturb."
        : "Nothing here needs stalld's help; fwupd would only disturb.",
      options: [
        ["service.fwupd-refresh.timer", "stop,disable"],
        ["service.stalld", hints.realTime ? "start,enable" : "stop,disable"],
      ],
    },
    {
      name: "vm",
      why: "Making huge pages of small ones stops whoever uses them.",
      options: [["transparent_hugepages", "never"]],
    },
    ...(irqsBanned
      ? []
      : [
          { name: "irqbalance", why: "CRI-O bans CPUs pod by pod.", options: [["enabled", "false"]] } satisfies Section,
        ]),
    {
      name: "scheduler",
      why: "The kernel's own threads go before workloads; processes are placed by the kubelet, not from here.",
      options: [
        ["runtime", "0"],
        ["group.ksoftirqd", "0:f:11:*:ksoftirqd.*"],
        ["group.rcuc", "0:f:11:*:rcuc.*"],
        ["group.ktimers", "0:f:11:*:ktimers.*"],
        ...when(!irqsBanned, ["default_irq_smp_affinity", "ignore"], ["irq_process", "false"]),
      ],
    },
    {
      name: "sysctl",
      why: "Fewer periodic jobs of the kernel, and memory written back in small portions.",
      options: [
        ...when(
          hints.realTime,
          ["kernel.hung_task_timeout_secs", "600"],
          ["kernel.nmi_watchdog", "0"],
          ["kernel.sched_rt_runtime_us", "-1"],
          ["vm.stat_interval", "10"],
        ),
        ["net.ipv4.tcp_fastopen", "3"],
        ["vm.dirty_ratio", "10"],
        ["vm.dirty_background_ratio", "3"],
        ["vm.swappiness", "10"],
        ["kernel.timer_migration", "1"],
      ],
    },
    {
      name: "selinux",
      why: "Many containers, many decisions to remember.",
      options: [["avc_cache_threshold", "8192"]],
    },
    ...networkCards(facts),
    bootLoader(facts),
    {
      name: "rtentsk",
      why: "Holds a socket open that wants timestamps: the kernel would patch itself on every CPU with the first one.",
      options: [],
    },
    ...frequencyLimits(facts),
  ]);
}

/** The CPUs of OVS-DPDK are isolated as well: its threads never leave them. */
export function isolatedCpus({ cpus }: ProfileFacts): CpuSet {
  return union(cpus.isolated.cpus, cpus.ovsDpdk?.cpus ?? []);
}

/**
 * CPUs that are not isolated after the boot that the boot arguments are made for: others would need another boot. TuneD's function
 * inverts among CPUs that are online now, so CPUs that the machine config switches off are named, and if a CPU is offline that the
 * system gets, the function's result after that boot is written instead.
 */
function notIsolated(facts: ProfileFacts): string {
  const { reserved, shared, offlined } = facts.cpus;
  const isolated = isolatedCpus(facts);
  const system = union(reserved.cpus, shared?.cpus ?? []);
  const excluded = union(isolated, offlined?.cpus ?? []);
  const switchedOff = offlined?.cpus.length ? `,${formatRanges(offlined.cpus)}` : "";
  const now = `\${f:cpulist_invert:\${isolated_cores_expanded}${switchedOff}}`;
  const afterBoot = pythonDifference(union(system, isolated), excluded).join(",");
  return `\${f:regex_search_ternary:\${f:cpulist_online:${formatRanges(system)}}:${formatUnpacked(system)}:${now}:${afterBoot}}`;
}

function includes(profile: string): string {
  const realTime = `\${f:regex_search_ternary:\${f:exec:uname:-r}:rt:,${tunedProfileName(profile, "rt")}:}`;
  const vendor =
    "${f:lscpu_check:Vendor ID\\:\\s*GenuineIntel:intel:Vendor ID\\:\\s*AuthenticAMD:amd:Architecture\\:\\s*aarch64:arm}";
  const architecture = "${f:lscpu_check:Architecture\\:\\s*x86_64:x86:Architecture\\:\\s*aarch64:aarch64}";
  return `openshift-node,cpu-partitioning${realTime};\n${tunedProfileName(profile, `${vendor}-${architecture}`)}`;
}

function power(perPod: boolean): Section {
  if (perPod) return { name: "cpu", why: "Pods choose for their CPUs.", options: [["enabled", "false"]] };
  return {
    name: "cpu",
    why: "Waking from deep rest takes longer than a deadline leaves.",
    options: [
      ["force_latency", "cstate.id:1|3"],
      ["governor", "performance"],
      ["energy_perf_bias", "performance"],
      ["min_perf_pct", "100"],
    ],
  };
}

function frequencyLimits(facts: ProfileFacts): readonly Section[] {
  const { frequencies, cpus } = facts;
  if (!frequencies) return [];
  const limit = (kiloHertz: number) => (cpu: number) =>
    [`/sys/devices/system/cpu/cpufreq/policy${cpu}/scaling_max_freq`, `${kiloHertz}`] as const;
  return [
    {
      name: "sysfs",
      why: "No CPU runs faster than it may.",
      options: [
        ...isolatedCpus(facts).map(limit(frequencies.isolated)),
        ...cpus.reserved.cpus.map(limit(frequencies.reserved)),
      ],
    },
  ];
}
