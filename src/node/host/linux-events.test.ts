import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { LinuxHost } from "./linux-host.ts";

async function rootFolder(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "attune-events-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await mkdir(join(root, "etc"));
  await writeFile(join(root, "etc/x"), "1");
  return root;
}

/** Names as they are reported, to be awaited one after the other. */
function reports(): { report: (name: string) => void; until: (name: string) => Promise<void> } {
  const seen: string[] = [];
  let wake = (): void => {};
  return {
    report: (name) => {
      seen.push(name);
      wake();
    },
    async until(name) {
      while (!seen.includes(name)) await new Promise<void>((resolve) => (wake = resolve));
      seen.length = 0;
    },
  };
}

test("a folder below another root reports files that are written and replaced", async () => {
  const root = await rootFolder();
  const { report, until } = reports();
  const end = await new LinuxHost(root).watch("/etc", report);
  onTestFinished(() => end?.());
  await writeFile(join(root, "etc/x"), "2");
  await until("x");
  await writeFile(join(root, "y"), "3");
  await rename(join(root, "y"), join(root, "etc/y"));
  await until("y");
});

test.each(["/nosuch", "/out", "/etc/..", "etc"])("%s cannot be watched", async (path) => {
  const root = await rootFolder();
  await symlink(tmpdir(), join(root, "out"));
  expect(await new LinuxHost(root).watch(path, () => {})).toBeUndefined();
});

test("a program that reports events passes on its lines, and says once why it ended", async () => {
  const lines: string[] = [];
  const ended = await new Promise<string>((resolve) => {
    new LinuxHost().monitor(["sh", "-c", "echo one; echo two; kill -9 $$"], {
      line: (text) => lines.push(text),
      ended: resolve,
    });
  });
  expect(ended).toBe("ended by SIGKILL");
  expect(lines).toEqual(["one", "two"]);
});

test("a program that cannot be started has ended", async () => {
  const ended = await new Promise<string>((resolve) => {
    new LinuxHost().monitor(["attune-no-such-program"], { line: () => {}, ended: resolve });
  });
  expect(ended).toContain("ENOENT");
});

test("a program that is ended reports nothing more, and is gone", async () => {
  const host = new LinuxHost();
  const after: string[] = [];
  let end = (): void => {};
  const pid = await new Promise<number>((resolve) => {
    const line = (text: string): void => (after.push(text), resolve(Number(text)));
    end = host.monitor(["sh", "-c", "echo $$; exec sleep 60"], { line, ended: (why) => after.push(why) });
  });
  end();
  const isThere = (): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  while (isThere()) await new Promise((resolve) => setImmediate(resolve));
  expect(after).toEqual([String(pid)]);
});
