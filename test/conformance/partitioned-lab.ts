import { pinningPaths } from "../../src/domain/workload-partitioning/pinning-files.ts";
import { smallMachine } from "../../src/embedded/lab/machine-base.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { foundation, kindsOf } from "../../src/program/cli/install/manifests.ts";
import { systemNamespace } from "../../src/program/operator/names.ts";
import { attuneHandlers } from "../../src/program/webhook/attune-handlers.ts";
import { webhookSecret, webhookServiceAccount } from "../../src/program/webhook/rbac.ts";
import { runWebhook } from "../../src/program/webhook/webhook.ts";
import { clientFor, clientOfAccount } from "../servers/client-for.ts";
import type { ServerUnderTest } from "../servers/server-under-test.ts";
import { identify } from "../workload-partitioning/identify.ts";
import { startLabBeside } from "./lab-beside.ts";

/** The same lab in a cluster with CPU partitioning, whose webhook reviews pods and nodes. */
export async function startPartitionedLab(
  variant: "embedded" | "real",
  server: ServerUnderTest,
): Promise<() => Promise<void>> {
  const mode = "standalone";
  const stop = new AbortController();
  const admin = clientFor(server);
  await identify(admin, mode, { cpuPartitioning: "AllNodes", controlPlaneTopology: "HighlyAvailable" });
  await applyManifests(admin, foundation({ mode }));
  const client = await clientOfAccount(server, systemNamespace, webhookServiceAccount);
  const { handlers, cluster } = attuneHandlers(client, { namespace: systemNamespace, ...kindsOf(mode) });
  let webhook: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    webhook = runWebhook({
      client,
      handlers,
      cluster,
      host: "127.0.0.1",
      port: 0,
      target: (port) => ({ type: "url", base: `https://127.0.0.1:${port}` }),
      secret: { namespace: systemNamespace, name: webhookSecret },
      onReady: () => resolve(),
      signal: stop.signal,
    });
    webhook.catch(reject);
  });
  const stopLab = await startLabBeside(variant, server, {
    topology: { ...smallMachine, runtime: "cri-o", kubelet: "openshift" },
    prepare: async (node) => void (await node.host.replace(pinningPaths.kubelet, "")),
  });
  return async () => {
    await stopLab();
    stop.abort();
    await webhook;
    for (const one of [client, admin]) one.close();
  };
}
