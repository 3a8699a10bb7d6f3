import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { foundation, kindsOf } from "../../src/program/cli/install/manifests.ts";
import { systemNamespace } from "../../src/program/operator/names.ts";
import { attuneHandlers } from "../../src/program/webhook/attune-handlers.ts";
import { webhookSecret, webhookServiceAccount } from "../../src/program/webhook/rbac.ts";
import { runWebhook } from "../../src/program/webhook/webhook.ts";
import { type InstallMode, identify } from "../workload-partitioning/identify.ts";
import { clientFor, clientOfAccount } from "./client-for.ts";
import type { ServerUnderTest, ServerVariant } from "./server-under-test.ts";

const allNodes = { cpuPartitioning: "AllNodes", controlPlaneTopology: "HighlyAvailable" };

/** Makes the cluster of this server one with CPU partitioning, whose webhook reviews pods and nodes until the end. */
export async function partition(server: ServerUnderTest, mode: InstallMode): Promise<() => Promise<void>> {
  const stop = new AbortController();
  const admin = clientFor(server);
  await identify(admin, mode, allNodes);
  await applyManifests(admin, foundation({ mode }));
  const client = await clientOfAccount(server, systemNamespace, webhookServiceAccount);
  const parts = attuneHandlers(client, { namespace: systemNamespace, ...kindsOf(mode) });
  let webhook: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    webhook = runWebhook({
      client,
      ...parts,
      host: "127.0.0.1",
      port: 0,
      target: (port) => ({ type: "url", base: `https://127.0.0.1:${port}` }),
      secret: { namespace: systemNamespace, name: webhookSecret },
      onReady: () => resolve(),
      signal: stop.signal,
    });
    webhook.catch(reject);
  });
  return async () => {
    stop.abort();
    await webhook;
    for (const one of [client, admin]) one.close();
  };
}

/** Plain, so that suites may create nodes that report no cores. */
export const partitioned = (variant: ServerVariant): ServerVariant =>
  changed(variant, (server) => partition(server, "plain"));

/** Has the mode, and the rest of Attune is not installed yet. */
export const identified = (variant: ServerVariant): ServerVariant =>
  changed(variant, async (server) => {
    const admin = clientFor(server);
    await identify(admin, "plain", allNodes);
    return async () => admin.close();
  });

function changed(
  { name, start }: ServerVariant,
  change: (server: ServerUnderTest) => Promise<() => Promise<void>>,
): ServerVariant {
  return {
    name,
    async start() {
      const server = await start();
      const end = await change(server);
      return {
        ...server,
        async close() {
          await end();
          await server.close();
        },
      };
    },
  };
}
