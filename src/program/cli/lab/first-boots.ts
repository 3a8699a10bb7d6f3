import { ifThere } from "../../../cluster/kube/api-error.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { systemClock } from "../../../cluster/runtime/clock.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import { type TokenFile, tokenPath } from "../../../domain/rollout/first-boot/token-file.ts";
import type { KubeletsOptions } from "../../../embedded/lab/kubelet/kubelets.ts";
import type { VirtualNode } from "../../../embedded/lab/kubelet/node/virtual-node.ts";
import { firstBootUnit, unitName } from "../../../node/on-node/first-boot/unit.ts";
import { issueToken } from "../node-token/issue-token.ts";
import { defaultImage } from "../../version.ts";
import { unitPrograms } from "./unit-programs.ts";

export interface FirstBootsOptions {
  /** May issue tokens. */
  readonly client: Client;
  readonly pool: string;
  /** Resolves when the operator serves first boots. */
  readonly ready?: Promise<void> | undefined;
  readonly signal: AbortSignal;
  readonly log: Log;
}

const lifeMs = 3_600_000;

/** Virtual machines that get the config of their pool before their kubelets register: each with a token of its own. */
export function firstBoots(options: FirstBootsOptions): Pick<KubeletsOptions, "prepare" | "runAttune"> {
  const { client, pool, ready, signal, log } = options;
  return {
    async prepare(node) {
      await ready;
      // The disk of a virtual machine ends with its process; a Node that exists has joined before.
      if (await ifThere(client.get(kinds.node, node.name, { signal }))) return;
      const given = { node: node.name, pool, lifeMs, now: systemClock.now(), signal };
      await install(node, await issueToken(client, given));
    },
    runAttune: unitPrograms(log, signal),
  };
}

/** As cloud-init would: the token, and the unit that uses it. */
export async function install({ host, options }: VirtualNode, file: TokenFile): Promise<void> {
  await host.replace(tokenPath, JSON.stringify(file), 0o600);
  await host.replace(`/etc/systemd/system/${unitName}`, firstBootUnit(defaultImage, options.topology.runtime));
  await host.run(["systemctl", "enable", unitName]);
}
