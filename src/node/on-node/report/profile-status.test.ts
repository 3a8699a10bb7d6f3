import { describe, expect, test } from "vitest";
import type { SettingReport } from "../../engine/engine.ts";
import { apiVersion, type Profile, type ProfileStatus } from "../../../domain/node-tuning/api.ts";
import { profileStatus } from "./profile-status.ts";
import type { Applied, InForce, TuneOutcome } from "../tune-outcome.ts";

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

function applied(...settings: SettingReport[]): Applied {
  return { type: "applied", report: { settings, restored: [] }, warnings: [], troubles: [], drift: [] };
}

const inForce: InForce = { tunedProfile: "p", bootcmdline: "quiet", bootcmdlineInputs: "1" };
const drift = { target: "/proc/sys/vm/x", owner: "profile", from: "[sysctl] vm.x", expected: "1", found: "7" };

interface Case {
  name: string;
  outcome: TuneOutcome;
  applied: string;
  degraded: string;
  /** Default: the Profile has no such condition. */
  drifted?: string;
  active: string;
}

const repaired = 'another process changed /proc/sys/vm/x to "7", set back to "1" for profile: [sysctl] vm.x';
const notRepaired =
  'another process changed /proc/sys/vm/x to "7", cannot be set back (EROFS) to "1" for profile: [sysctl] vm.x';
const waiting = 'another process changed /proc/sys/vm/x to "7", not yet set back to "1" for profile: [sysctl] vm.x';

const held = (irq: number): SettingReport => ({
  unit: "irq",
  option: "affinity",
  from: "p/tuned.conf:4",
  type: "overridden",
  target: `/proc/irq/${irq}/smp_affinity`,
  value: "c",
  by: { unit: "perftune", option: "", from: "attune perftune", value: "1", owner: "perftune" },
});

const cases: Case[] = [
  {
    name: "interrupts that perftune holds",
    outcome: applied(set, held(25), held(26), held(27)),
    applied: "True AsExpected TuneD profile applied.",
    degraded: "False TunedWarning p/tuned.conf:4: affinity: /proc/irq/25/smp_affinity and 2 more are held by perftune",
    active: "p",
  },
  {
    name: "a profile that is in force",
    outcome: applied(set, same),
    applied: "True AsExpected TuneD profile applied.",
    degraded: "False AsExpected No errors.",
    active: "p",
  },
  {
    name: "a setting that failed",
    outcome: applied(set, failed),
    applied: "True AsExpected TuneD profile applied. 1 of 2 settings failed (see Degraded).",
    degraded: "True TunedError p/tuned.conf:2: vm.x: no such file",
    active: "p",
  },
  {
    name: "a profile of which every setting failed",
    outcome: applied(failed, failed),
    applied: "True AsExpected TuneD profile applied. 2 of 2 settings failed (see Degraded).",
    degraded: "True TunedError p/tuned.conf:2: vm.x: no such file; p/tuned.conf:2: vm.x: no such file",
    active: "p",
  },
  {
    name: "a setting that could not be rolled back",
    outcome: {
      ...applied(),
      report: {
        settings: [],
        restored: [
          { target: "/proc/sys/vm/y", value: "1", failed: "busy" },
          { target: "/z", value: "" },
        ],
      },
    },
    applied: "True AsExpected TuneD profile applied.",
    degraded: "True TunedError cannot roll back /proc/sys/vm/y: busy",
    active: "p",
  },
  {
    name: "a warning",
    outcome: { ...applied(), warnings: [{ level: "warning", message: "hm", file: "p", line: 3 }] },
    applied: "True AsExpected TuneD profile applied.",
    degraded: "False TunedWarning p:3: hm",
    active: "p",
  },
  {
    name: "an option without a matching device, and one that does not matter",
    outcome: applied(
      { ...about, type: "skipped", level: "warning", message: "no matching devices available" },
      { ...about, type: "skipped", level: "info", message: "SELinux is off" },
    ),
    applied: "True AsExpected TuneD profile applied.",
    degraded: "False TunedWarning p/tuned.conf:2: vm.x: no matching devices available",
    active: "p",
  },
  {
    name: "a sysctl file of the node that overrides a setting",
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
    name: "the chosen engine",
    outcome: { ...applied(same), engine: { engine: "native", reason: "TuneD is not installed" } },
    applied: "True AsExpected TuneD profile applied. Engine native: TuneD is not installed.",
    degraded: "False AsExpected No errors.",
    active: "p",
  },
  {
    name: "an error of the daemon, once",
    outcome: {
      ...applied({ ...about, type: "failed", message: "Failed to set x" }),
      troubles: ["Failed to set x", "TuneD ended by SIGSEGV; started again in 2 s"],
    },
    applied: "True AsExpected TuneD profile applied. 1 of 1 settings failed (see Degraded).",
    degraded: "True TunedError p/tuned.conf:2: vm.x: Failed to set x; TuneD ended by SIGSEGV; started again in 2 s",
    active: "p",
  },
  {
    name: "a setting that another process changed",
    outcome: { ...applied(same), drift: [drift] },
    applied: "True AsExpected TuneD profile applied.",
    degraded: `False TunedWarning ${repaired}`,
    drifted: `True Repaired ${repaired}`,
    active: "p",
  },
  {
    name: "a setting that cannot be set back",
    outcome: { ...applied(same), drift: [{ ...drift, failed: "EROFS" }] },
    applied: "True AsExpected TuneD profile applied.",
    degraded: `True TunedError ${notRepaired}`,
    drifted: `True RepairFailed ${notRepaired}`,
    active: "p",
  },
  {
    name: "a setting that another process changed again before it may be set back again",
    outcome: { ...applied(same), drift: [{ ...drift, waiting: true }] },
    applied: "True AsExpected TuneD profile applied.",
    degraded: `False TunedWarning ${waiting}`,
    drifted: `True Contested ${waiting}`,
    active: "p",
  },
  {
    name: "a setting that another process changed, beside one that failed",
    outcome: { ...applied(failed, set), drift: [drift] },
    applied: "True AsExpected TuneD profile applied. 1 of 2 settings failed (see Degraded).",
    degraded: "True TunedError p/tuned.conf:2: vm.x: no such file",
    drifted: `True Repaired ${repaired}`,
    active: "p",
  },
  {
    name: "a setting that another process changed while a change is deferred",
    outcome: { type: "deferred", profile: "q", before: { ...applied(same), drift: [drift] } },
    applied: "False Deferred The change is waiting for the next node restart: q",
    degraded: "True TunedDeferredUpdate The change is waiting for the next node restart: q",
    drifted: `True Repaired ${repaired}`,
    active: "p",
  },
  {
    name: "a deferred change",
    outcome: { type: "deferred", profile: "q", before: applied(same) },
    applied: "False Deferred The change is waiting for the next node restart: q",
    degraded: "True TunedDeferredUpdate The change is waiting for the next node restart: q",
    active: "p",
  },
  {
    name: "a deferred change while what is in force has errors",
    outcome: { type: "deferred", profile: "q", before: applied(failed) },
    applied: "False Deferred The change is waiting for the next node restart: q",
    degraded: "True TunedError p/tuned.conf:2: vm.x: no such file; The change is waiting for the next node restart: q",
    active: "p",
  },
  {
    name: "an invalid profile",
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
  test.each(cases)("reports $name (Q-2, Q-14)", ({ outcome, applied, degraded, drifted, active }) => {
    const known = outcome.type === "applied" || outcome.type === "deferred";
    const tuning = { outcome, inForce: known ? inForce : undefined };
    const status = profileStatus(profile({ tunedProfile: "before" }), tuning, now);
    const texts = status.conditions?.map(({ status, reason, message }) => `${status} ${reason} ${message}`);
    expect(texts).toEqual([applied, degraded, ...(drifted === undefined ? [] : [drifted])]);
    expect(status).toMatchObject({ tunedProfile: active, observedGeneration: 4 });
  });

  test("has the boot arguments of the profile in force, also if another could not be applied", () => {
    const first = profileStatus(profile(), { outcome: applied(set), inForce }, now);
    expect(first).toMatchObject(inForce);
    const outcome = { type: "failed", message: "no" } as const;
    expect(profileStatus(profile(first), { outcome, inForce: undefined }, now)).toMatchObject(inForce);
    const nothing = profileStatus(profile(first), { outcome, inForce: { tunedProfile: "" } }, now);
    expect(nothing).toMatchObject({ ...inForce, tunedProfile: "" });
  });

  test("reports that a drift is over", () => {
    const first = profileStatus(profile(), { outcome: { ...applied(same), drift: [drift] }, inForce }, now);
    const later = profileStatus(profile(first), { outcome: applied(same), inForce }, now);
    expect(later.conditions?.[2]).toMatchObject({ type: "Drifted", status: "False", reason: "AsExpected" });
  });

  test("is the same after a resync, so that nothing is written", () => {
    const first = profileStatus(profile(), { outcome: applied(set), inForce }, now);
    const again = profileStatus(profile(first), { outcome: applied(same), inForce }, "2027-01-01T00:00:00Z");
    expect(again).toEqual(first);
  });

  test("names every setting that failed, up to a limit", () => {
    const message = (count: number, text: string): string => {
      const outcome = applied(...Array.from({ length: count }, () => ({ ...failed, message: text })));
      return profileStatus(profile(), { outcome, inForce }, now).conditions?.[1]?.message ?? "";
    };
    expect(message(100, "no such file").split("; ")).toHaveLength(100);
    expect(message(500, "x".repeat(5000)).length).toBeLessThan(20_000);
    expect(message(500, "x".repeat(5000))).toMatch(/; and 485 more$/);
  });
});
