import { afterAll, beforeAll, expect, it } from "vitest";
import type { Client } from "../../src/cluster/kube/client.ts";
import { kinds, untyped } from "../../src/cluster/kube/kinds.ts";
import { createLog } from "../../src/cluster/runtime/log/log.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { systemNamespace } from "../../src/program/operator/names.ts";
import { attuneHandlers } from "../../src/program/webhook/attune-handlers.ts";
import { webhookSecret, webhookServiceAccount } from "../../src/program/webhook/rbac.ts";
import { configurationName } from "../../src/program/webhook/registration.ts";
import { runWebhook } from "../../src/program/webhook/webhook.ts";
import { clientOfAccount } from "../servers/client-for.ts";
import { startEmbeddedServer } from "../servers/embedded-server.ts";
import { partitionedCluster, type PartitionedCluster, podObject, target } from "./partitioned-cluster.ts";

let cluster: PartitionedCluster;
beforeAll(async () => {
  cluster = await partitionedCluster({ name: "embedded", start: startEmbeddedServer });
});
afterAll(() => cluster?.close());

/** As an API server before Kubernetes 1.28 treats configurations. */
function dropping(client: Client): Client {
  const patch: Client["patch"] = (of, name, sent, options) => {
    const drop = (key: string, value: unknown): unknown => (key === "matchConditions" ? undefined : value);
    return client.patch(of, name, JSON.parse(JSON.stringify(sent), drop) as typeof sent, options);
  };
  return {
    get: client.get.bind(client),
    list: client.list.bind(client),
    watch: client.watch.bind(client),
    update: client.update.bind(client),
    patch,
  } as Client;
}

it("registers for no pods and nodes where the API server would send it all of them, and says so", async () => {
  // Such servers have no policies either.
  const bindings = untyped(
    "admissionregistration.k8s.io/v1",
    "ValidatingAdmissionPolicyBinding",
    "validatingadmissionpolicybindings",
    false,
  );
  await cluster.admin.delete(bindings, "attune-webhook-own-rules");
  const client = await clientOfAccount(cluster.server, systemNamespace, webhookServiceAccount);
  const lines: string[] = [];
  const log = await createLog({ destination: { write: (line) => lines.push(line) } });
  const stop = new AbortController();
  let running: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    running = runWebhook({
      client: dropping(client),
      signal: stop.signal,
      ...attuneHandlers(client, { namespace: systemNamespace }),
      host: "127.0.0.1",
      port: 0,
      target: (port) => ({ type: "url", base: `https://127.0.0.1:${port}` }),
      secret: { namespace: systemNamespace, name: webhookSecret },
      log,
      onReady: () => resolve(),
    });
    running.catch(reject);
  });
  const names = async (kind: typeof kinds.mutatingWebhookConfiguration): Promise<string[]> => {
    const { webhooks = [] } = (await cluster.admin.get(kind, configurationName)) as { webhooks?: { name: string }[] };
    return webhooks.map(({ name }) => name);
  };
  expect(await names(kinds.mutatingWebhookConfiguration)).toEqual([]);
  expect(await names(kinds.validatingWebhookConfiguration as never)).toEqual([
    "tuneds.attune.dev",
    "performanceprofiles.attune.dev",
  ]);
  expect(lines.filter((line) => line.includes("drops matchConditions"))).toHaveLength(1);
  const pod = podObject("asks", { annotations: target });
  const stored = await cluster.admin.create<KubeObject>(kinds.pod, pod, { namespace: "kube-system" });
  expect(stored.metadata.annotations).toEqual(target);
  stop.abort();
  await running;
});
