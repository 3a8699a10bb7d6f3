import { createHash } from "node:crypto";
import type { MachineConfig } from "../../../src/domain/machine-config/api.ts";
import { mergedPolicy } from "../../../src/domain/machine-config/cost/disruption-policy.ts";
import { type Machine as VirtualMachine, machine } from "../../../src/embedded/lab/machine.ts";
import { machineBase } from "../../../src/embedded/lab/machine-base.ts";
import type { Host } from "../../../src/node/host/host.ts";
import { NodeUpdater } from "../../../src/node/on-node/machine-config/node-updater.ts";
import type { Machine } from "./machine.ts";

/** The lab's machine with the hardware and the configuration of boot loader, kubelet and containerd of the guest, after a boot. */
export async function virtualMachineAs(guest: Machine): Promise<VirtualMachine> {
  const kernelRelease = await guest.run("uname -r");
  const virtual = machine(machineBase({ cpus: 4, sockets: 2, memoryMiB: 1536, architecture: "amd64", kernelRelease }));
  for (const path of [
    "/etc/default/grub",
    "/etc/systemd/system/kubelet.service",
    "/var/lib/kubelet/config.yaml",
    "/etc/containerd/config.toml",
  ])
    await virtual.replace(path, `${await guest.read(path)}\n`);
  for (const path of ["/etc/default/grub.d", "/usr/local/bin"])
    await virtual.placeDirectory(path, { mode: 0o755, uid: 0, gid: 0 });
  await virtual.run(["update-grub"]);
  await virtual.boot();
  return virtual;
}

/** As its agent does: applies the config, restarts and verifies. */
export async function bringTo(virtual: VirtualMachine, name: string, spec: MachineConfig["spec"]): Promise<void> {
  const updater = new NodeUpdater({ host: virtual, exclusive: (operation) => operation() });
  const planned = await updater.plan({ name, spec: spec ?? {} }, mergedPolicy({}));
  if (planned.type === "refused") throw new Error(planned.reason);
  const applied = await updater.apply(planned);
  if (applied.type !== "reboot") throw new Error(`${name}: ${JSON.stringify(applied)}`);
  await virtual.boot();
  const { pending } = await updater.configs();
  const verified = pending && (await updater.verify(pending));
  if (verified?.type !== "applied") throw new Error(`${name}: ${JSON.stringify(verified)}`);
}

/** As `fileState` of the guest. */
export async function virtualFileState(host: Host): Promise<Record<string, string>> {
  const state: Record<string, string> = {};
  const visit = async (path: string): Promise<void> => {
    const stat = await host.stat(path);
    if (stat.type === "link") state[path] = `l 777 ${stat.uid}:${stat.gid} ${stat.target}`;
    if (stat.type !== "file" && stat.type !== "directory") return;
    const about = `${stat.mode.toString(8)} ${stat.uid}:${stat.gid}`;
    if (stat.type === "directory") {
      state[path] = `d ${about} `;
      for (const name of await host.list(path)) await visit(`${path}/${name}`);
      return;
    }
    const file = await host.readBytes(path);
    const bytes = file.type === "bytes" ? file.bytes : new Uint8Array();
    state[path] = `f ${about} ${createHash("sha256").update(bytes).digest("hex").slice(0, 16)}`;
  };
  for (const folder of ["/etc", "/boot/grub", "/usr/local", "/var/lib/kubelet"]) await visit(folder);
  return state;
}
