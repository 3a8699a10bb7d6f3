import { systemClock, whenAborted } from "../../../cluster/runtime/clock.ts";
import { stopOnSignals } from "../../../cluster/runtime/signals.ts";
import { serialQueue } from "../../../node/host/serial-queue.ts";
import { LinuxHost } from "../../../node/host/linux-host.ts";
import { fetchPayload } from "../../../node/on-node/first-boot/fetch-payload.ts";
import { firstBoot, type FirstBoot, type FirstBootOptions } from "../../../node/on-node/first-boot/first-boot.ts";
import { firstBootUnit } from "../../../node/on-node/first-boot/unit.ts";
import { lockEngine } from "../../../node/on-node/lock-engine.ts";
import { NodeUpdater } from "../../../node/on-node/machine-config/node-updater.ts";
import type { agentCommandFlags } from "../flags.ts";
import type { Values } from "../option/flag.ts";
import { writeOut } from "../terminal/terminal.ts";
import { defaultImage } from "../../version.ts";

type Flags = Pick<Values<typeof agentCommandFlags>, "root" | "node" | "tokenFile" | "firstBootTimeout" | "printUnit">;

/** `attune agent --first-boot`: brings the config of its pool to a machine before it is a node. Runs before the kubelet. */
export async function agentFirstBoot(flags: Flags): Promise<void> {
  if (flags.printUnit) return writeOut(firstBootUnit(defaultImage));
  const { root } = flags;
  const { signal } = stopOnSignals();
  const unlock = await lockEngine(root);
  const print = (line: string): void => writeOut(`${line}\n`);
  try {
    const outcome = await runFirstBoot(flags, { host: new LinuxHost(root), signal, print });
    if (outcome.type === "done") return print(outcome.message);
    if (outcome.type === "failed") throw new Error(outcome.reason);
    print(`restarting with ${outcome.config}`);
    // The kubelet would start if this ended now with success, in the seconds before the machine goes down.
    await whenAborted(signal);
    process.exitCode = 1;
  } finally {
    await unlock();
  }
}

/** With the flags of the command, on any host. */
export function runFirstBoot(
  { tokenFile, node, firstBootTimeout }: Pick<Flags, "tokenFile" | "node" | "firstBootTimeout">,
  on: Pick<FirstBootOptions, "host" | "signal" | "print"> & Partial<Pick<FirstBootOptions, "fetch">>,
): Promise<FirstBoot> {
  const updater = new NodeUpdater({ host: on.host, exclusive: serialQueue() });
  const given = { tokenPath: tokenFile, node, timeoutMs: firstBootTimeout, clock: systemClock };
  return firstBoot({ fetch: fetchPayload, ...on, ...given, updater });
}
