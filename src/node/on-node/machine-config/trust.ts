import type { Host } from "../../host/host.ts";

/** CoreOS has this unit for the authorities of a config, and the policy of OpenShift names it for every host. */
export const trustUnit = "coreos-update-ca-trust.service";

const unitFolders = ["/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"];
const programs = ["/usr/bin/update-ca-trust", "/bin/update-ca-trust"];

/** How a host trusts the authorities below `/etc/pki/ca-trust`. Undefined: it reads no such folder. */
export async function trustCommand(host: Host): Promise<string[] | undefined> {
  if (
    await hasOne(
      unitFolders.map((folder) => `${folder}/${trustUnit}`),
      host,
    )
  )
    return ["systemctl", "restart", trustUnit];
  return (await hasOne(programs, host)) ? ["update-ca-trust", "extract"] : undefined;
}

async function hasOne(paths: readonly string[], host: Host): Promise<boolean> {
  for (const path of paths) if (["file", "link"].includes((await host.stat(path)).type)) return true;
  return false;
}
