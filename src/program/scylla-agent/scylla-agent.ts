import type { Client } from "../../cluster/kube/client.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import type { Log } from "../../cluster/runtime/log/log.ts";
import { Manager } from "../../cluster/runtime/controller/manager.ts";
import type { Host } from "../../node/host/host.ts";
import type { Cloud } from "../../node/scylla/cloud.ts";
import type { ContainerRuntime } from "../../node/scylla/container-runtime.ts";

export interface ScyllaAgentOptions {
  readonly client: Client;
  /** The name of its Node. */
  readonly node: string;
  /** The name of its ScyllaNodeConfig. */
  readonly config: string;
  readonly host: Host;
  readonly runtime: ContainerRuntime;
  readonly signal: AbortSignal;
  /** Its own: Jobs of the engine `native` run it. */
  readonly image: string;
  /** A Scylla image: Jobs of the engine `perftune` run its script. */
  readonly utilsImage: string;
  /** Default: asks the resolver of the node. */
  readonly cloud?: (() => Promise<Cloud>) | undefined;
  /** `host:port` of `/healthz` and `/readyz`. Default: not served. */
  readonly probeAddress?: string | undefined;
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
}

/** Runs the agent of one node until the signal aborts. What was tuned stays. */
export async function runScyllaAgent(options: ScyllaAgentOptions): Promise<void> {
  const manager = new Manager({ probeAddress: options.probeAddress, probesAreOptional: true });
  await manager.run(options.signal);
}
