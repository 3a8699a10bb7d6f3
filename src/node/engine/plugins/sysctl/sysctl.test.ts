import { normalize } from "node:path/posix";
import * as fc from "fast-check";
import { sysctlPath } from "./files.ts";
import { describe, expect, test } from "vitest";
import { nativeEngine } from "../../native-engine.ts";
import { benchHost } from "../../testing/bench-host.ts";
import {
  complaints,
  expectedComplaints,
  expectedOutcome,
  outcomeOf,
  resolvedProfile,
  runCase,
} from "../../testing/plugin-bench.ts";
import { type RecordedCase, recordedCases } from "../../testing/recorded-case.ts";

describe("as TuneD", () => {
  test.each(recordedCases("20-plugin-sysctl").map((one) => [one.id, one] as const))("%s", async (_, one) => {
    const result = await runCase(one);
    expect(outcomeOf(result)).toEqual(expectedOutcome(one));
    expect(complaints(result).length > 0).toBe(expectedComplaints(one).length > 0);
  });
});

describe("the node's own sysctl files", () => {
  const fs = {
    "/proc/sys/vm/swappiness": "60\n",
    "/proc/sys/kernel/a": "1\n",
    "/proc/sys/net/ipv4/ip_forward": "1\n",
    "/etc/sysctl.conf": "vm.swappiness = 30\nnet.ipv4.ip_forward=0\nkernel.a=2\n",
  };
  const watch = ["/proc/sys/vm/swappiness", "/proc/sys/kernel/a", "/proc/sys/net/ipv4/ip_forward"];
  const one: RecordedCase = {
    id: "own",
    input: { profile: "[sysctl]\nvm.swappiness=11\nkernel.a=2\n", fs, watch, reapply: 1 },
    expect: { applied: {}, rolled_back: {} },
  };

  test("win over the profile, with a report", async () => {
    const { apply, applied } = await runCase(one);
    expect(Object.values(applied)).toEqual(["30", "2", "0"]);
    const by = { unit: "sysctl", option: "vm.swappiness", from: "/etc/sysctl.conf:1", value: "30" };
    expect(apply.settings).toMatchObject([
      { type: "overridden", option: "vm.swappiness", value: "11", by },
      { type: "set", option: "kernel.a" },
      { type: "set", option: "vm.swappiness", value: "30" },
      { type: "set", option: "net.ipv4.ip_forward", from: "/etc/sysctl.conf:2" },
    ]);
  });

  test("are not undone for keys that the profile does not have", async () => {
    expect(Object.values((await runCase(one)).rolledBack)).toEqual(["60", "1", "0"]);
  });

  test("do not win for excluded keys", async () => {
    const host = benchHost(one);
    const profile = await resolvedProfile(one, host);
    const reapplySysctl = { enabled: true, exclude: ["net.*"] };
    await nativeEngine().apply(profile, host, { reapplySysctl });
    expect(await host.read("/proc/sys/net/ipv4/ip_forward")).toEqual({ type: "text", text: "1\n" });
    expect(await host.read("/proc/sys/vm/swappiness")).toEqual({ type: "text", text: "30" });
  });
});

test.each([
  ["kernel.core_pattern=|/bin/x", "/proc/sys/kernel/core_pattern", "/bin/x\n", "|/bin/x"],
  ["vm.x=0", "/proc/sys/vm/x", "\n", "0"],
  ["vm.dirty_ratio=30", "/proc/sys/vm/dirty_ratio", "20\n", "30"],
])("%s is written although TuneD would verify %s as passed", async (line, path, before, after) => {
  const input = { profile: `[sysctl]\n${line}\n`, fs: { [path]: before }, watch: [path] };
  const { applied } = await runCase({ id: "own", input, expect: { applied: {}, rolled_back: {} } });
  expect(applied[path]).toBe(after);
});

test("a ratio that was in force as bytes is restored as bytes", async () => {
  const [bytes, ratio] = ["/proc/sys/vm/dirty_bytes", "/proc/sys/vm/dirty_ratio"];
  const fs = { [bytes]: "67108864\n", [ratio]: "0\n" };
  // The kernel clears the bytes when the ratio is written.
  const input = { profile: "[sysctl]\nvm.dirty_ratio=30\n", fs, watch: [bytes], fs_before_verify: { [bytes]: "0\n" } };
  const { rollback, rolledBack } = await runCase({ id: "own", input, expect: { applied: {}, rolled_back: {} } });
  expect(rolledBack).toEqual({ [bytes]: "67108864" });
  expect(rollback?.restored).toHaveLength(1);
});

test.each(["vm.nosuch=1", "net.ipv4.neigh.eth0.retrans_time=1"])(
  "Q11: %s cannot be set, and verifies as different",
  async (line) => {
    const fs = { "/proc/sys/net/ipv4/neigh/eth0/retrans_time": "0\n" };
    const input = { profile: `[sysctl]\n${line}\n`, fs, watch: [] };
    const result = await runCase({ id: "own", input, expect: { applied: {}, rolled_back: {} } });
    expect(complaints(result)).toHaveLength(1);
    expect(result.verify?.differences).toHaveLength(1);
  },
);

test.each([
  ["vm.swappiness", "/proc/sys/vm/swappiness"],
  ["net.ipv4.conf.eth0/100.forwarding", "/proc/sys/net/ipv4/conf/eth0.100/forwarding"],
  ["__proto__", "/proc/sys/__proto__"],
  ["", undefined],
  ["vm..swappiness", undefined],
  [".vm", undefined],
  ["a.//.b", undefined],
  ["//", undefined],
  ["vm.\0", undefined],
])("the sysctl %j is the file %j", (name, path) => {
  expect(sysctlPath(name)).toBe(path);
});

test("no name leads out of /proc/sys", () => {
  const names = fc.array(fc.constantFrom(".", "/", "a", "..", "//", "~", " "), { maxLength: 12 });
  fc.assert(
    fc.property(names, (parts) => {
      const path = sysctlPath(parts.join(""));
      if (path !== undefined) expect(normalize(path).startsWith("/proc/sys/")).toBe(true);
    }),
  );
});
