import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { machineConfigKind } from "../../src/domain/machine-config/api.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { foundation } from "../../src/program/cli/install/manifests.ts";
import { systemNamespace as namespace } from "../../src/program/operator/names.ts";
import { attuneHandlers } from "../../src/program/webhook/attune-handlers.ts";
import { webhookGrants, webhookSecret, webhookServiceAccount } from "../../src/program/webhook/rbac.ts";
import { runWebhook } from "../../src/program/webhook/webhook.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { recording, type RecordedRequest, unused } from "../node-tuning/recorded-requests.ts";
import { clientFor, clientOfAccount } from "../servers/client-for.ts";
import { emptyServers, type ServerUnderTest } from "../servers/server-under-test.ts";

/** The webhook with exactly what `attune install` creates, and an attacker with its token. */
for (const variant of emptyServers())
  describe(`the webhook's account, on the ${variant.name} server`, { timeout: 120_000 }, () => {
    let server: ServerUnderTest;
    let admin: HttpClient;
    let account: HttpClient;
    const requests: RecordedRequest[] = [];
    const stop = new AbortController();
    let running: Promise<void> | undefined;

    beforeAll(async () => {
      server = await variant.start();
      admin = clientFor(server);
      await applyManifests(admin, [...foundation({ mode: "standalone" }), ...openShiftDefinitions]);
      await eventually("kinds are served", () => admin.list(machineConfigKind));
      account = await clientOfAccount(server, namespace, webhookServiceAccount);
    });
    afterAll(async () => {
      stop.abort();
      await running;
      await server?.close();
    });

    it("registers itself without creating an object", async () => {
      const client = recording(account, (request) => requests.push(request));
      const parts = attuneHandlers(client, { namespace, scyllaGateImage: "attune:test" });
      await new Promise<void>((resolve, reject) => {
        running = runWebhook({
          client,
          signal: stop.signal,
          ...parts,
          host: "127.0.0.1",
          port: 0,
          target: (port) => ({ type: "url", base: `https://127.0.0.1:${port}` }),
          secret: { namespace, name: webhookSecret },
          onReady: () => resolve(),
        });
        running.catch(reject);
      });
      expect(await parts.cluster.partitioning("created-a-moment-ago")).toMatchObject({
        ready: true,
        namespace: { type: "missing" },
      });
      expect(requests.filter(({ verb }) => verb === "create")).toEqual([]);
      const { webhooks } = await admin.get(kinds.validatingWebhookConfiguration, "attune-webhook");
      for (const name of ["tuneds.attune.dev", "scyllaconfigs.attune.dev"])
        expect(webhooks?.map((webhook) => webhook.name)).toContain(name);
    });

    it("keeps its registration when the manifests are applied again", async () => {
      const before = await admin.get(kinds.secret, webhookSecret, { namespace });
      expect(Object.keys(before.data ?? {})).toHaveLength(4);
      // The address in the CRD is the Service's, which a webhook at a URL has replaced.
      const manifests = foundation({ mode: "standalone" }).filter(({ kind }) => kind !== "CustomResourceDefinition");
      await applyManifests(admin, manifests);
      expect((await admin.get(kinds.secret, webhookSecret, { namespace })).data).toEqual(before.data);
      const { webhooks } = await admin.get(kinds.validatingWebhookConfiguration, "attune-webhook");
      expect(webhooks?.length).toBeGreaterThan(0);
    });

    it("tells of a refused pod in its namespace, and counts it", async () => {
      const annotations = { "target.workload.openshift.io/": "{}" };
      const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "asks", annotations }, spec: {} };
      const isRefused = (): Promise<boolean> =>
        admin.create<KubeObject>(kinds.pod, pod, { namespace: "default" }).then(
          () => false,
          ({ message }: Error) => message.includes("target.workload.openshift.io/management"),
        );
      // Without containers the API server refuses it itself, until it knows the webhook.
      await eventually("the webhook refuses it", isRefused);
      const written = (verb: string): boolean =>
        requests.some((request) => request.verb === verb && request.resource === "events");
      await eventually("an event is written", async () => written("create"));
      await isRefused();
      await eventually("it is counted", async () => written("patch"));
    });

    it("needed every right it has", async () => {
      await eventually("profiles are listed", async () =>
        requests.some(({ resource }) => resource === "performanceprofiles"),
      );
      const lists = requests
        .filter(({ verb }) => verb === "watch")
        .map((request): RecordedRequest => ({ ...request, verb: "list" }));
      expect(unused(webhookGrants({ namespace }), [...requests, ...lists])).toEqual([]);
    });

    const webhook = {
      name: "evil.example.com",
      clientConfig: { url: "https://127.0.0.1:1/" },
      rules: [{ apiGroups: ["*"], apiVersions: ["*"], resources: ["*"], operations: ["*"] }],
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
    };
    const configuration = (kind: string): KubeObject => ({
      apiVersion: "admissionregistration.k8s.io/v1",
      kind,
      metadata: { name: "evil" },
      webhooks: [webhook],
    });
    const toAnyone = { type: "merge", patch: { metadata: { labels: { evil: "yes" } } } } as const;
    const token = { "kubernetes.io/service-account.name": "attune-operator" };
    const attempts: [string, () => Promise<unknown>][] = [
      [
        "another validating webhook",
        () =>
          account.create(
            kinds.validatingWebhookConfiguration as never,
            configuration("ValidatingWebhookConfiguration") as never,
          ),
      ],
      [
        "a mutating webhook",
        () =>
          account.create(
            kinds.mutatingWebhookConfiguration as never,
            configuration("MutatingWebhookConfiguration") as never,
          ),
      ],
      ["the CRD of Tuneds", () => account.patch(kinds.customResourceDefinition, "tuneds.tuned.openshift.io", toAnyone)],
      [
        "a token of the operator",
        () =>
          account.create(
            kinds.secret,
            {
              apiVersion: "v1",
              kind: "Secret",
              metadata: { name: "evil", annotations: token },
              type: "kubernetes.io/service-account-token",
            },
            { namespace },
          ),
      ],
      [
        "the removal of its own configuration",
        () => account.delete(kinds.validatingWebhookConfiguration, "attune-webhook"),
      ],
      ["the Secrets of its namespace", () => account.list(kinds.secret, { namespace })],
    ];
    const definition = "performanceprofiles.performance.openshift.io";
    const owner = { apiVersion: "v1", kind: "ConfigMap", name: "none", uid: "none" };
    const merged = (patch: object) => ({ type: "merge", patch }) as const;
    const beyond: [string, () => Promise<unknown>][] = [
      [
        "a webhook for all kinds in its own configuration, which would receive Secrets",
        () =>
          account.patch(kinds.validatingWebhookConfiguration, "attune-webhook", merged({ webhooks: [webhook] }), {
            dryRun: true,
          }),
      ],
      ...[
        { what: "all pods, whose environment may hold secrets", resources: ["pods"], failurePolicy: "Ignore" },
        { what: "nodes that wait for it", resources: ["nodes"], failurePolicy: "Fail" },
      ].map(({ what, resources, failurePolicy }): [string, () => Promise<unknown>] => [
        `a webhook for ${what}`,
        () => {
          const rules = [{ apiGroups: [""], apiVersions: ["v1"], resources, operations: ["CREATE"] }];
          const patch = merged({ webhooks: [{ ...webhook, rules, failurePolicy }] });
          return account.patch(kinds.mutatingWebhookConfiguration, "attune-webhook", patch, { dryRun: true });
        },
      ]),
      [
        "a mutating webhook for Tuneds, whose author is root on nodes",
        () => {
          const rules = [
            { apiGroups: ["tuned.openshift.io"], apiVersions: ["v1"], resources: ["tuneds"], operations: ["*"] },
          ];
          const patch = merged({ webhooks: [{ ...webhook, rules }] });
          return account.patch(kinds.mutatingWebhookConfiguration, "attune-webhook", patch, { dryRun: true });
        },
      ],
      ...["names", "versions"].map((field): [string, () => Promise<unknown>] => [
        `other ${field} in its CRD`,
        async () => {
          const { spec } = await admin.get(kinds.customResourceDefinition, definition);
          const others: Record<string, unknown> = {
            names: { shortNames: ["evil"] },
            versions: (spec.versions as object[]).map((version) => ({ ...version, served: true, deprecated: true })),
          };
          const patch = merged({ spec: { [field]: others[field] } });
          return account.patch(kinds.customResourceDefinition, definition, patch, { dryRun: true });
        },
      ]),
      [
        "its CRD collected as garbage",
        () =>
          account.patch(
            kinds.customResourceDefinition,
            definition,
            merged({ metadata: { ownerReferences: [owner] } }),
            { dryRun: true },
          ),
      ],
    ];
    it.each(beyond)("may not have %s", async (_, attempt) => {
      await expect(attempt()).rejects.toThrow(/the webhook of Attune may (register|change) only/);
    });

    it.each(attempts)("may not have %s", async (_, attempt) => {
      await expect(attempt()).rejects.toThrow(/forbidden/);
    });
  });

/** Kinds of OpenShift that the webhook reads if they exist. */
const openShiftDefinitions = [
  ["Infrastructure", "infrastructures"],
  ["FeatureGate", "featuregates"],
].map(([kind = "", plural = ""]): KubeObject => {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.config.openshift.io` },
    spec: {
      group: "config.openshift.io",
      scope: "Cluster",
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
});
