import { describe, expect, test } from "vitest";
import { nativeEngine } from "../../native-engine.ts";
import {
  complaints,
  expectedComplaints,
  expectedOutcome,
  outcomeOf,
  resolvedProfile,
  runCase,
} from "../../testing/plugin-bench.ts";
import { type Recorded, type RecordedCase, recordedCases } from "../../testing/recorded-case.ts";
import { benchHost } from "../../testing/bench-host.ts";

const uncores = "/sys/devices/system/cpu/intel_uncore_frequency";
const platformProfile = "/sys/firmware/acpi/platform_profile";
const choices = `${platformProfile}_choices`;

function own(profile: string, fs: Record<string, string>): RecordedCase {
  return { id: "own", input: { profile, fs, watch: Object.keys(fs) }, expect: { applied: {}, rolled_back: {} } };
}

function bounds(device: string, [min, max]: [string, string]): Record<string, string> {
  const folder = `${uncores}/${device}`;
  return {
    [`${folder}/min_freq_khz`]: `${min}\n`,
    [`${folder}/max_freq_khz`]: `${max}\n`,
    [`${folder}/initial_min_freq_khz`]: "800000\n",
    [`${folder}/initial_max_freq_khz`]: "2400000\n",
  };
}

describe("as TuneD", () => {
  const die = `${uncores}/package_00_die_00`;
  /** TuneD compares the new maximum with a minimum that the same unit is about to lower. */
  const instead: Record<string, { outcome: Partial<Recorded>; complains?: boolean }> = {
    "uncore-lowered": {
      outcome: { applied: { [`${die}/min_freq_khz`]: "800000", [`${die}/max_freq_khz`]: "1500000" }, verify: true },
      complains: false,
    },
  };

  test.each(recordedCases("27-plugin-firmware").map((one) => [one.id, one] as const))("%s", async (id, one) => {
    const result = await runCase(one);
    expect(outcomeOf(result)).toEqual(expectedOutcome(one, instead[id]?.outcome));
    expect(complaints(result).length > 0).toBe(instead[id]?.complains ?? expectedComplaints(one).length > 0);
  });
});

describe("[uncore]", () => {
  test("says why a bound is refused, once for all dies", async () => {
    const fs = {
      ...bounds("package_00_die_00", ["800000", "2400000"]),
      ...bounds("package_01_die_00", ["800000", "2400000"]),
    };
    expect(complaints(await runCase(own("[uncore]\nmax_freq_khz=700000\n", fs)))).toEqual([
      "max_freq_khz: 700000 kHz is below the minimum of 800000 kHz",
    ]);
    expect(complaints(await runCase(own("[uncore]\nmin_freq_khz=3000000\n", fs)))).toEqual([
      "min_freq_khz: 3000000 kHz is above the maximum of 2400000 kHz",
    ]);
    expect(complaints(await runCase(own("[uncore]\nmax_freq_khz=\nmin_freq_khz=-1%\n", fs)))).toEqual([
      'max_freq_khz: "" is neither a frequency in kHz nor a percentage',
      'min_freq_khz: "-1%" is not within 0 and 100%',
    ]);
  });

  test("reports a value that is capped to what the hardware can do", async () => {
    const result = await runCase(own("[uncore]\nmax_freq_khz=9999999\n", bounds("uncore00", ["800000", "2000000"])));
    expect(result.apply.settings).toMatchObject([
      { type: "set", value: "2400000", note: "9999999 kHz is more than the hardware has" },
    ]);
  });

  test("reports a die whose limits cannot be read, and tunes the others", async () => {
    const { [`${uncores}/uncore01/initial_max_freq_khz`]: _, ...fs } = {
      ...bounds("uncore00", ["800000", "2400000"]),
      ...bounds("uncore01", ["800000", "2400000"]),
    };
    const result = await runCase(own("[uncore]\nmax_freq_khz=50%\n", fs));
    expect(result.applied[`${uncores}/uncore00/max_freq_khz`]).toBe("1600000");
    expect(complaints(result)).toEqual([`max_freq_khz: cannot read ${uncores}/uncore01/initial_max_freq_khz`]);
  });

  test("is the same applied twice, and restores what was there before the first time", async () => {
    const fs = bounds("uncore00", ["2000000", "2400000"]);
    const one = own("[uncore]\nmax_freq_khz=<1500000\nmin_freq_khz=0%\n", fs);
    const host = benchHost(one);
    const profile = await resolvedProfile(one, host);
    const engine = nativeEngine();
    await engine.apply(profile, host);
    const again = await engine.apply(profile, host);
    expect(again.settings.map(({ type }) => type)).toEqual(["same", "same"]);
    await engine.rollback(host);
    expect(await host.read(`${uncores}/uncore00/max_freq_khz`)).toMatchObject({ text: "2400000" });
    expect(await host.read(`${uncores}/uncore00/min_freq_khz`)).toMatchObject({ text: "2000000" });
  });
});

describe("[acpi]", () => {
  test("names what the firmware offers instead", async () => {
    const fs = { [platformProfile]: "balanced\n", [choices]: "low-power balanced\n" };
    expect(complaints(await runCase(own("[acpi]\nplatform_profile=turbo|quiet\n", fs)))).toEqual([
      'platform_profile: "turbo|quiet": the firmware has only low-power, balanced',
    ]);
  });

  test("restores the profile of each driver where they differed", async () => {
    const drivers = "/sys/class/platform-profile";
    const one = own("[acpi]\nplatform_profile=performance\n", {
      [platformProfile]: "custom\n",
      [choices]: "balanced performance\n",
      [`${drivers}/platform-profile-0/profile`]: "balanced\n",
      [`${drivers}/platform-profile-1/profile`]: "performance\n",
    });
    // The kernel passes the profile on to every driver.
    const fs_before_verify = { [`${drivers}/platform-profile-0/profile`]: "performance\n" };
    const { applied, rollback, rolledBack } = await runCase({ ...one, input: { ...one.input, fs_before_verify } });
    expect(applied[platformProfile]).toBe("performance");
    expect(rollback?.restored).toMatchObject([{ target: platformProfile, value: "custom" }]);
    expect(rollback?.restored[0]?.failed).toBeUndefined();
    expect(rolledBack).toMatchObject({
      [`${drivers}/platform-profile-0/profile`]: "balanced",
      [`${drivers}/platform-profile-1/profile`]: "performance\n",
    });
  });
});
