import {
  type BuiltIn,
  type Called,
  reading,
  running,
  searching,
  type Surroundings,
  text,
  verbatim,
} from "./built-in.ts";

/** Before Ice Lake, Intel's driver in active mode causes jitter. */
const olderGenerations = new Set(["", "sandybridge", "ivybridge", "haswell", "broadwell", "skylake"]);

/** Functions that depend on the node, and `exec`. */
export const nodeFunctions = {
  cpuinfo_check: {
    least: 2,
    most: Infinity,
    call: (args, surroundings) =>
      reading("/proc/cpuinfo", surroundings, (content) => firstFound(args, content, surroundings)),
  },
  exec: {
    least: 1,
    most: Infinity,
    call: (argv, surroundings) =>
      running(argv, surroundings, (output, succeeded) => (succeeded ? text(output) : verbatim)),
  },
  intel_recommended_pstate: {
    least: 0,
    most: Infinity,
    call: (_, surroundings) =>
      reading("/sys/devices/cpu/caps/pmu_name", surroundings, (name) =>
        text(olderGenerations.has(name.trim()) ? "disable" : "active"),
      ),
  },
  lscpu_check: {
    least: 2,
    most: Infinity,
    call: (args, surroundings) =>
      running(["lscpu"], surroundings, (output) => firstFound(args, output, surroundings, "pass over malformed")),
  },
  virt_check: {
    least: 2,
    most: 2,
    call: ([virtual = "", bare = ""], surroundings) =>
      running(["virt-what"], surroundings, (output) => text(output === "" ? bare : virtual)),
  },
} satisfies Record<string, BuiltIn>;

/** `args`: pairs of a pattern and its result, then optionally a result for when no pattern is found. */
function firstFound(
  args: readonly string[],
  content: string,
  { budget, notice }: Surroundings,
  passOver?: "pass over malformed",
): Called {
  for (let i = 0; i + 1 < args.length; i += 2) {
    const pattern = args[i] ?? "";
    const searched = searching(pattern, content, budget, { multiline: true });
    if (searched.type === "malformed" && passOver) notice("error", `Invalid regular expression: '${pattern}'`);
    else if (searched.type !== "found") return { type: "invalid", message: searched.message };
    else if (searched.found) return text(args[i + 1] ?? "");
  }
  return text(args.length % 2 === 1 ? (args.at(-1) ?? "") : "");
}
