import { describe, expect, test } from "vitest";
import { complaints, expectedComplaints, expectedOutcome, outcomeOf, runCase } from "../testing/plugin-bench.ts";
import { type Recorded, recordedCase } from "../testing/recorded-case.ts";

const path = "/etc/modprobe.d/tuned.conf";
const head = "# head\n# head2\n";

describe("as TuneD", () => {
  /** Q13: what other programs wrote stays, and a roll-back restores the file. */
  const instead: Record<string, Partial<Recorded>> = {
    modules: {
      applied: { [path]: `${head}options old x=1\noptions netrom nr_ndevs=2\noptions kvm halt_poll_ns=0\n` },
      rolled_back: { [path]: `${head}options old x=1\n` },
    },
    "modules-soft": {
      applied: { [path]: "# head\noptions netrom nr_ndevs=2\n" },
      rolled_back: { [path]: "# head\noptions netrom nr_ndevs=2\n" },
    },
  };

  test.each(["modules", "modules-soft"])("%s", async (id) => {
    const one = recordedCase("26-plugin-others", id);
    const result = await runCase(one);
    expect(outcomeOf(result)).toEqual(expectedOutcome(one, instead[id]));
    expect([...result.commands.observed, ...result.commands.apply]).toEqual(one.expect.apply_exec);
    expect(complaints(result).length > 0).toBe(expectedComplaints(one).length > 0);
  });
});

const withProfile = (profile: string, fs: Record<string, string> = {}) =>
  runCase({
    id: "own",
    input: { profile, fs, watch: [path], exec: { "modinfo*": { rc: 0 } } },
    expect: { applied: {}, rolled_back: {} },
  });

test("a file that did not exist is removed by a roll-back", async () => {
  const result = await withProfile("[modules]\nkvm=halt_poll_ns=0\n");
  expect(result.applied).toEqual({ [path]: "options kvm halt_poll_ns=0\n" });
  expect(result.rolledBack).toEqual({ [path]: null });
});

test("a name that would be an option of modprobe or a path is refused", async () => {
  const result = await withProfile("[modules]\n-r=+r\n../x=a=1\nkvm=+r\n", { "/sys/module/kvm/x": "" });
  expect(complaints(result)).toEqual([
    "-r: is not the name of a kernel module",
    "../x: is not the name of a kernel module",
    "kvm: modprobe: no such program",
  ]);
  expect(result.commands.apply).toEqual(["modprobe -r kvm"]);
});

test("a module that the kernel names with an underscore is found, and words that are no options are reported", async () => {
  const result = await withProfile("[modules]\nsnd-hda=a=1 b\n", { "/sys/module/snd_hda/parameters/a": "2\n" });
  expect(result.verify?.differences).toMatchObject([{ found: "2", expected: "1" }]);
});
