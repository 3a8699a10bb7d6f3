import type { Log } from "../../../cluster/runtime/log/log.ts";
import type { KubeletsOptions } from "../../../embedded/lab/kubelet/kubelets.ts";
import { MachineOffError } from "../../../embedded/lab/machine.ts";
import { type FetchPayload, fetchPayload } from "../../../node/on-node/first-boot/fetch-payload.ts";
import { NodeEngines } from "../../../node/on-node/node-engines.ts";
import { tuneOnce } from "../agent/one-shot.ts";
import { runFirstBoot } from "../agent/first-boot.ts";
import { agentCommandFlags } from "../flags.ts";
import { parseArguments } from "../option/flag.ts";

/** The programs of `attune …` that units of virtual machines run, outside of any pod. */
export function unitPrograms(
  log: Log,
  signal: AbortSignal,
  fetch: FetchPayload = fetchPayload,
): NonNullable<KubeletsOptions["runAttune"]> {
  return async (node, args) => {
    const [, ...flags] = args;
    const given = parseArguments(agentCommandFlags, flags, {});
    const host = node.host.session();
    const print = (line: string): void => log.info({ node: node.name }, line);
    if (given.oneShot) return tuneOnce(host, new NodeEngines({ host, option: "native" }), print);
    if (!given.firstBoot)
      return `attune ${args.join(" ")}: only --first-boot and --one-shot run as units of virtual machines`;
    const outcome = await runFirstBoot(given, { host, signal, print, fetch });
    if (outcome.type === "rebooting") throw new MachineOffError("the machine restarts");
    if (outcome.type === "done") return undefined;
    log.warn({ node: node.name, why: outcome.reason }, "first boot failed: the node does not join");
    return outcome.reason;
  };
}
