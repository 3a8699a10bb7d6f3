import { describe, expect, test } from "vitest";
import { baseVariableFiles } from "../../language/tuned/profiles/base-files.ts";
import { baseProfiles } from "../../language/tuned/profiles/base-profiles.ts";
import { parseProfile } from "../../language/tuned/text/parse-profile.ts";
import type { ResolvedProfile } from "../../language/tuned/resolve.ts";
import { nativeEngine } from "../engine/native-engine.ts";
import type { CommandResult, Host, Outcome, RunOptions } from "../host/host.ts";
import { MemoryBase } from "../host/memory-base.ts";
import { MemoryHost } from "../host/memory-host.ts";
import { placeBaseScripts } from "./place-base-scripts.ts";
import { resolveOnNode } from "./resolve-on-node.ts";

const swappiness = "/proc/sys/vm/swappiness";

/** A node of which some folders are read-only. Its script runs only where it was placed. */
class PartlyReadOnlyHost extends MemoryHost {
  readonly ran: string[] = [];
  /** Mounted so. */
  noexec = "none";
  readonly #readOnly: readonly string[];

  constructor(...readOnly: string[]) {
    super(
      new MemoryBase([
        ["/proc/sys/kernel/random/boot_id", "boot\n"],
        [swappiness, "60\n"],
        ["/proc/sys/vm/dirty_writeback_centisecs", "500\n"],
        ["/proc/sys/kernel/nmi_watchdog", "1\n"],
      ]),
    );
    this.#readOnly = readOnly;
  }

  override async replace(path: string, text: string): Promise<Outcome> {
    if (this.#readOnly.some((folder) => path.startsWith(folder)))
      return { type: "failed", code: "EROFS", message: `${path}: read-only file system` };
    return super.replace(path, text);
  }

  override async run(argv: readonly string[], options?: RunOptions): Promise<CommandResult> {
    const [program = "", , path = ""] = argv;
    if (program === "test")
      return { type: "exited", code: path.startsWith(this.noexec) ? 1 : 0, stdout: "", stderr: "" };
    if (!program.endsWith("/script.sh") || (await this.read(program)).type !== "text") return super.run(argv, options);
    this.ran.push(argv.join(" "));
    return { type: "exited", code: 0, stdout: "", stderr: "" };
  }
}

async function resolved(host: Host): Promise<ResolvedProfile> {
  const text = parseProfile("[main]\ninclude=powersave\n[sysctl]\nvm.swappiness=7\n", "mine/tuned.conf");
  const profiles = { profile: "mine", layers: [baseProfiles(), new Map([["mine", text]])], files: baseVariableFiles() };
  const resolution = await resolveOnNode({ profiles, host });
  if (resolution.type !== "resolved") throw new Error(JSON.stringify(resolution));
  return resolution.profile;
}

function scripts({ units }: ResolvedProfile): (readonly string[])[] {
  return units.flatMap(({ options }) => [...options.values()].flatMap(({ list }) => (list ? [list] : [])));
}

describe("the scripts of built-in profiles", () => {
  test.each<[string, string[], string]>([
    ["in the state directory, because /usr is read-only on image-based hosts", ["/usr"], "/var/lib/attune"],
    ["in /run where the state directory cannot be written", ["/usr", "/var/lib/attune/profiles"], "/run/attune"],
  ])("are placed %s", async (_, readOnly, folder) => {
    const host = new PartlyReadOnlyHost(...readOnly);
    const profile = await placeBaseScripts(await resolved(host), host);
    expect(scripts(profile)).toEqual([[`${folder}/profiles/powersave/script.sh`]]);
    expect(await host.read(`${folder}/profiles/powersave/script.sh`)).toMatchObject({
      text: expect.stringMatching(/^#!\/bin\/sh/),
    });
    const { settings } = await nativeEngine().apply(profile, host);
    expect(host.ran).toEqual([`${folder}/profiles/powersave/script.sh start`]);
    expect(settings).toContainEqual(expect.objectContaining({ type: "set", target: swappiness, value: "7" }));
  });

  test("are placed in /run where the state directory is mounted noexec, also once they are there", async () => {
    const host = new PartlyReadOnlyHost("/usr");
    await placeBaseScripts(await resolved(host), host);
    host.noexec = "/var/";
    for (const write of [true, false]) {
      const profile = await placeBaseScripts(await resolved(host), host, { write });
      expect(scripts(profile)).toEqual([["/run/attune/profiles/powersave/script.sh"]]);
      expect(profile.warnings).toEqual([]);
    }
    host.noexec = "/";
    const { warnings } = await placeBaseScripts(await resolved(host), host);
    expect(warnings).toMatchObject([{ level: "error", message: expect.stringContaining("noexec") }]);
  });

  test("leave every other setting applied where they can be placed nowhere", async () => {
    const host = new PartlyReadOnlyHost("/usr", "/var/lib/attune/profiles", "/run/attune");
    const profile = await placeBaseScripts(await resolved(host), host);
    expect(profile.warnings).toMatchObject([
      { level: "error", message: expect.stringContaining("read-only file system") },
    ]);
    const { settings } = await nativeEngine().apply(profile, host);
    expect(await host.read(swappiness)).toEqual({ type: "text", text: "7\n" });
    expect(settings.filter(({ type }) => type === "failed").map(({ option }) => option)).toEqual(["script"]);
  });

  test("are found, not written, by a command that changes nothing", async () => {
    const host = new PartlyReadOnlyHost("/usr");
    const before = await placeBaseScripts(await resolved(host), host, { write: false });
    expect(scripts(before)).toEqual([["/usr/lib/attune/profiles/powersave/script.sh"]]);
    expect([...host.changes()]).toEqual([]);
    await placeBaseScripts(await resolved(host), host);
    const after = await placeBaseScripts(await resolved(host), host, { write: false });
    expect(scripts(after)).toEqual([["/var/lib/attune/profiles/powersave/script.sh"]]);
  });
});
