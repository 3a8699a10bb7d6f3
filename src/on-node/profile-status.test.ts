import { describe, expect, test } from "vitest";
import type { SettingReport } from "../engine/engine.ts";
import { apiVersion, type Profile, type ProfileStatus } from "../node-tuning/api.ts";
import { inputsOf } from "../node-tuning/inputs.ts";
import { profileStatus } from "./profile-status.ts";
import type { TuneOutcome } from "./tune.ts";

const now = "2026-01-01T00:00:00Z";
const about = { unit: "sysctl", option: "vm.x", from: "p/tuned.conf:2" };
const set: SettingReport = { ...about, type: "set", target: "/proc/sys/vm/x", value: "1", before: "0" };
const same: SettingReport = { ...about, type: "same", target: "/proc/sys/vm/x", value: "1" };
const failed: SettingReport = { ...about, type: "failed", message: "no such file" };

function profile(status?: ProfileStatus): Profile {
  return {
    apiVersion,
    kind: "Profile",
    metadata: { name: "n", generation: 4 },
    spec: { config: { tunedProfile: "p" } },
    status,
  };
}

function applied(...settings: SettingReport[]): TuneOutcome {
  return { type: "applied", report: { settings, restored: [] }, warnings: [], bootArguments: "quiet" };
}

const cases: { name: string; outcome: TuneOutcome; applied: string; degraded: string; active: string }[] = [
  {
    name: "everything in place",
    outcome: applied(set, same),
    applied: "True AsExpected TuneD profile applied.",
    degraded: "False AsExpected No errors.",
    active: "p",
  },
  {
    name: "a setting that could not be made",
    outcome: applied(set, failed),
    applied: "True AsExpected TuneD profile applied, except for 1 of 2 settings.",
    degraded: "True TunedError p/tuned.conf:2: vm.x: no such file",
    active: "p",
  },
  {
    name: "an original that could not be put back",
    outcome: {
      type: "applied",
      report: {
        settings: [],
        restored: [
          { target: "/proc/sys/vm/y", value: "1", failed: "busy" },
          { target: "/z", value: "" },
        ],
      },
      warnings: [],
      bootArguments: "",
    },
    applied: "True AsExpected TuneD profile applied.",
    degraded: "True TunedError cannot put back /proc/sys/vm/y: busy",
    active: "p",
  },
  {
    name: "a warning",
    outcome: {
      type: "applied",
      report: { settings: [], restored: [] },
      warnings: [{ message: "hm", file: "p", line: 3 }],
      bootArguments: "",
    },
    applied: "True AsExpected TuneD profile applied.",
    degraded: "False TunedWarning p:3: hm",
    active: "p",
  },
  {
    name: "an option that this node has nothing for, and one that does not matter",
    outcome: applied(
      { ...about, type: "skipped", level: "warning", message: "no matching devices available" },
      { ...about, type: "skipped", level: "info", message: "SELinux is off" },
    ),
    applied: "True AsExpected TuneD profile applied.",
    degraded: "False TunedWarning p/tuned.conf:2: vm.x: no matching devices available",
    active: "p",
  },
  {
    name: "a sysctl file of the node that has the last word",
    outcome: applied(
      {
        ...about,
        type: "overridden",
        target: "/t",
        value: "1",
        by: { ...about, from: "/etc/sysctl.conf:3", value: "2" },
      },
      { ...about, type: "overridden", target: "/t", value: "1", by: { ...about, from: "p/tuned.conf:9", value: "2" } },
    ),
    applied: "True AsExpected TuneD profile applied.",
    degraded: 'True TunedSysctlOverride p/tuned.conf:2: vm.x: /etc/sysctl.conf:3 sets "2" instead of "1"',
    active: "p",
  },
  {
    name: "a profile that makes no sense",
    outcome: { type: "invalid", problems: [{ message: "bad", file: "p", line: 1 }, { message: "worse" }] },
    applied: "False Failed p:1: bad; worse",
    degraded: "True TunedError p:1: bad; worse",
    active: "before",
  },
  {
    name: "an engine that failed",
    outcome: { type: "failed", message: "read the journal: no" },
    applied: "False Failed read the journal: no",
    degraded: "True TunedError read the journal: no",
    active: "before",
  },
];

describe("a Profile's status", () => {
  test.each(cases)("tells of $name", ({ outcome, applied, degraded, active }) => {
    const status = profileStatus(profile({ tunedProfile: "before" }), outcome, now);
    const texts = status.conditions?.map(({ status, reason, message }) => `${status} ${reason} ${message}`);
    expect(texts).toEqual([applied, degraded]);
    expect(status).toMatchObject({ tunedProfile: active, observedGeneration: 4 });
  });

  test("tells what the profile in force wants of the boot loader, and for which inputs", () => {
    const first = profileStatus(profile(), applied(set), now);
    const bootcmdlineInputs = inputsOf(profile().spec);
    expect(first).toMatchObject({ bootcmdline: "quiet", bootcmdlineInputs });
    const edited = { ...profile(first), spec: { config: { tunedProfile: "q" } } };
    const then = profileStatus(edited, { type: "failed", message: "no" }, now);
    expect(then).toMatchObject({ tunedProfile: "p", bootcmdline: "quiet", bootcmdlineInputs });
  });

  test("says the same of a node that is looked at again, so that nothing is written", () => {
    const first = profileStatus(profile(), applied(set), now);
    expect(profileStatus(profile(first), applied(same), "2027-01-01T00:00:00Z")).toEqual(first);
  });

  test("stays short however much went wrong", () => {
    const many = applied(...Array.from({ length: 500 }, () => ({ ...failed, message: "x".repeat(5000) })));
    const message = profileStatus(profile(), many, now).conditions?.[1]?.message ?? "";
    expect(message.length).toBeLessThan(32_768);
    expect(message).toMatch(/; and 490 more$/);
  });
});
