import type { Setting } from "../../../../language/tuned/unit.ts";
import { wantedValue } from "../../wanted-value.ts";
import type { Observe, Step } from "../../plugin.ts";

const debug = "/sys/kernel/debug/sched";

/**
 * Files of a scheduler knob, of which the first that exists is used: sysctls until kernel 5.12, then debugfs. Kernel 6.6
 * renamed one and dropped two.
 */
const places: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ["sched_min_granularity_ns", [...placesOf("min_granularity_ns"), `${debug}/base_slice_ns`]],
  ["sched_base_slice_ns", [...placesOf("min_granularity_ns"), `${debug}/base_slice_ns`]],
  ["sched_latency_ns", placesOf("latency_ns")],
  ["sched_wakeup_granularity_ns", placesOf("wakeup_granularity_ns")],
  ["sched_tunable_scaling", placesOf("tunable_scaling")],
  ["sched_migration_cost_ns", placesOf("migration_cost_ns")],
  ["sched_nr_migrate", placesOf("nr_migrate")],
  ["numa_balancing_scan_delay_ms", numaPlacesOf("scan_delay_ms")],
  ["numa_balancing_scan_period_min_ms", numaPlacesOf("scan_period_min_ms")],
  ["numa_balancing_scan_period_max_ms", numaPlacesOf("scan_period_max_ms")],
  ["numa_balancing_scan_size_mb", numaPlacesOf("scan_size_mb")],
]);

const gone = new Set(["sched_latency_ns", "sched_wakeup_granularity_ns"]);

export function isKnob(option: string): boolean {
  return places.has(option);
}

export async function planKnob(option: string, { value, from }: Setting, observe: Observe): Promise<Step> {
  const about = { option, from };
  const paths = places.get(option) ?? [];
  for (const path of paths) {
    const file = await observe.host.read(path);
    if (file.type === "missing") continue;
    if (file.type === "failed")
      return { ...about, type: "impossible", message: `cannot read ${path}: ${file.message}${hint(path)}` };
    const before = file.text.trim();
    const wanted = wantedValue(value, path, before, observe).trim();
    return {
      ...about,
      type: wanted === before ? "same" : "change",
      target: path,
      before,
      value: wanted,
      actions: [{ type: "write", path, value: wanted }],
      undo: [{ type: "write", path, value: before, tolerate: ["ENOENT"] }],
    };
  }
  return gone.has(option)
    ? { ...about, type: "skipped", level: "info", message: "this node's kernel no longer has it" }
    : { ...about, type: "impossible", message: `the kernel has none of ${paths.join(", ")}${hint(debug)}` };
}

function placesOf(name: string): string[] {
  return [`/proc/sys/kernel/sched_${name}`, `${debug}/${name}`];
}

function numaPlacesOf(name: string): string[] {
  return [`/proc/sys/kernel/numa_balancing_${name}`, `${debug}/numa_balancing/${name}`];
}

function hint(path: string): string {
  return path.startsWith(debug) ? "; a kernel locked down by Secure Boot hides debugfs" : "";
}
