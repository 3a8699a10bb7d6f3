import type { Program } from "../../../src/program/cli/testing/program.ts";
import { tuningNamespace } from "../../../src/domain/node-tuning/api.ts";
import { eventually } from "./eventually.ts";
import type { Figures } from "./figures.ts";
import type { RealCluster } from "./real-cluster.ts";

/** What every story uses. The cluster exists when the first story runs, not before. */
export interface Stage {
  readonly cluster: RealCluster;
  readonly attune: Program;
  readonly figures: Figures;
  /** Name of Attune's image, which containerd has. */
  readonly image: string;
}

/** A sysctl that the whole machine shares, and one of the node's network. Neither is of the default profiles. */
export const sharedSysctl = "vm.dirty_expire_centisecs";
export const networkSysctl = "net.ipv4.tcp_fin_timeout";

/** Runs a command of Attune on the node as the cluster's admin, and fails if it fails. */
export async function runAttune({ attune, cluster }: Stage, ...words: string[]): Promise<string> {
  const args = [...words, "--kubeconfig", cluster.kubeconfig];
  const { code, stdout, stderr } = await attune.start(args, {}, cluster.machine.enter).ended;
  if (code !== 0) throw new Error(`attune ${words.join(" ")}: ${stderr}${stdout}`);
  return stdout + stderr;
}

/** A Tuned for every node. `text`: the sections of its profile. */
export function tuned(text: string, name = "story"): object {
  return {
    apiVersion: "tuned.openshift.io/v1",
    kind: "Tuned",
    metadata: { name, namespace: tuningNamespace },
    spec: {
      profile: [{ name, data: `[main]\nsummary=${name}\n${text}` }],
      recommend: [{ profile: name, priority: 10 }],
    },
  };
}

/** Applies a Tuned that sets the shared sysctl, and waits until the node has the value. */
export async function setTo({ cluster }: Stage, value: string, seconds = 60): Promise<void> {
  const object = tuned(`[sysctl]\n${sharedSysctl}=${value}\n${networkSysctl}=${value.slice(0, 2)}\n`);
  // The API server or the webhook may just be starting.
  await eventually(seconds, "the Tuned is accepted", () => {
    cluster.apply(object);
    return true;
  });
  await eventually(seconds, `${sharedSysctl} is ${value}`, () => cluster.sysctl(sharedSysctl) === value);
}
