import { chosenProfileFile } from "../../../domain/node-tuning/agent-daemon-set.ts";
import { imageFile } from "../../../domain/performance-profile/machine-config/one-shot.ts";
import { baseScripts } from "../../../language/tuned/profiles/base-files.ts";
import { baseDirectory } from "../../../language/tuned/profiles/base-profiles.ts";
import { scriptDirectories } from "../../engine/engine.ts";
import { journalPath } from "../../engine/journal.ts";
import { pidFile } from "../../engine/tuned-daemon/other-tuned.ts";
import type { Host } from "../../host/host.ts";
import { oneShotFiles } from "../before-kubelet/keep-one-shot.ts";
import { currentPath, pendingPath } from "../machine-config/config-store.ts";
import { providerPath } from "../answer-probes.ts";
import { appliedPath, recordPath } from "../tuning-record.ts";

type StateHost = Pick<Host, "read" | "list" | "remove" | "prune">;

/** Folders that hold nothing but Attune's state; the lock of the node removes the second with the process. */
const own = ["/var/lib/attune", "/run/attune"];

/**
 * Removes what Attune created on the node for itself, unless the node is tuned. Returns the paths in Attune's folders that
 * it did not create, which stay.
 */
export async function clearState(host: StateHost): Promise<string[]> {
  for (const path of [recordPath, journalPath, currentPath, pendingPath])
    if ((await host.read(path)).type !== "missing") return [];
  const scripts = scriptDirectories.flatMap((directory) => scriptNames().map((name) => `${directory}/${name}`));
  const files = [
    recordPath,
    journalPath,
    currentPath,
    pendingPath,
    appliedPath,
    pidFile,
    imageFile,
    ...oneShotFiles,
    chosenProfileFile,
    providerPath,
    ...scripts,
  ];
  // Removing a file also removes what a killed process had begun to write beside it.
  for (const file of files) {
    const outcome = await host.remove(file);
    if (outcome.type === "failed") throw new Error(`remove Attune's state: ${outcome.message}`);
  }
  for (const folder of [...new Set(files.flatMap(foldersOf))].toSorted(deepestFirst)) await host.prune(folder);
  const left = await Promise.all(own.map((folder) => filesIn(folder, host)));
  return left.flat();
}

function scriptNames(): string[] {
  return [...baseScripts().keys()].map((path) => path.slice(baseDirectory.length + 1));
}

/** The folders of Attune above a file, and the one that it shares with the operator it replaces. */
function foldersOf(file: string): string[] {
  const parts = file.split("/");
  const above = parts.slice(1, -1).map((_, index) => parts.slice(0, index + 2).join("/"));
  return above.filter((folder) => /^(\/var\/lib|\/run)\/(attune|ocp-tuned)(\/|$)/.test(folder));
}

function deepestFirst(a: string, b: string): number {
  return b.length - a.length;
}

/** Locks are the business of the process that holds them. */
async function filesIn(folder: string, host: StateHost): Promise<string[]> {
  const names = (await host.list(folder)).filter((name) => !/^(new-)?lock\./.test(name));
  const below = await Promise.all(
    names.map(async (name) => {
      const path = `${folder}/${name}`;
      const deeper = await filesIn(path, host);
      return deeper.length > 0 ? deeper : [path];
    }),
  );
  return below.flat();
}
