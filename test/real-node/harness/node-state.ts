import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";

/** What a profile can change in a kernel: the value of each file. */
export type NodeState = ReadonlyMap<string, string>;

/** Every writable sysctl, and the files of devices that the plug-ins of TuneD write. */
const readAll = `
find /proc/sys -type f -perm -600 -print0 2>/dev/null | xargs -0 grep -sH ""
grep -sH "" /sys/kernel/mm/transparent_hugepage/enabled /sys/kernel/mm/transparent_hugepage/defrag \
  /sys/kernel/mm/ksm/run /sys/block/*/queue/read_ahead_kb /sys/block/*/queue/scheduler /sys/block/*/queue/nr_requests \
  /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor /sys/devices/system/cpu/cpu*/online \
  /sys/devices/system/cpu/cpu*/power/pm_qos_resume_latency_us /sys/bus/workqueue/devices/*/cpumask \
  /sys/class/net/*/queues/rx-*/rps_cpus /proc/irq/*/smp_affinity /proc/irq/default_smp_affinity
true
`;

/** Counters, and settings of interfaces that come and go with pods. */
const changing =
  /^\/proc\/sys\/(kernel\/(ns_last_pid|random\/|perf_event_max_sample_rate)|fs\/(binfmt_misc|mqueue)|net\/ipv[46]\/(conf|neigh)\/(veth|cni))|^\/sys\/class\/net\/(veth|cni)/;

/** `enter`: the words that run a program on a machine. Default: this one. */
export function readNodeState(enter: readonly string[] = []): NodeState {
  const words = [...enter, "sh", "-c", readAll];
  const output = execFileSync("env", words, { encoding: "utf8", maxBuffer: 64 << 20 });
  const state = new Map<string, string>();
  for (const line of output.split("\n")) {
    const [, path = "", value = ""] = /^([^:]+):(.*)$/.exec(line) ?? [];
    if (path === "" || changing.test(path)) continue;
    const before = state.get(path);
    state.set(path, before === undefined ? value : `${before}\n${value}`);
  }
  return state;
}

/** The files whose value differs, as `path: before → after`. */
export function differences(before: NodeState, after: NodeState): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths]
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => `${path}: ${before.get(path)} → ${after.get(path)}`)
    .sort();
}

/** Writes back every value of this machine that differs. */
export function restoreNodeState(before: NodeState): void {
  const now = readNodeState();
  for (const [path, value] of before) {
    if (now.get(path) === value || !now.has(path)) continue;
    // Of a choice such as `always [madvise] never`, the one in brackets is in force.
    const [, chosen] = /\[([^\]]+)\]/.exec(value) ?? [];
    try {
      writeFileSync(path, chosen ?? value);
    } catch (error) {
      console.log(`restore ${path} to ${value}: ${String(error)}`);
    }
  }
}
