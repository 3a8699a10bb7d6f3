import { describe, expect, test } from "vitest";
import { MemoryBase } from "../host/memory-base.ts";
import { type MemoryCommand, MemoryHost } from "../host/memory-host.ts";
import { parseProfile } from "../../language/tuned/text/parse-profile.ts";
import { noAnswers } from "../../language/tuned/probe.ts";
import { type ResolvedProfile, resolve } from "../../language/tuned/resolve.ts";
import type { SettingReport } from "./engine.ts";
import { nativeEngine } from "./native-engine.ts";
import type { Plugin } from "./plugin.ts";
import { sysctl } from "./plugins/sysctl/sysctl.ts";

const swappiness = "/proc/sys/vm/swappiness";

function node(commands: Record<string, MemoryCommand> = {}): MemoryHost {
  return new MemoryHost(
    new MemoryBase([
      ["/proc/sys/kernel/random/boot_id", "boot-1\n"],
      [swappiness, "60\n"],
    ]),
    Object.entries(commands),
  );
}

function profile(text: string): ResolvedProfile {
  const resolution = resolve({ profile: "p", layers: [new Map([["p", parseProfile(text, "p")]])] }, noAnswers);
  if (resolution.type !== "resolved") throw new Error(JSON.stringify(resolution));
  return resolution.profile;
}

/** Plans one step for each option and device. */
const lamps: Plugin = {
  type: "lamp",
  defaults: { colour: "white", size: null },
  devices: async () => ["red1", "red2", "blue1"],
  properties: async (device) => `ID=${device}\nPLACE=${device.startsWith("red") ? "kitchen" : "hall"}`,
  async plan({ options }, _, devices) {
    return devices.flatMap((device) =>
      [...options].map(([option, { value, from }]) => ({
        type: "skipped" as const,
        option,
        from,
        device,
        message: value,
      })),
    );
  },
};
const broken: Plugin = { type: "broken", plan: () => Promise.reject(new Error("out of paper")) };

async function apply(text: string, host = node(), plugins = [lamps, broken, sysctl]): Promise<SettingReport[]> {
  return [...(await nativeEngine(plugins).apply(profile(text), host)).settings];
}

function summaries(reports: readonly SettingReport[]): string[] {
  return reports.map((report) => {
    const what = "message" in report ? report.message : report.type;
    return `${report.unit} ${report.device ?? "-"} ${report.option}: ${what}`;
  });
}

describe("devices", () => {
  test("belong to the first unit that matches them, by priority", async () => {
    const text = "[rest]\ntype=lamp\ncolour=any\n[mine]\ntype=lamp\ndevices=red*,!red2\npriority=-1\ncolour=red\n";
    expect(summaries(await apply(text))).toEqual([
      "mine red1 colour: red",
      "rest red2 colour: any",
      "rest blue1 colour: any",
    ]);
  });

  test("that other units have claimed leave a unit without effect", async () => {
    const text = "[a]\ntype=lamp\n[b]\ntype=lamp\ncolour=x\n";
    expect(summaries(await apply(text)).at(-1)).toBe("b - : no matching devices available");
    expect(await nativeEngine([lamps]).verify(profile(text), node())).toEqual({ differences: [] });
  });

  test("are matched by devices_udev_regex", async () => {
    const text = "[lamp]\ndevices=blue1\ndevices_udev_regex=^PLACE=kit\n";
    expect(summaries(await apply(text))).toEqual(["lamp red1 colour: white", "lamp red2 colour: white"]);
  });

  test("are not matched by a malformed pattern", async () => {
    expect(await apply("[lamp]\ndevices_udev_regex=(\n")).toMatchObject([{ type: "failed", unit: "lamp" }]);
  });
});

test("defaults are applied unless the profile sets the option; null is no default", async () => {
  expect(summaries(await apply("[lamp]\ndevices=red1\nsize=2\n"))).toEqual([
    "lamp red1 colour: white",
    "lamp red1 size: 2",
  ]);
});

test("a unit that fails does not stop the others", async () => {
  expect(summaries(await apply("[broken]\na=1\n[sysctl]\nvm.swappiness=1\n"))).toEqual([
    "broken - : out of paper",
    "sysctl - vm.swappiness: set",
  ]);
});

describe("a later unit", () => {
  test.each([
    ["vm.swappiness=100", "vm.swappiness=>80", "100"],
    ["vm.swappiness=100", "vm.swappiness=<80", "80"],
    ["vm.swappiness=10", "vm.swappiness=60", "60"],
    ["vm.swappiness=10", "vm.swappiness=10", "10"],
  ])("reads what an earlier unit sets: %s, then %s", async (one, other, value) => {
    const host = node();
    const text = `[a]\ntype=sysctl\n${one}\n[b]\ntype=sysctl\n${other}\n`;
    // Applying again changes nothing.
    for (let time = 0; time < 2; time++) {
      await apply(text, host);
      expect(await host.read(swappiness)).toEqual({ type: "text", text: `${value}\n` });
    }
    await nativeEngine().rollback(host);
    expect(await host.read(swappiness)).toEqual({ type: "text", text: "60\n" });
  });
});

describe("scripts of a unit's devices", () => {
  const called: string[] = [];
  const note: MemoryCommand = (args, _, { cwd }) => {
    called.push(`${cwd} ${args.join(" ")}`);
    return { type: "exited", code: args[0] === "verify" ? 1 : 0, stdout: "", stderr: "" };
  };

  test("are called before and after, for each device, and undone", async () => {
    called.length = 0;
    const host = node({ "pre.sh": note });
    const text = "[lamp]\ndevices=red*\nscript_pre=/etc/tuned/profiles/p/pre.sh\n";
    await apply(text, host);
    expect(called).toEqual(["/etc/tuned/profiles/p apply red1", "/etc/tuned/profiles/p apply red2"]);
    expect((await nativeEngine([lamps]).verify(profile(text), host)).differences).toHaveLength(2);
    called.length = 0;
    await nativeEngine([lamps]).rollback(host);
    expect(called).toEqual([
      "/etc/tuned/profiles/p unapply full_rollback red2",
      "/etc/tuned/profiles/p unapply full_rollback red1",
    ]);
  });

  test.each(["/tmp/pre.sh", "pre.sh", "/etc/tuned/profiles/../../../tmp/pre.sh"])(
    "are not run from %s",
    async (path) => {
      called.length = 0;
      const reports = await apply(`[lamp]\ndevices=red1\nscript_post=${path}\n`, node({ "pre.sh": note }));
      expect(reports).toContainEqual(expect.objectContaining({ type: "failed", option: "script_post" }));
      expect(called).toEqual([]);
    },
  );
});
