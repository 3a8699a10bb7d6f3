import { describe, expect, test } from "vitest";
import { nativeEngine } from "../../native-engine.ts";
import { complaints, expectedOutcome, outcomeOf, resolvedProfile, runCase } from "../../testing/plugin-bench.ts";
import { type RecordedCase, recordedCases } from "../../testing/recorded-case.ts";
import { nativeBytes } from "./latency.ts";

describe("as TuneD", () => {
  test.each(recordedCases("22-plugin-cpu").map((one) => [one.id, one] as const))("%s", async (_, one) => {
    const result = await runCase(one);
    expect(outcomeOf(result)).toEqual(expectedOutcome(one));
    // TuneD also complains of a bias that no option asks for.
    const warned = (one.expect.apply_logs ?? []).some(([level]) => level === "WARNING" || level === "ERROR");
    expect(complaints(result).length > 0).toBe(warned);
  });
});

const cpus = "/sys/devices/system/cpu";
const latency = "/dev/cpu_dma_latency";
const idle = {
  [`${cpus}/cpu0/cpuidle/state0/name`]: "POLL\n",
  [`${cpus}/cpu0/cpuidle/state0/latency`]: "0\n",
  [`${cpus}/cpu0/cpuidle/state1/name`]: "C1\n",
  [`${cpus}/cpu0/cpuidle/state1/latency`]: "2\n",
};

function node(
  profile: string,
  fs: Record<string, string> = {},
  rest: Partial<RecordedCase["input"]> = {},
): RecordedCase {
  const input = { profile, fs, watch: Object.keys(fs), devices: { cpu: { cpu0: {}, cpu1: {} } }, ...rest };
  return { id: "", input, expect: { applied: {}, rolled_back: {} } };
}

describe("force_latency", () => {
  test.each([
    ["1", "1"],
    ["cstate.id:1|3", "2"],
    ["cstate.id_no_zero:0|3", "3"],
    ["cstate.id:9|3", "3"],
    ["cstate.name:POLL", "0"],
    ["cstate.name_no_zero:POLL|cstate.name:C1", "2"],
    ["cstate.id:../../x|7", "7"],
    ["-1", "-1"],
  ])("%s holds %s", async (value, expected) => {
    const one = node(`[cpu]\nforce_latency=${value}\n`, { ...idle, [latency]: "" });
    const { host, apply, verify, rollback } = await runCase(one);
    expect(apply.settings).toMatchObject([{ type: "set", target: latency, value: expected }]);
    expect(verify).toEqual({ differences: [] });
    expect(rollback?.restored).toMatchObject([{ target: latency }]);
    expect(host.held().get(latency)).toBeUndefined();
  });

  test("is requested again without a report of drift after the agent was killed", async () => {
    const one = node("[cpu]\nforce_latency=5\n", { [latency]: "" }, { rollback: "none" });
    const { host } = await runCase(one);
    await host.hold(latency, "");
    const again = await nativeEngine().apply(await resolvedProfile(one, host), host);
    expect(host.held().get(latency)).toBe(nativeBytes(5));
    expect(again.settings).toMatchObject([{ type: "set", target: latency }]);
    expect(again.settings[0]).not.toHaveProperty("drifted");
  });

  test("is held while the profile is applied, in the machine's byte order", async () => {
    const one = node("[cpu]\nforce_latency=5\n", { [latency]: "" }, { rollback: "none" });
    expect((await runCase(one)).host.held().get(latency)).toBe(nativeBytes(5));
    expect(new Int32Array(Uint8Array.from(Buffer.from(nativeBytes(-2), "hex")).buffer)[0]).toBe(-2);
  });

  test.each(["", "fast", "cstate.name:C9", "99999999999", "n/a"])(
    "%j is refused, and verifies as in TuneD",
    async (value) => {
      const result = await runCase(node(`[cpu]\nforce_latency=${value}\n`, { ...idle, [latency]: "" }));
      expect(complaints(result)).toHaveLength(1);
      expect(result.verify).toEqual({ differences: [] });
    },
  );

  test("sets nothing for none", async () => {
    expect((await runCase(node("[cpu]\nforce_latency=none|5\n", { [latency]: "" }))).apply.settings).toEqual([]);
  });

  test("is set by the first unit only", async () => {
    const two = node("[cpu]\ndevices=cpu0\nforce_latency=1\n[b]\ntype=cpu\nforce_latency=2\n", { [latency]: "" });
    expect((await runCase(two)).apply.settings).toMatchObject([
      { unit: "cpu", type: "set", value: "1" },
      { unit: "b", type: "skipped" },
    ]);
  });

  test("is skipped where the node has no such file", async () => {
    expect((await runCase(node("[cpu]\nforce_latency=1\n"))).apply.settings).toMatchObject([
      { type: "skipped", level: "info" },
    ]);
  });
});

describe("pm_qos_resume_latency_us", () => {
  const path = `${cpus}/cpu1/power/pm_qos_resume_latency_us`;
  test.each([
    ["100", "100"],
    ["cstate.name:C1", "2"],
    ["none", "0"],
    ["<50", "0"],
    [">50", "50"],
    ["-4", "0"],
    ["soon", "0"],
  ])("%s makes it %s", async (value, expected) => {
    const one = node(`[cpu]\npm_qos_resume_latency_us=${value}\n`, { ...idle, [path]: "0\n" }, { watch: [path] });
    const result = await runCase(one);
    expect(outcomeOf(result)).toEqual({ applied: { [path]: expected }, rolledBack: { [path]: "0" }, verified: true });
  });
});

const pstate = `${cpus}/intel_pstate`;
const turbo = `${pstate}/no_turbo`;

describe("Intel's driver", () => {
  test("Q15: limits are set and restored, and never verified", async () => {
    const fs = { [`${pstate}/min_perf_pct`]: "20\n", [`${pstate}/max_perf_pct`]: "100\n", [turbo]: "0\n" };
    const profile = "[cpu]\nmin_perf_pct=100\nmax_perf_pct=90\nno_turbo=yes\n";
    const result = await runCase(node(profile, fs, { fs_before_verify: { [turbo]: "0\n" } }));
    expect(outcomeOf(result)).toEqual({
      applied: { [`${pstate}/min_perf_pct`]: "100", [`${pstate}/max_perf_pct`]: "90", [turbo]: "1" },
      rolledBack: { [`${pstate}/min_perf_pct`]: "20", [`${pstate}/max_perf_pct`]: "100", [turbo]: "0" },
      verified: true,
    });
  });

  test.each([
    ["without it", {}],
    ["on AMD's CPUs", { [turbo]: "0\n", "/proc/cpuinfo": "vendor_id\t: AuthenticAMD\n" }],
  ])("has no limits %s", async (_, fs) => {
    const { apply } = await runCase(node("[cpu]\nno_turbo=1\n", fs));
    expect(apply.settings).toMatchObject([{ type: "skipped", level: "info" }]);
  });

  test("also gets boost, as the inverse of no_turbo", async () => {
    const policy = `${cpus}/cpufreq/policy1/boost`;
    const result = await runCase(node("[cpu]\nboost=no\n", { [turbo]: "0\n", [policy]: "1\n" }));
    expect(outcomeOf(result)).toEqual({
      applied: { [turbo]: "1", [policy]: "0" },
      rolledBack: { [turbo]: "0", [policy]: "1" },
      verified: true,
    });
  });

  test("prefers no_turbo over boost, however often the profile is applied", async () => {
    const one = node("[cpu]\nboost=1\nno_turbo=1\n", { [turbo]: "1\n" });
    expect((await runCase(one)).apply.settings).toMatchObject([{ option: "no_turbo", type: "same" }]);
  });

  test.each(["maybe", "2"])("refuses boost=%s", async (value) => {
    const result = await runCase(node(`[cpu]\nboost=${value}\n`, { [turbo]: "0\n" }));
    expect(complaints(result)).toHaveLength(1);
    expect(result.applied).toEqual({ [turbo]: "0\n" });
  });
});

describe("energy_perf_bias", () => {
  const path = `${cpus}/cpu0/power/energy_perf_bias`;
  const hwp = { "/proc/cpuinfo": "vendor_id\t: GenuineIntel\nflags\t\t: fpu hwp_epp\n" };

  test.each([
    ["powersave|power", "6", "power", "set"],
    ["performance", "0", "0", "same"],
    ["0x6 | normal", "0", "0x6", "set"],
  ])("%s over %s writes %s", async (value, before, expected, type) => {
    const result = await runCase(
      node(`[cpu]\ndevices=cpu0\nenergy_perf_bias=${value}\n`, { ...hwp, [path]: `${before}\n` }, { watch: [path] }),
    );
    expect(result.apply.settings).toMatchObject([{ type, device: "cpu0" }]);
    expect(outcomeOf(result)).toMatchObject({ applied: { [path]: expected }, rolledBack: { [path]: before } });
  });

  const read = "x86_energy_perf_policy -c 0 -r";
  test.each([
    ["cpu0: EPB 6\n", "powersave|power", ["x86_energy_perf_policy -c 0 power"], ["x86_energy_perf_policy -c 0 6"]],
    ["cpu0: 0x0006\n", "powersave|power", ["x86_energy_perf_policy -c 0 powersave"], ["x86_energy_perf_policy -c 0 6"]],
    ["cpu0: EPB 0\n", "performance", [], []],
  ])("of a tool that says %j, %s", async (says, value, applied, undone) => {
    const exec = {
      "x86_energy_perf_policy -r": { rc: 0, out: says },
      [read]: { rc: 0, out: says },
      "x86_energy_perf_policy -c 0*": { rc: 0 },
    };
    const { commands } = await runCase(node(`[cpu]\ndevices=cpu0\nenergy_perf_bias=${value}\n`, {}, { exec }));
    expect(commands).toMatchObject({ apply: applied, rollback: undone });
  });

  test.each([
    ["no tool", {}],
    ["a tool without an answer", { "x86_energy_perf_policy -r": { rc: 0, out: "" } }],
  ])("is left out with %s", async (_, exec) => {
    const { apply } = await runCase(node("[cpu]\nenergy_perf_bias=normal\n", {}, { exec }));
    expect(apply.settings).toMatchObject([{ type: "skipped", level: "warning" }]);
  });

  test("refuses an unknown bias before running a program with it", async () => {
    const exec = { "x86_energy_perf_policy*": { rc: 0, out: "cpu0: EPB 6\n" } };
    const result = await runCase(node("[cpu]\nenergy_perf_bias=--force\n", {}, { exec }));
    expect(complaints(result)).toHaveLength(1);
    expect(result.commands.apply).toEqual([]);
  });
});

describe("sampling_down_factor", () => {
  const governor = `${cpus}/cpu0/cpufreq/scaling_governor`;
  const offered = { [`${cpus}/cpu0/cpufreq/scaling_available_governors`]: "ondemand performance\n" };
  const factor = `${cpus}/cpufreq/ondemand/sampling_down_factor`;

  test("is set once for a governor, not for each CPU", async () => {
    const fs = { [governor]: "ondemand\n", [`${cpus}/cpu1/cpufreq/scaling_governor`]: "ondemand\n", [factor]: "1\n" };
    const result = await runCase(node("[cpu]\nsampling_down_factor=100\n", fs, { watch: [factor] }));
    expect(result.apply.settings).toHaveLength(1);
    expect(outcomeOf(result)).toEqual({ applied: { [factor]: "100" }, rolledBack: { [factor]: "1" }, verified: true });
  });

  test("is written after the governor of the same unit", async () => {
    const fs = { [governor]: "performance\n", ...offered };
    const { apply } = await runCase(node("[cpu]\ngovernor=ondemand\nsampling_down_factor=100\n", fs));
    // The simulated node does not create the governor's file.
    expect(apply.settings).toMatchObject([
      { option: "governor", type: "set" },
      { option: "sampling_down_factor", type: "failed" },
    ]);
  });

  test("is skipped for other governors", async () => {
    const { apply } = await runCase(node("[cpu]\nsampling_down_factor=100\n", { [governor]: "performance\n" }));
    expect(apply.settings).toMatchObject([{ type: "skipped", level: "info" }]);
  });
});

test("verifying accepts any of several preferences, applying sets the first", async () => {
  const folder = `${cpus}/cpufreq/policy0`;
  const path = `${folder}/energy_performance_preference`;
  const fs = { [path]: "power\n", [`${folder}/energy_performance_available_preferences`]: "performance power\n" };
  const one = node("[cpu]\nenergy_performance_preference=performance|power\n", fs, {
    watch: [path],
    fs_before_verify: { [path]: "power\n" },
  });
  expect(outcomeOf(await runCase(one))).toMatchObject({ applied: { [path]: "performance" }, verified: true });
});

test("load-driven and unknown options are reported", async () => {
  const { apply } = await runCase(node("[cpu]\nload_threshold=0.5\nlatency_low=1\nnosuch=1\n"));
  expect(apply.settings.map(({ option, type }) => `${option} ${type}`)).toEqual([
    "nosuch skipped",
    "load_threshold skipped",
    "latency_low skipped",
  ]);
});
