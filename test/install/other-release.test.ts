import { afterAll, beforeAll, expect, it } from "vitest";
import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { kindOf } from "../../src/cluster/kube/manifest-kinds.ts";
import { type ReleaseName, releases } from "../../src/domain/workload-partitioning/release.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { onlyInOtherReleases } from "../../src/program/cli/install/other-releases.ts";
import { Program } from "../../src/program/cli/testing/program.ts";
import { systemNamespace } from "../../src/program/operator/names.ts";
import { attuneHandlers } from "../../src/program/webhook/attune-handlers.ts";
import { configurationName } from "../../src/program/webhook/registration.ts";
import { webhookSecret, webhookServiceAccount } from "../../src/program/webhook/rbac.ts";
import { runWebhook } from "../../src/program/webhook/webhook.ts";
import { onEachEmptyServer } from "../conformance/on-each-server.ts";
import { clientFor, clientOfAccount } from "../servers/client-for.ts";

const policy = "attune-pod-instructions";

it("only the rules of attune's own release keep the instructions of a pod by a policy", () => {
  const more = (partitioningRelease: ReleaseName): string[] =>
    onlyInOtherReleases({ partitioningRelease }).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  for (const name of Object.keys(releases) as ReleaseName[])
    expect([name, more(name)]).toEqual([
      name,
      name === "documented"
        ? []
        : [`ValidatingAdmissionPolicyBinding ${policy}`, `ValidatingAdmissionPolicy ${policy}`],
    ]);
});

onEachEmptyServer("an installation that is switched to the rules of another release, and back,", (cluster) => {
  let program: Program;
  let admin: HttpClient;
  beforeAll(async () => {
    program = await Program.build();
    admin = clientFor(cluster.server);
  });
  afterAll(async () => {
    admin.close();
    await program.remove();
  });

  const installed = async (...args: string[]): Promise<string> => {
    const words = ["install", "--apply", "--mode", "plain", "--kubeconfig", cluster.server.kubeconfig, ...args];
    const { code, stdout, stderr } = await program.run(words);
    expect([code, stderr]).toEqual([0, ""]);
    return stdout;
  };
  /** Registers behind the Service, and ends as a Pod does that is replaced. */
  const registered = async (partitioningRelease: ReleaseName): Promise<void> => {
    const client = await clientOfAccount(cluster.server, systemNamespace, webhookServiceAccount);
    const stop = new AbortController();
    const target = { type: "service", namespace: systemNamespace, name: "attune-webhook", port: 443 } as const;
    await runWebhook({
      client,
      ...attuneHandlers(client, { namespace: systemNamespace, partitioningRelease, openShift: false }),
      host: "127.0.0.1",
      port: 0,
      target: () => target,
      drainMs: 0,
      secret: { namespace: systemNamespace, name: webhookSecret },
      onReady: () => stop.abort(),
      signal: stop.signal,
    });
    client.close();
  };
  const [binding, own] = onlyInOtherReleases({ partitioningRelease: "current" });
  const state = async (): Promise<object> => {
    const named = async (object: KubeObject | undefined): Promise<number> =>
      (await admin.list(kindOf(object!))).items.filter(({ metadata }) => metadata.name === policy).length;
    const { webhooks = [] } = await admin.get(kinds.mutatingWebhookConfiguration, configurationName);
    return {
      policies: await named(own),
      bindings: await named(binding),
      webhook: webhooks.some(({ name }) => name.startsWith("pods-instructions")),
    };
  };

  it("has the policy and the webhook of its own rules alone", async () => {
    const kept = { policies: 1, bindings: 1, webhook: true };
    for (const [release, expected] of [
      ["documented", kept],
      ["current", { policies: 0, bindings: 0, webhook: false }],
      ["documented", kept],
      ["4.14", { policies: 0, bindings: 0, webhook: false }],
    ] as const) {
      const before = release === "documented" ? undefined : await state();
      const tried = await installed("--partitioning-release", release, "--dry-run");
      if (before) expect(await state()).toEqual(before);
      const printed = await installed("--partitioning-release", release);
      await registered(release);
      expect([release, await state()]).toEqual([release, expected]);
      const isRemoved = release !== "documented";
      expect(tried.includes(`ValidatingAdmissionPolicy ${policy} removed (dry run)`)).toBe(isRemoved);
      expect(printed.includes(`ValidatingAdmissionPolicy ${policy} removed`)).toBe(isRemoved);
      expect(await installed("--partitioning-release", release)).not.toContain("removed");
    }
  });

  it("leaves a policy of another owner with the same name alone", async () => {
    await installed();
    const labels = { "app.kubernetes.io/part-of": null };
    await admin.patch(kindOf(own!), policy, { type: "merge", patch: { metadata: { labels } } });
    await installed("--partitioning-release", "current");
    expect(await state()).toMatchObject({ policies: 1, bindings: 0 });
  });
});
