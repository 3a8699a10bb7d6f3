import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A root file system with plain files for those of the kernel. Removed when the test finishes. */
export class FakeRoot {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async make(files: Readonly<Record<string, string>> = {}): Promise<FakeRoot> {
    const root = new FakeRoot(await mkdtemp(join(tmpdir(), "attune-root-")));
    onTestFinished(() => rm(root.path, { recursive: true, force: true }));
    await root.write({
      "/proc/sys/kernel/random/boot_id": "boot-1\n",
      "/proc/sys/vm/swappiness": "60\n",
      "/proc/sys/vm/dirty_ratio": "20\n",
      "/proc/sys/net/core/somaxconn": "128\n",
      ...files,
    });
    return root;
  }

  /** Profiles are written by name: `{ "/etc/tuned/p": "[sysctl]…" }`. */
  static withProfiles(profiles: Readonly<Record<string, string>>): Promise<FakeRoot> {
    return FakeRoot.make(
      Object.fromEntries(Object.entries(profiles).map(([folder, text]) => [`${folder}/tuned.conf`, text])),
    );
  }

  async write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(this.path, path)), { recursive: true });
      await writeFile(join(this.path, path), text);
    }
  }

  async read(path: string): Promise<string> {
    return (await readFile(join(this.path, path), "utf8")).trimEnd();
  }
}
