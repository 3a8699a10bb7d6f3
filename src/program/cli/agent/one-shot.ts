import type { Host } from "../../../node/host/host.ts";
import { LinuxHost } from "../../../node/host/linux-host.ts";
import { lockEngine } from "../../../node/on-node/lock-engine.ts";
import { NodeEngines } from "../../../node/on-node/node-engines.ts";
import { tuneFromRecord } from "../../../node/on-node/one-shot.ts";
import type { agentFlags } from "../flags.ts";
import type { Values } from "../option/flag.ts";
import { tunedDaemon } from "../tuned/open-engine.ts";
import { writeOut } from "../terminal/terminal.ts";

/**
 * `attune agent --one-shot`: applies the profile that was applied before the node restarted, and exits. It runs before the
 * kubelet, when there may be no network, and so uses no cluster.
 */
export async function agentOneShot(
  { root, engine: option }: Pick<Values<typeof agentFlags>, "root" | "engine">,
  print: (line: string) => void = (line) => writeOut(`${line}\n`),
): Promise<void> {
  const host = new LinuxHost(root);
  const unlock = await lockEngine(root);
  const daemon = tunedDaemon(root, "");
  try {
    const failed = await tuneOnce(host, new NodeEngines({ host, option, tuned: daemon.engine }), print);
    if (failed !== undefined) throw new Error(failed);
  } finally {
    daemon.close();
    await unlock();
  }
}

/**
 * Prints what was applied. Returns why nothing was. Single settings fail on many hosts so early, such as those of kernel modules
 * that are loaded later. The kubelet of OpenShift waits for the unit; the agent applies them again and reports them.
 */
export async function tuneOnce(
  host: Host,
  engines: NodeEngines,
  print: (line: string) => void,
): Promise<string | undefined> {
  const outcome = await tuneFromRecord(host, engines);
  if (outcome.type === "never-tuned") {
    print("nothing to do: no profile was applied before");
    return undefined;
  }
  const { profile } = outcome;
  if (outcome.type === "invalid")
    return `apply ${profile}: ${outcome.problems.map(({ message }) => message).join("; ")}`;
  const { settings } = outcome.by.report;
  print(
    `applied ${profile} with the ${outcome.by.engine} engine: ${settings.length} ${settings.length === 1 ? "setting" : "settings"}`,
  );
  const failed = settings.flatMap((one) => (one.type === "failed" ? [one.option] : []));
  if (failed.length > 0) print(`failed to set ${failed.join(", ")}: the agent will try again`);
  return undefined;
}
