import { describe, expect, test } from "vitest";
import { type Answer, noAnswers, type Probe, probeKey } from "./probe.ts";
import { recommend } from "./recommend.ts";

function asking(file: string, node: Record<string, string>): string {
  const answers = new Map<string, Answer>();
  for (let round = 0; round < 9; round++) {
    const result = recommend({ file, folders: [] }, { answers });
    if (result.type === "recommended") return result.profile;
    if (result.type === "invalid") return result.problems[0]?.message ?? "";
    for (const probe of result.probes) {
      const text = node[keyOf(probe)];
      answers.set(probeKey(probe), text === undefined ? { type: "none" } : { type: "text", text });
    }
  }
  throw new Error("asks on and on");
}

function keyOf(probe: Probe): string {
  return probe.type === "exec" ? probe.argv.join(" ") : probe.path;
}

describe("a recommended profile", () => {
  test.each<[string, string, Record<string, string>, string]>([
    [
      "a process by the start of its name",
      "[db]\nprocess1=post\n",
      { "/proc": "1\n7\nself", "/proc/7/comm": "postgres\n" },
      "db",
    ],
    ["a process that only ends so", "[db]\nprocess=gres\n", { "/proc": "7", "/proc/7/comm": "postgres\n" }, "balanced"],
    [
      "a chassis by its number",
      "[l]\nchassis_type=laptop\n",
      { "/sys/devices/virtual/dmi/id/chassis_type": "9\n" },
      "l",
    ],
    [
      "a chassis that only dmidecode knows",
      "[l]\nchassis_type=rack\n",
      { "dmidecode -s chassis-type": "Rack Mount Chassis\n" },
      "l",
    ],
    [
      "a role",
      "[r]\nsyspurpose_role=.*server\n",
      { "/etc/rhsm/syspurpose/syspurpose.json": '{"role": "Red Server"}' },
      "r",
    ],
    [
      "a role in a file that is none",
      "[r]\nsyspurpose_role=x\n",
      { "/etc/rhsm/syspurpose/syspurpose.json": "{" },
      "balanced",
    ],
    ["several rules, of which one fails", "[a]\nvirt=kvm\n/x=1\n[b]\nvirt=kvm\n", { "virt-what": "kvm\n" }, "b"],
    ["a pattern that is none", "[a]\nvirt=[\n", {}, 'regular expression "[": unterminated character set'],
  ])("%s", (_, file, node, expected) => {
    expect(asking(file, node)).toBe(expected);
  });

  test("asks only what the rules before it leave open", () => {
    const file = "[a]\nvirt=kvm\n/x=1\n";
    expect(recommend({ file, folders: [] }, { answers: noAnswers })).toEqual({
      type: "needs",
      probes: [{ type: "exec", argv: ["virt-what"] }],
    });
  });

  test("ignores a file that cannot be parsed, with an error", () => {
    const result = recommend(
      { file: "x\n", folders: [{ path: "/x", files: new Map([["50-a", "[a]\n"]]) }] },
      { answers: noAnswers },
    );
    expect(result).toMatchObject({
      type: "recommended",
      profile: "a",
      from: "/x/50-a:1",
      warnings: [{ file: "/etc/tuned/recommend.conf", line: 1 }],
    });
  });
});
