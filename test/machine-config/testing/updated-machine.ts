import type { Machine } from "../../../src/embedded/lab/machine.ts";
import { defaultPolicy } from "../../../src/domain/machine-config/cost/disruption-policy.ts";
import type { MachineConfig } from "../../../src/domain/machine-config/api.ts";
import { updateOf } from "../../../src/domain/rollout/node-annotations.ts";
import type { Host } from "../../../src/node/host/host.ts";
import { serialQueue } from "../../../src/node/host/serial-queue.ts";
import { NodeUpdater } from "../../../src/node/on-node/machine-config/node-updater.ts";
import { phaseOf } from "../../../src/node/on-node/machine-config/update-phase.ts";

export interface Config {
  readonly name: string;
  readonly spec: NonNullable<MachineConfig["spec"]>;
}

/** What an agent does until the node has the config, without a cluster: every drain is granted. Returns the boots it took. */
export async function updateTo(config: Config, machine: Machine, through: Host = machine): Promise<number> {
  const updater = new NodeUpdater({ host: through, exclusive: serialQueue() });
  const update = { ...updateOf({}), desired: config.name };
  for (let boots = 0, steps = 0; ; steps++) {
    if (steps > 20) throw new Error(`${config.name} is never reached: ${JSON.stringify(await updater.configs())}`);
    const configs = await updater.configs();
    const phase = phaseOf({ update, ...configs });
    if (phase === "settled") {
      if (configs.pending) await updater.forgetPending();
      return boots;
    }
    if (phase === "given up") throw new Error(`${config.name} was given up: ${configs.pending?.reason}`);
    if (phase === "boot") {
      await machine.boot();
      boots++;
    } else if (phase === "verify") await updater.verify(configs.pending!);
    else {
      const planned = await updater.plan(config, defaultPolicy);
      if (planned.type === "refused") throw new Error(planned.reason);
      await updater.apply(planned);
    }
  }
}

/** Everything on the disk of a machine but Attune's own state, and the entry of the boot before: that one depends on the way. */
export async function diskOf(machine: Machine): Promise<Record<string, unknown>> {
  const disk: Record<string, unknown> = {};
  const folders = ["/etc", "/boot", "/home", "/usr", "/var"];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift())
    for (const name of await machine.list(folder)) {
      const path = `${folder}/${name}`;
      if (path === "/var/lib/attune" || path === "/boot/grub/custom.cfg") continue;
      const stat = await machine.stat(path);
      const file = stat.type === "file" ? await machine.read(path) : undefined;
      // Folders without a mode of their own exist here only while they have files.
      if (stat.type !== "directory" || stat.mode !== 0o755)
        disk[path] = file?.type === "text" ? { ...stat, text: file.text } : stat;
      if (stat.type === "directory") folders.push(path);
    }
  return disk;
}
