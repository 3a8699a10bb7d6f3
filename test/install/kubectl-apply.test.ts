import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { noLog } from "../../src/cluster/runtime/log/log.ts";
import { type PerformanceProfile, performanceProfileKind } from "../../src/domain/performance-profile/api.ts";
import { installManifests } from "../../src/program/cli/install/manifests.ts";
import { printObjects } from "../../src/program/cli/terminal/serialise.ts";
import { systemNamespace } from "../../src/program/operator/names.ts";
import { attuneHandlers } from "../../src/program/webhook/attune-handlers.ts";
import { performanceProfileConversion } from "../../src/program/webhook/performance-profile-handler.ts";
import { webhookSecret } from "../../src/program/webhook/rbac.ts";
import { runWebhook } from "../../src/program/webhook/webhook.ts";
import { onEachEmptyServer } from "../conformance/on-each-server.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { clientFor } from "../servers/client-for.ts";

const applies = ["apply", "apply", "apply --server-side", "apply --server-side", "apply"];

onEachEmptyServer("what attune install prints, for kubectl", (cluster) => {
  const stop = new AbortController();
  const old = { ...performanceProfileKind, apiVersion: "performance.openshift.io/v1alpha1" };
  const profile: PerformanceProfile = {
    apiVersion: old.apiVersion,
    kind: "PerformanceProfile",
    metadata: { name: "old" },
    spec: {
      cpu: { isolated: "1", reserved: "0" },
      nodeSelector: { "node-role.kubernetes.io/example": "" },
    },
  };
  let admin: HttpClient;
  let webhook: Promise<void> | undefined;
  let file: string;
  beforeAll(async () => {
    admin = clientFor(cluster.server);
    file = join(cluster.home, "attune.yaml");
    await writeFile(file, await printObjects(installManifests(), "yaml"));
  });
  afterAll(async () => {
    stop.abort();
    await webhook;
  });

  const applyAll = async (): Promise<void> => {
    for (const how of applies) {
      const { code, err } = await cluster.kubectl.run(`${how} -f ${file}`);
      expect([how, code, err]).toEqual([how, 0, ""]);
    }
  };
  const conversion = async (): Promise<unknown> =>
    (await admin.get(kinds.customResourceDefinition, performanceProfileConversion.definition)).spec?.conversion;
  const writeOld = (): Promise<unknown> =>
    admin.create(old, profile, { dryRun: true }).catch((error: unknown) => (error as Error).message);

  it("can be applied again and again", applyAll);

  it("refuses older versions of profiles while no webhook converts them", async () => {
    await eventually("the policy is in force", async () =>
      /has not registered yet: retry, or use performance.openshift.io\/v2/.test(String(await writeOld())),
    );
  });

  it("can be applied while a webhook runs that registered by URL", async () => {
    webhook = runWebhook({
      client: admin,
      signal: stop.signal,
      ...attuneHandlers(admin, { namespace: systemNamespace, log: noLog }),
      host: "127.0.0.1",
      port: 0,
      target: (port) => ({ type: "url", base: `https://127.0.0.1:${port}` }),
      secret: { namespace: "attune-system", name: webhookSecret },
      log: noLog,
    });
    const byUrl = { strategy: "Webhook", webhook: { clientConfig: { url: expect.any(String) as string } } };
    await eventually("older versions are converted", async () => typeof (await writeOld()) !== "string");
    const registered = await conversion();
    expect(registered).toMatchObject(byUrl);
    await applyAll();
    expect(await conversion()).toEqual(registered);
    expect(await writeOld()).toMatchObject({ apiVersion: old.apiVersion, spec: { cpu: { reserved: "0" } } });
  });
});
