import { LinuxHost } from "../../../node/host/linux-host.ts";
import { lockEngine } from "../../../node/on-node/lock-engine.ts";
import { NodeEngines } from "../../../node/on-node/node-engines.ts";
import { tuneFromRecord } from "../../../node/on-node/one-shot.ts";
import type { Options } from "../option/connection-option.ts";
import { engineOption, tunedDaemon } from "../tuned/engine-option.ts";

/** `attune agent --one-shot`: tunes a node as it was before it restarted, and ends. Asks no cluster: there may be no network yet. */
export async function agentOneShot(
  options: Options,
  say: (line: string) => void = (line) => process.stdout.write(`${line}\n`),
): Promise<void> {
  const root = String(options.root ?? "/");
  const option = engineOption(options.engine ?? "auto");
  const host = new LinuxHost(root);
  const unlock = await lockEngine(root);
  const daemon = tunedDaemon(root, "");
  try {
    const outcome = await tuneFromRecord(host, new NodeEngines({ host, option, tuned: daemon.engine }));
    if (outcome.type === "never-tuned") {
      say("nothing to do: the node has not been tuned before");
      return;
    }
    const { profile } = outcome;
    if (outcome.type === "invalid")
      throw new Error(`tune the node with ${profile}: ${outcome.problems.map(({ message }) => message).join("; ")}`);
    const { settings } = outcome.by.report;
    say(`tuned with ${profile} by the engine ${outcome.by.engine}, settings: ${settings.length}`);
    const failed = settings.flatMap((one) => (one.type === "failed" ? [one.option] : []));
    if (failed.length > 0) throw new Error(`tune the node with ${profile}: not set: ${failed.join(", ")}`);
  } finally {
    daemon.close();
    await unlock();
  }
}
