import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EngineName } from "../tuned-daemon/driver.ts";
import { type Attune, Machine } from "../tuned-daemon/machine.ts";
import { tunedPath } from "../tuned-daemon/tuned-program.ts";
import { type Deviation, deviations } from "./deviations.ts";
import { fakeNode } from "./fake-node.ts";
import { profiles } from "./profiles.ts";

const folders = [
  "/mnt/node",
  "/etc/default",
  "/etc/modprobe.d",
  "/etc/sysconfig",
  "/etc/systemd",
  "/etc/tuned",
  "/etc/udev",
];
const shipped = "/usr/lib/tuned";
/** The files that tell TuneD which profile to apply: each engine has its own. */
const ownFiles = /^\/etc\/tuned\/(active_profile|post_loaded_profile|profile_mode|recommend\.d\/|attune-)/;

type Files = Record<string, string | null>;
type Outcome = Record<Deviation["when"], Files>;

/**
 * What every run compares. Recorded cases (test/fixtures/tuned) hold each plug-in and the language to TuneD already; these
 * show what only real daemons can: that whole profiles leave the same files behind, and that the deviations are true.
 */
const inEveryRun = new Set([
  "cpu-partitioning",
  "intel-sst",
  "openshift-node",
  "postgresql",
  "boot",
  "devices",
  "language",
  "shell-words",
]);

// The deviations are those from TuneD 2.20, the version of Debian 12.
const isComparable =
  tunedPath !== undefined && spawnSync(tunedPath, ["--version"], { encoding: "utf8" }).stdout.includes(" 2.20.");

describe.skipIf(!isComparable)("both engines leave the same files behind as TuneD:", () => {
  const machines = new Map<EngineName, { machine: Machine; attune: Attune }>();
  const met = new Set<Deviation>();

  beforeAll(async () => {
    const write = Object.entries(profiles).map(
      ([name, text]) => `mkdir /etc/tuned/${name}; cat >/etc/tuned/${name}/tuned.conf <<'END'\n${text}\nEND\n`,
    );
    for (const engine of ["plain", "native", "tuned"] as const) {
      const machine = await Machine.start(`${fakeNode}\n${write.join("")}`);
      const attune = await machine.attune();
      await attune.ask({ do: "remember", folders });
      machines.set(engine, { machine, attune });
    }
  });

  afterAll(async () => {
    for (const { machine } of machines.values()) await machine.stop();
  });

  async function outcome(engine: EngineName, profile: string): Promise<Outcome> {
    const attune = machines.get(engine)!.attune;
    await attune.ask({ do: "apply", engine, profile, directories: [shipped, "/etc/tuned"] });
    const applied = await attune.ask<Files>({ do: "changes" });
    await attune.ask({ do: "rollback", engine });
    const undone = await attune.ask<Files>({ do: "changes" });
    await attune.ask({ do: "reset" });
    return { applied: asSeen(applied), undone: asSeen(undone) };
  }

  /** Paths as the node has them, without the files that tell TuneD what to do. */
  function asSeen(files: Files): Files {
    const seen = Object.entries(files).map(([path, text]) => [
      path.replace("/mnt/node/proc-sys/", "/proc/sys/").replace("/mnt/node/", "/"),
      text === null ? null : text.trim().replaceAll(/\s+/g, " "),
    ]);
    return Object.fromEntries(seen.filter(([path]) => !ownFiles.test(String(path))));
  }

  function unexplained(profile: string, engine: Deviation["engine"], ours: Outcome, plain: Outcome): string[] {
    return (["applied", "undone"] as const).flatMap((when) => {
      const paths = new Set([...Object.keys(ours[when]), ...Object.keys(plain[when])]);
      return [...paths].flatMap((path) => {
        const [mine, theirs] = [ours[when][path], plain[when][path]];
        if (mine === theirs) return [];
        const known = deviations.find(
          (one) =>
            one.path === path &&
            one.engine === engine &&
            one.when === when &&
            (one.profile === undefined || one.profile === profile),
        );
        if (known) met.add(known);
        const show = (text: string | null | undefined): string =>
          text === undefined ? "untouched" : JSON.stringify(text);
        return known ? [] : [`${when} ${path}: TuneD ${show(theirs)}, engine ${engine} ${show(mine)}`];
      });
    });
  }

  const all = [
    ...(existsSync(shipped) ? readdirSync(shipped) : []).filter((name) => existsSync(`${shipped}/${name}/tuned.conf`)),
    ...Object.keys(profiles),
  ];
  const names = process.env.ATTUNE_LONG ? all : all.filter((name) => inEveryRun.has(name));
  if (isComparable && names.length < all.length)
    console.log(`${all.length - names.length} of ${all.length} profiles are compared with TuneD by test:long only`);

  test.each(names)("%s", async (profile) => {
    const [plain, native, tuned] = await Promise.all(
      (["plain", "native", "tuned"] as const).map((engine) => outcome(engine, profile)),
    );
    expect([
      ...unexplained(profile, "native", native!, plain!),
      ...unexplained(profile, "tuned", tuned!, plain!),
    ]).toEqual([]);
  });

  test("every listed deviation occurs", () => {
    expect(deviations.filter((one) => !met.has(one))).toEqual([]);
  });
});
