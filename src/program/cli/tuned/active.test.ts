import { describe, expect, it } from "vitest";
import { RecordingTerminal } from "../terminal/testing/recording-terminal.ts";
import { active, type ActiveOptions } from "./active.ts";
import { apply } from "./apply.ts";
import { rollback } from "./rollback.ts";
import { FakeRoot } from "./testing/fake-root.ts";

type Shown = [code: number, out: string];

async function shown(root: FakeRoot, output: ActiveOptions["output"] = "table"): Promise<Shown> {
  const printed = new RecordingTerminal();
  const code = await active({ root: root.path, output }, printed);
  expect(printed.stderr).toBe("");
  return [code, printed.stdout];
}

async function applied(root: FakeRoot, name: string): Promise<string> {
  const printed = new RecordingTerminal();
  await apply([name], { root: root.path, dir: [], engine: "native", output: "table" }, printed);
  return printed.stderr;
}

const p = { "/etc/tuned/p/tuned.conf": "[sysctl]\nvm.swappiness=11\n" };
const post = {
  "/etc/tuned/post/tuned.conf": "[sysctl]\nvm.swappiness=12\n",
  "/etc/tuned/post_loaded_profile": "post\n",
};
const daemon = { "/proc/77/cmdline": "/usr/bin/python3\0-Es\0/usr/sbin/tuned\0" };
const record = (complete: boolean): string =>
  JSON.stringify({
    version: 1,
    node: "n1",
    bootId: "boot-1",
    bootcmdline: "",
    spec: { config: { tunedProfile: "a" } },
    complete,
  });

describe("attune tuned active", () => {
  it.each<[string, Record<string, string>, Shown]>([
    ["nothing", {}, [1, "No current active profile.\n"]],
    [
      "what TuneD runs",
      { ...daemon, "/etc/tuned/active_profile": "x y\n" },
      [0, "Current active profile: x y\napplied by: TuneD\n"],
    ],
    [
      "its post-loaded profile as well",
      { ...daemon, ...post, "/etc/tuned/active_profile": "x\n" },
      [0, "Current active profile: x\nCurrent post-loaded profile: post\napplied by: TuneD\n"],
    ],
    [
      "a preset that nothing applies",
      { "/etc/tuned/active_profile": "x\n" },
      [0, "Preset profile: x\nTuneD is not running: the profile is not applied\n"],
    ],
    [
      "what the agent applied",
      { "/etc/tuned/active_profile": "x\n", "/var/lib/attune/tuning.json": record(true) },
      [0, 'Current active profile: a\napplied by: the agent of Node "n1"\n'],
    ],
    [
      "what the agent began to apply",
      { "/var/lib/attune/tuning.json": record(false) },
      [0, 'Current active profile: a (applied in part)\napplied by: the agent of Node "n1"\n'],
    ],
    [
      "what the agent applied before a restart",
      { "/var/lib/attune/tuning.json": record(true).replace("boot-1", "boot-0") },
      [0, 'Current active profile: a (before the last restart)\napplied by: the agent of Node "n1"\n'],
    ],
  ])("%s", async (_, files, expected) => {
    expect(await shown(await FakeRoot.make(files))).toEqual(expected);
  });

  it("shows what attune tuned apply applied, until it is rolled back or the host restarts", async () => {
    const root = await FakeRoot.make(p);
    await applied(root, "p");
    expect(await shown(root)).toEqual([0, "Current active profile: p\napplied by: attune tuned apply\n"]);
    expect(JSON.parse((await shown(root, "json"))[1])).toEqual({
      profile: "p",
      by: "attune tuned apply",
      applied: true,
    });
    await root.write({ "/proc/sys/kernel/random/boot_id": "boot-2\n" });
    expect(await shown(root)).toEqual([1, "No current active profile.\n"]);
    await applied(root, "p");
    await rollback({ root: root.path, output: "table" }, new RecordingTerminal());
    expect(await shown(root)).toEqual([1, "No current active profile.\n"]);
  });

  it("merges the post-loaded profile into the named one, as TuneD does", async () => {
    const root = await FakeRoot.make({ ...p, ...post });
    expect(await applied(root, "p")).toBe("");
    expect(await root.read("/proc/sys/vm/swappiness")).toBe("12");
    expect(await shown(root)).toEqual([
      0,
      "Current active profile: p\nCurrent post-loaded profile: post\napplied by: attune tuned apply\n",
    ]);
  });

  it("reads what the TuneD engine's files replaced", async () => {
    const entry = (target: string, before: string): object => ({
      target,
      before,
      aliases: [],
      lasts: "persistent",
      undo: [],
      claims: [],
    });
    const entries = [entry("/etc/tuned/active_profile", "x\n"), entry("/etc/tuned/post_loaded_profile", "post\n")];
    const root = await FakeRoot.make({
      ...daemon,
      "/etc/tuned/active_profile": "attune-x\n",
      "/etc/tuned/post_loaded_profile": "",
      "/var/lib/attune/journal.json": JSON.stringify({ version: 2, bootId: "boot-1", entries }),
    });
    expect((await shown(root))[1]).toContain("profile: x\nCurrent post-loaded profile: post\n");
  });

  it.each([
    ["one\ntwo\n", '/etc/tuned/post_loaded_profile: "one\\ntwo" is not the name of one profile'],
    ["../x\n", '/etc/tuned/post_loaded_profile: "../x" is not the name of one profile'],
    ["gone\n", 'profile "gone" does not exist'],
  ])("a post-loaded profile %j keeps a profile from being applied, with the reason", async (text, reason) => {
    const root = await FakeRoot.make({ ...p, "/etc/tuned/post_loaded_profile": text });
    const printed = new RecordingTerminal();
    const given = { root: root.path, dir: [], engine: "native", output: "table" } as const;
    await expect(apply(["p"], given, printed).then((code) => [code, printed.stderr])).resolves.toEqual([
      1,
      expect.stringContaining(reason),
    ]);
    expect(await root.read("/proc/sys/vm/swappiness")).toBe("60");
  });
});
