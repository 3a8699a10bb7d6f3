import { randomUUID } from "node:crypto";
import type { HttpClient } from "../../../cluster/kube/http-client.ts";
import { informerOfOne } from "../../../cluster/kube/informer/informer.ts";
import { LeaderElection } from "../../../cluster/runtime/leader/leader-election.ts";
import { LeadershipLostError } from "../../../cluster/runtime/leader/leader-gate.ts";
import { leaseKind, leaseStore } from "../../../cluster/runtime/leader/lease.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import type { ProgramRun } from "../../../embedded/lab/kubelet/container/program.ts";
import { attuneHandlers } from "../../webhook/attune-handlers.ts";
import { webhookSecret } from "../../webhook/rbac.ts";
import { runWebhook } from "../../webhook/webhook.ts";
import { webhookFlags } from "../flags.ts";
import { kindsOf } from "../install/manifests.ts";
import { parseArguments } from "../option/flag.ts";

const host = "127.0.0.1";
const lease = { namespace: "kube-system", name: "attune-lab-webhook" };
/** May write leases in kube-system. */
const manager = { user: "system:kube-controller-manager" };

/**
 * `attune webhook` in a pod of a virtual node. The pod has no network, so no API server reaches it through its Service: it
 * listens on this machine and registers by URL. A URL is that of one pod, so of all replicas, in all labs, one serves.
 */
export async function webhookProgram(args: string[], run: ProgramRun, client: HttpClient, log: Log): Promise<number> {
  const { env, connection, write, signal } = run;
  const { namespace, mode, partitioningRelease, scyllaGateImage } = parseArguments(webhookFlags, args, env);
  const own = client.for(connection);
  const elector = client.as(manager);
  const serve = (leading: AbortSignal): Promise<void> =>
    runWebhook({
      client: own,
      signal: leading,
      ...attuneHandlers(own, { namespace, partitioningRelease, scyllaGateImage, log, ...kindsOf(mode) }),
      host,
      port: 0,
      target: (port) => ({ type: "url", base: `https://${host}:${port}` }),
      secret: { namespace, name: webhookSecret },
      log,
      onReady: (address) => write(`ready https://${address}`),
    });
  while (!signal.aborted) {
    const election = new LeaderElection({
      identity: `${connection.name}_${randomUUID()}`,
      name: lease.name,
      lease: leaseStore(elector, { ...lease, informer: informerOfOne(elector, leaseKind, lease) }),
      onNewLeader: (leader) => write(`${leader} serves`),
      log,
    });
    try {
      await election.lead(signal, serve);
    } catch (error) {
      if (!(error instanceof LeadershipLostError)) throw error;
    }
  }
  return 0;
}
