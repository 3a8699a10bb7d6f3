import { setTimeout as delay } from "node:timers/promises";
import { isNotFound } from "../../src/cluster/kube/api-error.ts";
import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";

const TIMEOUT_MS = 90_000;
const PAUSE_MS = 250;
const SPACE = "work";

/** A client with the administrator's rights that addresses objects by path. */
export class Cluster {
  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  async create(
    group: string,
    plural: string,
    object: object,
    namespace: string | undefined = SPACE,
  ): Promise<KubeObject> {
    return (await this.#client.raw("POST", pathOf(group, plural, namespace), object)) as KubeObject;
  }

  async get(group: string, plural: string, name: string, namespace: string | undefined = SPACE): Promise<Found> {
    try {
      return (await this.#client.raw("GET", `${pathOf(group, plural, namespace)}/${name}`)) as Found;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async list(group: string, plural: string, labels = "", namespace: string | undefined = SPACE): Promise<KubeObject[]> {
    const query = labels === "" ? "" : `?labelSelector=${encodeURIComponent(labels)}`;
    const list = await this.#client.raw("GET", `${pathOf(group, plural, namespace)}${query}`);
    return (list as { items: KubeObject[] }).items;
  }

  async delete(
    group: string,
    plural: string,
    name: string,
    { propagationPolicy = "Background", namespace = SPACE } = {},
  ): Promise<void> {
    await this.#client.raw("DELETE", `${pathOf(group, plural, namespace)}/${name}`, {
      kind: "DeleteOptions",
      apiVersion: "v1",
      propagationPolicy,
    });
  }

  /** Waits until the condition holds. */
  async comes(what: string, holds: () => Promise<unknown>): Promise<void> {
    const deadline = Date.now() + TIMEOUT_MS;
    while (!(await holds())) {
      if (Date.now() > deadline) throw new Error(`${what}: not within ${TIMEOUT_MS / 1000} s`);
      await delay(PAUSE_MS);
    }
  }
}

export type Found = (KubeObject & { status?: Record<string, unknown>; spec?: Record<string, unknown> }) | undefined;

/** "" for a kind without namespaces. */
function pathOf(group: string, plural: string, namespace: string): string {
  const root = group === "v1" ? "/api/v1" : `/apis/${group}`;
  return `${root}/${namespace === "" ? "" : `namespaces/${namespace}/`}${plural}`;
}

const template = (app: string, restartPolicy = "Always"): object => ({
  metadata: { labels: { app } },
  spec: { restartPolicy, containers: [{ name: "c", image: "example.com/c:1" }] },
});
const workload = (app: string, spec: object = {}): object => ({
  metadata: { name: app },
  spec: { selector: { matchLabels: { app } }, template: template(app), ...spec },
});

/** What each controller has to do, in order. */
export const acts: readonly (readonly [string, (cluster: Cluster) => Promise<void>])[] = [
  [
    "a namespace gets its defaults",
    async (cluster) => {
      await cluster.create("v1", "namespaces", { metadata: { name: SPACE } }, "");
      await cluster.comes("the account", () => cluster.get("v1", "serviceaccounts", "default"));
      await cluster.comes("the certificate", () => cluster.get("v1", "configmaps", "kube-root-ca.crt"));
    },
  ],
  [
    "a Deployment has its pods, a Service finds them, and a budget counts them",
    async (cluster) => {
      await cluster.create("apps/v1", "deployments", workload("web", { replicas: 2 }));
      await cluster.create("v1", "services", {
        metadata: { name: "web" },
        spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
      });
      await cluster.create("policy/v1", "poddisruptionbudgets", {
        metadata: { name: "web" },
        spec: { minAvailable: 1, selector: { matchLabels: { app: "web" } } },
      });
      await cluster.comes("two available", async () => {
        const found = await cluster.get("apps/v1", "deployments", "web");
        return found?.status?.availableReplicas === 2;
      });
      await cluster.comes("two endpoints", async () => {
        const slices = await cluster.list("discovery.k8s.io/v1", "endpointslices", "kubernetes.io/service-name=web");
        return slices.flatMap(({ endpoints }) => (endpoints ?? []) as unknown[]).length === 2;
      });
      await cluster.comes("one may go", async () => {
        const found = await cluster.get("policy/v1", "poddisruptionbudgets", "web");
        return found?.status?.disruptionsAllowed === 1;
      });
    },
  ],
  [
    "a DaemonSet has a pod on the node",
    async (cluster) => {
      await cluster.create("apps/v1", "daemonsets", workload("agent"));
      await cluster.comes("a ready pod", async () => {
        const found = await cluster.get("apps/v1", "daemonsets", "agent");
        return found?.status?.numberReady === 1 && found.status.desiredNumberScheduled === 1;
      });
    },
  ],
  [
    "a StatefulSet has its pods in turn",
    async (cluster) => {
      await cluster.create("apps/v1", "statefulsets", workload("db", { replicas: 2, serviceName: "db" }));
      await cluster.comes("the second pod", async () => {
        const found = await cluster.get("apps/v1", "statefulsets", "db");
        return found?.status?.readyReplicas === 2;
      });
    },
  ],
  [
    "a ReplicationController has its pod, and an autoscaler looks at it",
    async (cluster) => {
      await cluster.create("v1", "replicationcontrollers", {
        metadata: { name: "old" },
        spec: { template: template("old") },
      });
      await cluster.create("autoscaling/v2", "horizontalpodautoscalers", {
        metadata: { name: "old" },
        spec: { scaleTargetRef: { apiVersion: "v1", kind: "ReplicationController", name: "old" }, maxReplicas: 2 },
      });
      await cluster.comes("the pod", async () => {
        const found = await cluster.get("v1", "replicationcontrollers", "old");
        return found?.status?.readyReplicas === 1;
      });
      // There is no metrics server, and the condition reports it.
      await cluster.comes("a condition", async () => {
        const found = await cluster.get("autoscaling/v2", "horizontalpodautoscalers", "old");
        return JSON.stringify(found?.status?.conditions ?? "").includes("FailedGetResourceMetric");
      });
    },
  ],
  [
    "a Job is done, and goes when its time has come",
    async (cluster) => {
      const spec = { template: template("task", "Never") };
      await cluster.create("batch/v1", "jobs", { metadata: { name: "task" }, spec });
      await cluster.create("batch/v1", "jobs", {
        metadata: { name: "brief" },
        spec: { ...spec, ttlSecondsAfterFinished: 0 },
      });
      await cluster.comes("it is complete", async () => {
        const found = await cluster.get("batch/v1", "jobs", "task");
        return found?.status?.succeeded === 1 && JSON.stringify(found.status.conditions).includes('"Complete"');
      });
      await cluster.comes("the other is gone", async () => !(await cluster.get("batch/v1", "jobs", "brief")));
    },
  ],
  [
    "a role is gathered into another",
    async (cluster) => {
      const rules = [{ apiGroups: ["a.example"], resources: ["widgets"], verbs: ["get"] }];
      const labels = { "rbac.authorization.k8s.io/aggregate-to-view": "true" };
      await cluster.create(
        "rbac.authorization.k8s.io/v1",
        "clusterroles",
        { metadata: { name: "w", labels }, rules },
        "",
      );
      for (const role of ["view", "admin"])
        await cluster.comes(`${role} has the rule`, async () => {
          const found = await cluster.get("rbac.authorization.k8s.io/v1", "clusterroles", role, "");
          return JSON.stringify(found).includes("a.example");
        });
    },
  ],
  [
    "dependents go with their owner, before it or without it",
    async (cluster) => {
      const owner = await cluster.get("apps/v1", "deployments", "web");
      const reference = {
        apiVersion: "apps/v1",
        kind: "Deployment",
        name: "web",
        uid: owner?.metadata.uid,
        blockOwnerDeletion: true,
      };
      await cluster.create("v1", "configmaps", { metadata: { name: "of-web", ownerReferences: [reference] } });
      await cluster.delete("apps/v1", "deployments", "web", { propagationPolicy: "Foreground" });
      await cluster.comes("the owner is gone", async () => !(await cluster.get("apps/v1", "deployments", "web")));
      for (const [group, plural] of [
        ["apps/v1", "replicasets"],
        ["v1", "pods"],
      ] as const)
        await cluster.comes(`no ${plural}`, async () => (await cluster.list(group, plural, "app=web")).length === 0);
      await cluster.comes("no config", async () => !(await cluster.get("v1", "configmaps", "of-web")));

      await cluster.delete("apps/v1", "daemonsets", "agent", { propagationPolicy: "Orphan" });
      await cluster.comes("its pod has no owner", async () => {
        const pods = await cluster.list("v1", "pods", "app=agent");
        return pods.length === 1 && pods[0]?.metadata.ownerReferences === undefined;
      });
      const absent = {
        apiVersion: "v1",
        kind: "ConfigMap",
        name: "never",
        uid: "11111111-1111-1111-1111-111111111111",
      };
      await cluster.create("v1", "configmaps", { metadata: { name: "lost", ownerReferences: [absent] } });
      await cluster.comes(
        "the ConfigMap of an absent owner is gone",
        async () => !(await cluster.get("v1", "configmaps", "lost")),
      );
    },
  ],
  [
    "a namespace goes with all it holds, of custom kinds too",
    async (cluster) => {
      const schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
      await cluster.create(
        "apiextensions.k8s.io/v1",
        "customresourcedefinitions",
        {
          metadata: { name: "widgets.a.example" },
          spec: {
            group: "a.example",
            scope: "Namespaced",
            names: { plural: "widgets", kind: "Widget" },
            versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
          },
        },
        "",
      );
      const widget = { apiVersion: "a.example/v1", kind: "Widget", metadata: { name: "one" } };
      await cluster.comes("the kind is served", () =>
        cluster.create("a.example/v1", "widgets", widget).catch(() => false),
      );
      await cluster.delete("v1", "namespaces", SPACE, { namespace: "" });
      await cluster.comes("it is gone", async () => !(await cluster.get("v1", "namespaces", SPACE, "")));
    },
  ],
];
