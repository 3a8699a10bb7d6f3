import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { behavesAsHost } from "./testing/host-behaviour.ts";
import { LinuxHost } from "./linux-host.ts";
import { asyncFiles } from "./async-files.ts";
import { syncFiles } from "./sync-files.ts";

/** Longer than a busy machine takes. */
const patient = { timeout: 100_000 };

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "attune-host-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function rootWith(files: Record<string, string>): Promise<string> {
  const root = await mkdtemp(join(folder, "root-"));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}

describe.each(Object.entries({ asyncFiles, syncFiles }))("with %s", (_, how) => {
  behavesAsHost(async (files) => new LinuxHost(await rootWith(files), how));

  test.each(["write", "replace"] as const)("%s fails where no folder can be made", async (name) => {
    // Node's recursive mkdir never returns below /proc.
    expect(await new LinuxHost("/proc", how)[name]("/nosuch/x", "1")).toMatchObject({ type: "failed", code: "ENOENT" });
  });

  test("a replacement that fails leaves no other file behind", async () => {
    const root = await rootWith({ "/etc/x/y": "1" });
    expect(await new LinuxHost(root, how).replace("/etc/x", "2")).toMatchObject({ type: "failed" });
    expect(await readdir(join(root, "etc"))).toEqual(["x"]);
  });

  test.each(["replace", "remove"] as const)("%s removes what a killed process left beside a file", async (name) => {
    const root = await rootWith({ "/etc/x": "1", "/etc/.x.attune-new": "half" });
    expect(await new LinuxHost(root, how)[name]("/etc/x", "2")).toEqual({ type: "done" });
    expect(await readdir(join(root, "etc"))).toEqual(name === "replace" ? ["x"] : []);
  });

  test("a link beside a file is not followed", async () => {
    const root = await rootWith({ "/etc/x": "1", "/etc/other": "o" });
    await symlink("other", join(root, "etc/.x.attune-new"));
    expect(await new LinuxHost(root, how).replace("/etc/x", "2")).toEqual({ type: "done" });
    expect(await readFile(join(root, "etc/other"), "utf8")).toBe("o");
  });
});

describe("a host below a root", () => {
  test("does not create a file through a dangling link that leads out", async () => {
    const root = await rootWith({ "/etc/x": "1" });
    const outside = join(await rootWith({ "/etc/x": "1" }), "made");
    await symlink(outside, join(root, "dangling"));
    expect(await new LinuxHost(root).write("/dangling", "x")).toEqual({ type: "done" });
    await expect(stat(outside)).rejects.toThrow("ENOENT");
    expect(await readFile(join(root, outside), "utf8")).toBe("x");
  });

  test("does not follow links out of it", async () => {
    const outside = await rootWith({ "/secret": "s" });
    const root = await rootWith({ "/etc/x": "1" });
    await symlink(outside, join(root, "out"));
    await symlink("x", join(root, "etc/y"));
    const host = new LinuxHost(root);
    await symlink("../../../../../../../etc/x", join(root, "etc/climbs"));
    expect(await host.read("/etc/climbs")).toEqual({ type: "text", text: "1" });
    expect(await host.read("/out/secret")).toEqual({ type: "missing" });
    expect(await host.write("/out/new", "1")).toEqual({ type: "done" });
    expect(await host.replace("/out/other", "1")).toEqual({ type: "done" });
    expect(await host.remove("/out/secret")).toEqual({ type: "done" });
    expect(await readdir(outside)).toEqual(["secret"]);
    expect(await host.read("/etc/y")).toEqual({ type: "text", text: "1" });
    expect(await host.real("/etc/y")).toBe("/etc/x");
  });
});

describe.each([
  ["asynchronously", asyncFiles],
  ["synchronously", syncFiles],
])("absolute links below a root, %s,", (_, how) => {
  test("begin at the root, as for chroot", async () => {
    const root = await rootWith({ "/data/etc/x": "1" });
    await symlink("/data/etc", join(root, "etc"));
    await symlink("/etc/x", join(root, "data/etc/y"));
    const host = new LinuxHost(root, how);
    expect(await host.read("/etc/y")).toEqual({ type: "text", text: "1" });
    expect(await host.real("/etc/y")).toBe("/data/etc/x");
    expect(await host.list("/etc")).toEqual(["x", "y"]);
    expect(await host.replace("/etc/new/z", "2")).toEqual({ type: "done" });
    expect(await readFile(join(root, "data/etc/new/z"), "utf8")).toBe("2");
    expect(await host.remove("/etc/y")).toEqual({ type: "done" });
    expect(await host.list("/data/etc")).toEqual(["new", "x"]);
  });

  test("that lead in circles are named", async () => {
    const root = await rootWith({});
    await symlink("/b", join(root, "a"));
    await symlink("/a", join(root, "b"));
    expect(await new LinuxHost(root, how).read("/a/x")).toMatchObject({ type: "failed", code: "ELOOP" });
  });
});

test("a file keeps its mode when it is replaced, unless another is given", async () => {
  const root = await rootWith({ "/etc/secret": "a" });
  await chmod(join(root, "etc/secret"), 0o600);
  const host = new LinuxHost(root);
  const modeAfter = async (mode?: number): Promise<number> => {
    await host.replace("/etc/secret", "b", mode);
    return (await stat(join(root, "etc/secret"))).mode & 0o777;
  };
  expect(await modeAfter()).toBe(0o600);
  expect(await modeAfter(0o640)).toBe(0o640);
});

describe("a host's programs", () => {
  const host = new LinuxHost("/");

  test("get their arguments as they are, without a shell", async () => {
    expect(await host.run(["printf", "%s", "$HOME; a"])).toMatchObject({ code: 0, stdout: "$HOME; a" });
    expect(await host.run(["sh", "-c", "echo bad >&2; exit 3"])).toMatchObject({ code: 3, stderr: "bad\n" });
  });

  // Q2: nor variables that an earlier profile exported.
  test("get none of this process's variables", async () => {
    vi.stubEnv("ATTUNE_SECRET", "s");
    onTestFinished(() => void vi.unstubAllEnvs());
    const kept = join(await rootWith({}), "kept");
    await host.keep("env", ["sh", "-c", 'env > "$0.new" && mv "$0.new" "$0"', kept]);
    const printed = [
      await vi.waitFor(() => readFile(kept, "utf8"), patient),
      await host.run(["env"]).then((result) => (result.type === "exited" ? result.stdout : "")),
    ];
    for (const text of printed)
      expect(
        text
          .split("\n")
          .filter((line) => !/^(PWD|SHLVL|_|OLDPWD)=|^$/.test(line))
          .toSorted(),
      ).toEqual(["LANG=C", "LC_ALL=C", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]);
  });

  test("get variables and a working directory", async () => {
    const options = { env: { TUNED_v: "7" }, cwd: "/usr" };
    expect(await host.run(["sh", "-c", 'echo "$TUNED_v $PWD"'], options)).toMatchObject({ stdout: "7 /usr\n" });
  });

  test("are kept running until they are stopped", async () => {
    const marker = join(await rootWith({}), "kept");
    const program = ["sh", "-c", 'echo $$ >> "$0"; read -r _', marker];
    expect(await host.keep("x", program)).toEqual({ type: "done" });
    expect(await host.keep("x", program)).toEqual({ type: "done" });
    // The shell creates the file before it writes to it.
    const pid = await vi.waitFor(async () => {
      const written = Number((await readFile(marker, "utf8")).trim());
      expect(written).toBeGreaterThan(0);
      return written;
    }, patient);
    expect(() => process.kill(pid, 0)).not.toThrow();
    expect(await host.keep("x", [])).toEqual({ type: "done" });
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(), patient);
    expect(await host.keep("y", ["attune-no-such-program"])).toMatchObject({ type: "failed" });
  });

  test("are killed after the timeout", async () => {
    const killed = await host.run(["sleep", "60"], { timeoutMs: 50 });
    expect(killed).toEqual({ type: "failed", message: "sleep: stopped after 50 ms" });
  });

  test("say which signal of another process ended them", async () => {
    const ended = await host.run(["sh", "-c", "kill -TERM $$"]);
    expect(ended).toEqual({ type: "failed", message: "sh: ended by SIGTERM", signal: "SIGTERM" });
  });
});
