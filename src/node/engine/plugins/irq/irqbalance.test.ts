import { describe, expect, it } from "vitest";
import { complaints, expectedComplaints, expectedOutcome, outcomeOf, runCase } from "../../testing/plugin-bench.ts";
import { type Recorded, recordedCase, recordedCases } from "../../testing/recorded-case.ts";
import { irqbalance } from "./irqbalance.ts";

const plugins = [irqbalance];
const path = "/etc/sysconfig/irqbalance";

/** Where TuneD's own behaviour is not followed. */
const instead: Record<string, Partial<Recorded>> = {
  // Q17: TuneD leaves the administrator without the list that was there before.
  irqbalance: { rolled_back: { [path]: "FOO=1\nIRQBALANCE_BANNED_CPULIST=7\n" } },
  // Nothing was changed, so nothing is restarted.
  "irqbalance-bad": { rollback_exec: [] },
};

describe("The list of banned CPUs is written as TuneD writes it", () => {
  const cases = recordedCases("26-plugin-others").filter(({ id }) => id.startsWith("irqbalance"));
  it.each(cases)("$id: $note", async (one) => {
    const result = await runCase(one, { plugins });
    const expected = { ...one.expect, ...instead[one.id] };
    expect(outcomeOf(result)).toEqual(expectedOutcome(one, instead[one.id]));
    expect(result.commands.apply).toEqual(one.expect.apply_exec ?? []);
    expect(result.commands.rollback).toEqual(expected.rollback_exec ?? []);
    expect(complaints(result)).toHaveLength(expectedComplaints(one).length);
  });
});

describe("The list of banned CPUs", () => {
  const one = recordedCase("26-plugin-others", "irqbalance");
  const runWith = (profile: string, fs: Record<string, string>, exec = one.input.exec) =>
    runCase({ ...one, input: { ...one.input, profile, fs, exec, watch: Object.keys(fs) } }, { plugins });
  const present = { "/sys/devices/system/cpu/present": "0-3\n" };

  it("of the administrator is restored by a roll-back (Q17)", async () => {
    const text = "IRQBALANCE_BANNED_CPULIST=7\nFOO=1\n";
    const { applied, rolledBack } = await runWith("[irqbalance]\nbanned_cpus=2,3\n", { ...present, [path]: text });
    expect(applied[path]).toBe("IRQBALANCE_BANNED_CPULIST=2-3\nFOO=1\n");
    expect(rolledBack[path]).toBe(text);
  });

  it("is in another file on Debian", async () => {
    const debian = "/etc/default/irqbalance";
    const { applied } = await runWith("[irqbalance]\nbanned_cpus=0-1\n", { ...present, [debian]: "#FOO\n" });
    expect(applied[debian]).toBe("#FOO\nIRQBALANCE_BANNED_CPULIST=0-1\n");
  });

  it("is not written where irqbalance is not installed", async () => {
    const result = await runWith("[irqbalance]\nbanned_cpus=0-1\n", present);
    expect(complaints(result)).toEqual([`banned_cpus: there is no ${path}: irqbalance is not installed`]);
    expect(result.commands.apply).toEqual([]);
  });

  it("is written even if there is no such service to restart", async () => {
    const absent = { "systemctl try-restart irqbalance": { rc: 5 } };
    const result = await runWith("[irqbalance]\nbanned_cpus=0\n", { ...present, [path]: "" }, absent);
    expect(result.applied[path]).toBe("IRQBALANCE_BANNED_CPULIST=0\n");
    expect(complaints(result)).toEqual([]);
  });

  it.each([
    ["banned_cpus=a-b", 'banned_cpus: "a-b" is not a list of CPUs'],
    ["banned=1", "banned: is not an option of [irqbalance]"],
  ])("%s is refused", async (option, reason) => {
    const result = await runWith(`[irqbalance]\n${option}\n`, { ...present, [path]: "FOO=1\n" });
    expect(complaints(result)).toEqual([reason]);
    expect(result.applied[path]).toBe("FOO=1\n");
  });
});
