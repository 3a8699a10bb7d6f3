import type { MachineContents } from "../../../domain/machine-config/machine-contents.ts";
import { filesInForce } from "../../engine/drift.ts";
import type { Host } from "../../host/host.ts";
import { bootFiles } from "./boot/boot-files.ts";
import { machineConfigOwner } from "./place-step.ts";
import { unitFolder } from "./plan-units.ts";

/**
 * Files whose change may make the node differ from its config. `folder/*`: every file of the folder. The folders above them are
 * among them, since a folder that comes back has new files.
 */
export async function watchedPaths(contents: MachineContents, host: Host): Promise<string[]> {
  const enabled = contents.units.filter(({ isEnabled }) => isEnabled !== undefined).map(({ name }) => name);
  const paths = [
    ...(await filesInForce(host, machineConfigOwner)),
    ...(enabled.length > 0 ? await enablements(enabled, host) : []),
    ...(contents.kernelArguments.length > 0 ? bootFiles : []),
    ...(contents.users.some(({ passwordHash }) => passwordHash !== undefined) ? ["/etc/shadow"] : []),
  ];
  return [...new Set(paths.flatMap((path) => [path, ...above(path)]))];
}

/** Where `systemctl enable` puts links to units. */
async function enablements(units: readonly string[], host: Pick<Host, "list">): Promise<string[]> {
  const folders = (await host.list(unitFolder)).filter((name) => /\.(?:wants|requires|upholds)$/.test(name));
  return folders.flatMap((folder) => units.map((unit) => `${unitFolder}/${folder}/${unit}`));
}

function above(path: string): string[] {
  const parts = path.split("/").slice(1, -1);
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join("/")}`);
}
