import { describe, expect, test } from "vitest";
import type { MemoryCommand } from "../../host/memory-host.ts";
import { complaints, expectedComplaints, expectedOutcome, outcomeOf, runCase } from "../testing/plugin-bench.ts";
import { recordedCase } from "../testing/recorded-case.ts";

const script = "/etc/tuned/profiles/a/one.sh";
const calls = "/etc/tuned/calls";

/** What the recorded script does: it writes down how it was called. */
const noting: MemoryCommand = async (args, host, { env, cwd }) => {
  const file = await host.read(calls);
  const before = file.type === "text" ? file.text : "";
  host.put(calls, `${before}${script} ${args.join(" ")} [${env?.TUNED_v ?? ""}]\n`);
  return { type: "exited", code: cwd === "/etc/tuned/profiles/a" ? 0 : 1, stdout: "", stderr: "" };
};
const failing: MemoryCommand = () => ({ type: "exited", code: 3, stdout: "", stderr: "oops\n" });

describe("as TuneD", () => {
  test("script-soft, with a variable of its own rather than one left over from another profile (Q2)", async () => {
    const one = recordedCase("26-plugin-others", "script-soft");
    const profile = `[variables]\nv=7\n${one.input.profile}`;
    const result = await runCase({ ...one, input: { ...one.input, profile } }, { programs: { [script]: noting } });
    expect(outcomeOf(result)).toEqual(expectedOutcome(one));
  });

  test("script-fail", async () => {
    const one = recordedCase("26-plugin-others", "script-fail");
    const result = await runCase(one, { programs: { [script]: failing } });
    expect(outcomeOf(result)).toEqual(expectedOutcome(one));
    expect(complaints(result).length > 0).toBe(expectedComplaints(one).length > 0);
    expect(result.rollback?.restored).toMatchObject([{ failed: expect.stringContaining("oops") as string }]);
    expect(result.commands.rollback).toEqual([`${script} stop full_rollback`]);
  });
});

test("a script outside the directories of profiles is not run, not even through a link", async () => {
  const result = await runCase({
    id: "own",
    input: {
      profile: "[script]\nscript=/tmp/one.sh\n[more]\ntype=script\nscript=link.sh\n",
      fs: { "/etc/tuned/profiles/a/link.sh": "->/tmp/one.sh", "/tmp/one.sh": "#!/bin/sh\n" },
      watch: [],
      exec: { "*": { rc: 0 } },
    },
    expect: { applied: {}, rolled_back: {} },
  });
  expect(complaints(result)).toHaveLength(2);
  expect([...result.commands.apply, ...result.commands.observed]).toEqual([]);
  expect(result.verify?.differences).toEqual([]);
});
