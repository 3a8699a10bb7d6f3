import { lstat, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { watch } from "node:fs";
import { join } from "node:path";
import { type Clock, pause, systemClock } from "../../../cluster/runtime/clock.ts";
import type { GateFiles, Opening, Start } from "../../../domain/scylla/gate/decide-gate.ts";
import { openPrefix, startPrefix } from "../../../domain/scylla/gate/gate-names.ts";
import type { SharedFolder } from "../../scylla-gate/shared-folder.ts";

const idPattern = /^[0-9A-Za-z-]{1,64}$/;
/** Where the kernel grants no watch: a node has few of them for each user. */
const checkMs = 1000;

/** The shared volume as a folder. The database's container may write anything into it, and the sidecar reads only names, times and its own files. */
export class DiskFolder implements SharedFolder {
  readonly #path: string;
  readonly #clock: Clock;

  constructor(path: string, clock: Clock = systemClock) {
    this.#path = path;
    this.#clock = clock;
  }

  async read(): Promise<GateFiles> {
    const names = await readdir(this.#path);
    const ids = (prefix: string): string[] =>
      names
        .filter((name) => name.startsWith(prefix))
        .map((name) => name.slice(prefix.length))
        .filter((id) => idPattern.test(id));
    const starts = await Promise.all(ids(startPrefix).map(async (id) => this.#start(id)));
    const openings = await Promise.all(ids(openPrefix).map(async (id) => this.#opening(id)));
    return { starts: starts.filter((one) => one !== undefined), openings: openings.filter((one) => one !== undefined) };
  }

  /** Whole at once, since the wait only looks whether it is there. A name that the database has linked elsewhere is replaced. */
  async open({ start, containerId }: Opening): Promise<void> {
    const path = join(this.#path, openPrefix + start);
    const written = join(this.#path, `.${openPrefix}${start}`);
    await rm(written, { force: true, recursive: true });
    await writeFile(written, containerId, { flag: "wx", mode: 0o644 });
    await rename(written, path);
  }

  async forget({ starts, openings }: GateFiles): Promise<void> {
    const names = [...starts.map(({ id }) => startPrefix + id), ...openings.map(({ start }) => openPrefix + start)];
    await Promise.all(names.map((name) => rm(join(this.#path, name), { force: true, recursive: true })));
  }

  async watch(changed: () => void, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    try {
      await new Promise<void>((resolve, reject) => {
        const watcher = watch(this.#path, { signal }, changed);
        watcher.once("error", reject);
        watcher.once("close", resolve);
        changed();
      });
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (!["EMFILE", "ENOSPC"].includes(code)) throw error;
      for (; !signal.aborted; await pause(this.#clock, checkMs, signal)) changed();
    }
  }

  async #start(id: string): Promise<Start | undefined> {
    const found = await lstat(join(this.#path, startPrefix + id)).catch(missing);
    return found?.isFile() ? { id, at: found.mtimeMs } : undefined;
  }

  async #opening(start: string): Promise<Opening | undefined> {
    const path = join(this.#path, openPrefix + start);
    const found = await lstat(path).catch(missing);
    if (!found?.isFile() || found.size > 512) return found && { start, containerId: "" };
    return { start, containerId: (await readFile(path, "utf8")).trim() };
  }
}

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
  return undefined;
}
