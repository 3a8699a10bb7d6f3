import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds, untyped } from "../../src/cluster/kube/kinds.ts";
import type { ReleaseName } from "../../src/domain/workload-partitioning/release.ts";
import { confinedContainer, confinedPod } from "../../src/language/object/confinement.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { foundation } from "../../src/program/cli/install/manifests.ts";
import { systemNamespace } from "../../src/program/operator/names.ts";
import { attuneHandlers } from "../../src/program/webhook/attune-handlers.ts";
import type { AdmissionRequest, Handlers } from "../../src/program/webhook/handler.ts";
import { webhookSecret, webhookServiceAccount } from "../../src/program/webhook/rbac.ts";
import { runWebhook, type WebhookOptions } from "../../src/program/webhook/webhook.ts";
import { clientFor, clientOfAccount } from "../servers/client-for.ts";
import { growingPause, untilEstablished } from "../servers/until.ts";
import type { ServerUnderTest, ServerVariant } from "../servers/server-under-test.ts";

export const infrastructures = untyped("config.openshift.io/v1", "Infrastructure", "infrastructures", false);
const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const infrastructureDefinition: KubeObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "infrastructures.config.openshift.io" },
  spec: {
    group: "config.openshift.io",
    scope: "Cluster",
    names: {
      kind: "Infrastructure",
      listKind: "InfrastructureList",
      plural: "infrastructures",
      singular: "infrastructure",
    },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: anything } }],
  },
};
export const highlyAvailable = { controlPlaneTopology: "HighlyAvailable", infrastructureTopology: "HighlyAvailable" };

export interface RunningWebhook {
  /** Every review so far, by the name of the handler. */
  readonly reviews: { readonly handler: string; readonly request: AdmissionRequest }[];
  /** Ends it as a crash would: its configurations stay. */
  crash(): Promise<void>;
}

/** Without what keeps the mode: tests change it, as an admin who deletes the policies can. */
const isFree = ({ metadata }: KubeObject): boolean =>
  !metadata.name?.startsWith("attune-partitioning") && metadata.name !== infrastructureDefinition.metadata.name;

/** A server with what `attune install` applies, and an Infrastructure with this mode. */
export async function partitionedCluster(variant: ServerVariant, mode = "AllNodes"): Promise<PartitionedCluster> {
  const server = await variant.start();
  const admin = clientFor(server);
  await applyManifests(admin, [...foundation({ mode: "standalone" }).filter(isFree), infrastructureDefinition]);
  await untilEstablished(admin);
  const status = { cpuPartitioning: mode, ...highlyAvailable };
  await admin.create(infrastructures, {
    apiVersion: "config.openshift.io/v1",
    kind: "Infrastructure",
    metadata: { name: "cluster" },
    status,
  });
  return new PartitionedCluster(server, admin);
}

export class PartitionedCluster {
  readonly server: ServerUnderTest;
  readonly admin: HttpClient;
  readonly #stops: (() => Promise<void>)[] = [];

  constructor(server: ServerUnderTest, admin: HttpClient) {
    this.server = server;
    this.admin = admin;
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) await stop();
    await this.server.close();
  }

  async namespace(name: string, annotations: Record<string, string> = {}): Promise<void> {
    const metadata = { name, annotations };
    await this.admin.create(kinds.namespace, { apiVersion: "v1", kind: "Namespace", metadata });
    const hasAccount = async (): Promise<boolean> =>
      (await this.admin.list(kinds.serviceAccount, { namespace: name })).items.length > 0;
    for (const pause = growingPause(); !(await hasAccount());) await pause();
  }

  /** Runs the webhook with its own rights, at a URL. Resolves when API servers call it. */
  async webhook(
    more: Partial<WebhookOptions> & { readonly partitioningRelease?: ReleaseName } = {},
  ): Promise<RunningWebhook> {
    const { partitioningRelease, ...options } = more;
    const client = await clientOfAccount(this.server, systemNamespace, webhookServiceAccount);
    const stop = new AbortController();
    const reviews: RunningWebhook["reviews"] = [];
    const parts = attuneHandlers(client, { namespace: systemNamespace, partitioningRelease });
    let running: Promise<void> = Promise.resolve();
    await new Promise<void>((resolve, reject) => {
      running = runWebhook({
        client,
        signal: stop.signal,
        ...parts,
        handlers: counted(parts.handlers, reviews),
        host: "127.0.0.1",
        port: 0,
        target: (port) => ({ type: "url", base: `https://127.0.0.1:${port}` }),
        secret: { namespace: systemNamespace, name: webhookSecret },
        onReady: () => resolve(),
        ...options,
      });
      running.catch(reject);
    });
    await this.#untilCalled(reviews);
    const end = async (): Promise<void> => {
      stop.abort();
      await running;
    };
    this.#stops.push(end);
    return {
      reviews,
      crash: async () => {
        const kept = [kinds.mutatingWebhookConfiguration, kinds.validatingWebhookConfiguration];
        const before = await Promise.all(kept.map((kind) => this.admin.get(kind, "attune-webhook")));
        await end();
        for (const [index, kind] of kept.entries()) {
          const patch = { webhooks: before[index]?.webhooks };
          await this.admin.patch(kind, "attune-webhook", { type: "merge", patch });
        }
      },
    };
  }

  /** API servers read a configuration a little after it was written. */
  async #untilCalled(reviews: RunningWebhook["reviews"]): Promise<void> {
    const names = ["pods-partitioning", "pods-partitioned"];
    for (const pause = growingPause(); !names.every((name) => reviews.some(({ handler }) => handler === name));) {
      const resources = { requests: { [cores]: "1" }, limits: { [cores]: "1" } };
      const containers = [{ name: "one", image: "i", resources, securityContext: confinedContainer }];
      const probe = { ...podObject("probe"), spec: { containers, securityContext: confinedPod } };
      const options = { namespace: systemNamespace, dryRun: true };
      await this.admin.create<KubeObject>(kinds.pod, probe, options).catch(() => undefined);
      await pause();
    }
    reviews.length = 0;
  }
}

function counted(handlers: Handlers, reviews: RunningWebhook["reviews"]): Handlers {
  const admission = handlers.admission.map((handler) => ({
    ...handler,
    review: (request: AdmissionRequest) => {
      reviews.push({ handler: handler.name, request });
      return handler.review(request);
    },
  }));
  return { ...handlers, admission };
}

export const cores = "management.workload.openshift.io/cores";
export const target = { "target.workload.openshift.io/management": '{"effect":"PreferredDuringScheduling"}' };
export const allowed = { "workload.openshift.io/allowed": "management" };

export function podObject(name: string, { annotations = {}, cpu = "250m" } = {}): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, annotations },
    spec: {
      // As the namespace of the webhook demands.
      securityContext: confinedPod,
      containers: [
        {
          name: "one",
          image: "i",
          resources: { requests: { cpu, memory: "64Mi" } },
          securityContext: confinedContainer,
        },
      ],
    },
  };
}
