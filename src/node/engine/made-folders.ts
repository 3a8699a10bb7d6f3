import type { Host } from "../host/host.ts";
import { exists } from "./carry-out.ts";
import type { Claim, Ledger } from "./ledger.ts";
import { isFileAction } from "./text-after.ts";

/**
 * Notes the folders that files of the ledger will create, and removes those that have none of these files any more. A folder with
 * files of others stays.
 */
export async function settleFolders(ledger: Ledger, host: Host): Promise<void> {
  const needed = new Set(
    ledger
      .entries()
      .flatMap(({ claims }) => claims.flatMap(filesOf))
      .flatMap(foldersAbove),
  );
  for (const folder of needed) if (!(await exists(folder, host))) ledger.addFolder(folder);
  // The longer path is the deeper folder.
  for (const folder of ledger.folders().toSorted((a, b) => b.length - a.length)) {
    if (needed.has(folder)) continue;
    const outcome = await host.prune(folder);
    if (outcome.type === "done") ledger.removeFolder(folder);
  }
}

function filesOf({ actions }: Claim): string[] {
  return actions.flatMap((action) => (isFileAction(action) || action.type === "place" ? [action.path] : []));
}

/** `/etc/a/b` → `/etc`, `/etc/a` */
function foldersAbove(path: string): string[] {
  const parts = path.split("/");
  return parts.slice(2).map((_, index) => parts.slice(0, index + 2).join("/"));
}
