import { describe, expect, test } from "vitest";
import { documentOf, type OptionDocument, type UnitDocument } from "../../src/language/tuned/text/document.ts";
import { parseProfile } from "../../src/language/tuned/text/parse-profile.ts";
import { noAnswers } from "../../src/language/tuned/probe.ts";
import { baseScripts, baseVariableFiles } from "../../src/language/tuned/profiles/base-files.ts";
import { baseDirectory, baseProfiles } from "../../src/language/tuned/profiles/base-profiles.ts";
import { initrdDirectory } from "../../src/language/tuned/profiles/isolation.ts";
import { formerNames } from "../../src/language/tuned/profiles/former-names.ts";
import { preview, resolve } from "../../src/language/tuned/resolve.ts";
import { renderedProfiles } from "./performance-profile-texts.ts";
import { type RecordedCase, recorded } from "./recorded-case.ts";
import { type RecordedEnvironment, untilAnswered } from "./recorded-node.ts";

const isolated = "isolated_cores=2-7\n";

/** The machine on which the shipped profiles were recorded. */
function machine(virtual: boolean): RecordedEnvironment {
  return {
    files: {
      "/sys/devices/system/cpu/online": "0-7\n",
      "/sys/devices/system/cpu/present": "0-7\n",
      "/sys/devices/cpu/caps/pmu_name": "icelake\n",
      "/proc/cpuinfo": "vendor_id\t: GenuineIntel\n",
      "/etc/tuned/cpu-partitioning-variables.conf": isolated,
      "/etc/tuned/cpu-partitioning-powersave-variables.conf": `${isolated}max_power_state=cstate.name:C6|10\nno_turbo=1\n`,
      "/etc/tuned/realtime-variables.conf": `${isolated}isolate_managed_irq=Y\n`,
      "/etc/tuned/realtime-virtual-host-variables.conf": isolated,
      "/etc/tuned/realtime-virtual-guest-variables.conf": isolated,
    },
    exec: {
      "virt-what": { rc: 0, out: virtual ? "kvm\n" : "" },
      "uname -r": { rc: 0, out: "5.14.0-427.el9.x86_64\n" },
      "uname -snrvm": { rc: 0, out: "Linux n 5.14.0-427.el9.x86_64 #1 SMP x86_64\n" },
      lscpu: { rc: 0, out: "Architecture: x86_64\nVendor ID: GenuineIntel\n" },
      nproc: { rc: 0, out: "2\n" },
    },
  };
}

const rendered = new Map(
  Object.entries({
    ...renderedProfiles({ name: "basic", hugepages: true }),
    ...renderedProfiles({ name: "perpod", perPodPower: true }),
  }).map(([name, text]) => [name, parseProfile(text, `/etc/tuned/${name}/tuned.conf`)]),
);

type RecordedUnit = Omit<UnitDocument, "options" | "priority"> & {
  priority?: string;
  options: [string, string | string[]][];
  effective_cmdline?: string;
};

/** As the recording has it. */
function recordedForm({ options, priority, unmet, ...unit }: UnitDocument): Omit<RecordedUnit, "effective_cmdline"> {
  expect(unmet === undefined || unit.name.endsWith(".thunderx")).toBe(true);
  return {
    ...unit,
    ...(priority !== undefined && { priority: String(priority) }),
    options: Object.entries(options).map(([key, { value }]: [string, OptionDocument]) => [key, value]),
  };
}

/** TuneD's cpu-partitioning makes a folder in /tmp for the initrd each time; the built-in one has its own. */
function withOwnDirectory<T>(entries: T): T {
  return JSON.parse(JSON.stringify(entries).replaceAll("/tmp/tmp.AbCdEf", initrdDirectory)) as T;
}

describe("a base profile resolves to the same as TuneD's of its name", () => {
  const cases = ["30-shipped-resolved", "31-shipped-resolved"]
    .flatMap(recorded)
    .map((one): [string, RecordedCase] => [one.id, one]);

  test.each(cases)("%s", (id, { expect: expected }) => {
    const profile = expected.profile ?? "";
    const resolution = untilAnswered(machine(id.includes("(virtual)")), (answers) =>
      resolve({ profile, layers: [baseProfiles(), rendered], files: baseVariableFiles() }, answers),
    );
    if (resolution.type !== "resolved") throw new Error(JSON.stringify(resolution.problems));
    const document = documentOf(resolution.profile);
    expect(document.chain).toEqual(expected.merge_order);
    expect(Object.entries(document.variables)).toEqual(withOwnDirectory(expected.variables));
    const units = (expected.units as unknown as RecordedUnit[]).map(({ effective_cmdline, ...unit }) => {
      if (effective_cmdline !== undefined) expect(document.bootArguments).toEqual(effective_cmdline.split(" "));
      const options = withOwnDirectory(unit.options).map(([key, value]) => [
        key,
        Array.isArray(value) ? value.map((path) => path.replace("@UPSTREAM@", baseDirectory)) : value,
      ]);
      return Object.fromEntries(Object.entries({ ...unit, options }).filter(([key]) => key !== "raw_cmdline_keys"));
    });
    expect(document.units.map(recordedForm)).toEqual(units);
  });
});

describe("the base profiles", () => {
  test.each([...baseProfiles().keys()])("%s can be shown without asking a node anything", (profile) => {
    const shown = preview({ profile, layers: [baseProfiles()], files: baseVariableFiles() }, noAnswers);
    expect(shown).toMatchObject({ type: "preview", profile: { warnings: [] } });
  });

  test("have a profile for every former name", () => {
    for (const [before, now] of formerNames) expect([before, baseProfiles().has(now)]).toEqual([before, true]);
  });

  test("name only scripts that come with them", () => {
    const named = [...baseProfiles().values()].flatMap(({ file, sections }) =>
      sections.flatMap(({ options }) =>
        options.flatMap(({ key, value }) => (key === "script" ? [value.replace("${i:PROFILE_DIR}", file)] : [])),
      ),
    );
    expect(new Set(named)).toEqual(new Set(baseScripts().keys()));
  });

  test("isolate all but one CPU of each socket by default", () => {
    const { files = {}, exec } = machine(false);
    const env = {
      files: { "/sys/devices/system/cpu/online": files["/sys/devices/system/cpu/online"] ?? "" },
      exec,
      cpu_tree: { cpu0: 0, cpu1: 0, cpu2: 1, cpu3: 1, cpu4: 1 },
    };
    const resolution = untilAnswered(env, (answers) =>
      resolve({ profile: "cpu-partitioning", layers: [baseProfiles()], files: baseVariableFiles() }, answers),
    );
    expect(resolution.type === "resolved" && resolution.profile.variables.get("isolated_cores")).toBe("1,3-4");
  });
});
