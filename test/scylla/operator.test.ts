import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isForbidden } from "../../src/cluster/kube/api-error.ts";
import type { Client } from "../../src/cluster/kube/client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { type ScyllaNodeConfig, scyllaNodeConfigKind, scyllaOperatorConfigKind } from "../../src/domain/scylla/api.ts";
import {
  agentServiceAccount,
  defaultNodeSelector,
  failureAnnotation,
  nodeConfigLabel,
  nodeLabel,
  releaseName,
  tuningNamespace,
} from "../../src/domain/scylla/names.ts";
import { readRelease, type Release, releaseConfigMap } from "../../src/domain/scylla/gate/release.ts";
import { gateGrants } from "../../src/domain/scylla/gate/gate-grants.ts";
import { nodeReport, reportName } from "../../src/domain/scylla/on-node/node-report.ts";
import { scyllaAgentGrants } from "../../src/domain/scylla/on-node/agent-grants.ts";
import { type Condition, findCondition } from "../../src/language/object/condition.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { foundation } from "../../src/program/cli/install/manifests.ts";
import { systemNamespace } from "../../src/program/operator/names.ts";
import { runOperator } from "../../src/program/operator/operator.ts";
import { operatorServiceAccount } from "../../src/program/operator/rbac.ts";
import { scyllaGrants } from "../../src/program/operator/scylla/rbac.ts";
import { eventually, gone } from "../node-tuning/eventually.ts";
import { recording, type RecordedRequest, unused } from "../node-tuning/recorded-requests.ts";
import { clientFor, clientOfAccount } from "../servers/client-for.ts";
import { serverVariants, type ServerUnderTest } from "../servers/server-under-test.ts";
import { nodeObject, nodeConfig, scyllaPod } from "./objects.ts";

const place = { namespace: tuningNamespace };

for (const variant of serverVariants())
  describe(`the operator under its own account, on the ${variant.name} server`, { timeout: 120_000 }, () => {
    let server: ServerUnderTest;
    let admin: Client;
    const requests: RecordedRequest[] = [];
    let running: { stop: AbortController; ended: Promise<void> } | undefined;

    beforeAll(async () => {
      server = await variant.start();
      admin = clientFor(server);
      await applyManifests(admin, foundation({ scylla: true }));
      for (const kind of [scyllaNodeConfigKind, scyllaOperatorConfigKind])
        await eventually(`${kind.plural} are served`, () => admin.list<never>(kind as never));
      await admin.create(kinds.node, nodeObject("picked", defaultNodeSelector));
      await admin.create(kinds.node, nodeObject("other"));
      await start();
    });
    afterAll(async () => {
      await stop();
      await server?.close();
    });

    async function start(version = "1.2.3"): Promise<void> {
      const account = await clientOfAccount(server, systemNamespace, operatorServiceAccount);
      const stop = new AbortController();
      const ended = runOperator({
        client: recording(account, (request) => requests.push(request)),
        signal: stop.signal,
        image: "attune:test",
        agentServiceAccount: "attune-agent",
        version,
      });
      running = { stop, ended };
    }

    async function stop(): Promise<void> {
      running?.stop.abort();
      await running?.ended;
      running = undefined;
    }

    const daemonSet = (config = "cluster"): Promise<NonNullable<(typeof kinds.daemonSet)["object"]>> =>
      admin.get(kinds.daemonSet, `scylla-agent-${config}`, place);
    const config = (name = "cluster"): Promise<ScyllaNodeConfig> => admin.get(scyllaNodeConfigKind, name);
    const condition = (name: string, type: string, status: string): Promise<Condition> =>
      eventually(`${type} of ${name} is ${status}`, async () => {
        const found = findCondition((await config(name)).status?.conditions, type);
        return found?.status === status && found;
      });
    const release = async (uid: string): Promise<Release> =>
      readRelease(
        await eventually("release", () => admin.get(kinds.configMap, releaseName(uid), { namespace: "default" })),
      );

    async function createPod(name: string, more: Parameters<typeof scyllaPod>[1] = {}): Promise<string> {
      const { metadata } = await admin.create(kinds.pod, scyllaPod(name, more), { namespace: "default" });
      return metadata.uid ?? "";
    }

    it("creates the default objects", async () => {
      const soc = await eventually("ScyllaOperatorConfig", async () => {
        const found = await admin.get(scyllaOperatorConfigKind, "cluster");
        return found.metadata.annotations && found;
      });
      expect(soc.spec).toEqual({ scyllaUtilsImage: "scylladb/scylla:2025.1.5" });
      expect((await config()).spec).toEqual({
        placement: { nodeSelector: defaultNodeSelector },
        disableOptimizations: false,
        engine: "perftune",
      });
    });

    it("runs agents on the nodes of each config", async () => {
      const { metadata, spec } = await eventually("DaemonSet", () => daemonSet());
      const { uid } = (await config()).metadata;
      expect(metadata.labels?.[nodeConfigLabel]).toBe("cluster");
      expect(metadata.ownerReferences).toMatchObject([{ kind: "ScyllaNodeConfig", uid, controller: true }]);
      expect(spec?.template.spec).toMatchObject({
        nodeSelector: defaultNodeSelector,
        hostNetwork: true,
        serviceAccountName: agentServiceAccount,
        containers: [{ image: "attune:test", securityContext: { privileged: true } }],
      });
      const command = spec?.template.spec?.containers[0]?.command?.join(" ");
      expect(command).toContain(
        "--config cluster --root /host --image attune:test --utils-image scylladb/scylla:2025.1.5",
      );
      for (const kind of [kinds.clusterRole, kinds.clusterRoleBinding])
        await eventually(kind.kind, () => admin.get<KubeObject>(kind, agentServiceAccount));
      for (const kind of [kinds.serviceAccount, kinds.role, kinds.roleBinding])
        await eventually(kind.kind, () => admin.get<KubeObject>(kind, agentServiceAccount, place));
    });

    it("follows the template of its version up and down, keeps all objects, and follows the image of the ScyllaOperatorConfig", async () => {
      await stop();
      await start("1.2.4");
      const label = "app.kubernetes.io/version";
      await eventually(
        "the new version",
        async () => (await daemonSet()).spec?.template.metadata?.labels?.[label] === "1.2.4",
      );
      const spec = { scyllaUtilsImage: "scylladb/scylla:2025.3.0" };
      await admin.patch(scyllaOperatorConfigKind, "cluster", { type: "merge", patch: { spec } });
      await eventually("the new image", async () =>
        (await daemonSet()).spec?.template.spec?.containers[0]?.command?.includes("scylladb/scylla:2025.3.0"),
      );
      expect((await admin.get(scyllaOperatorConfigKind, "cluster")).spec).toEqual(spec);
      const uids = async (): Promise<unknown[]> => [
        (await config()).metadata.uid,
        (await daemonSet()).metadata.uid,
        (await admin.get(kinds.clusterRole, agentServiceAccount)).metadata.uid,
        (await admin.get(kinds.serviceAccount, agentServiceAccount, place)).metadata.uid,
      ];
      const before = await uids();
      await stop();
      await start("1.2.3");
      await eventually(
        "the version of a downgrade",
        async () => (await daemonSet()).spec?.template.metadata?.labels?.[label] === "1.2.3",
      );
      expect(await uids()).toEqual(before);
    });

    it("repairs what other clients change", async () => {
      const privileged = "pod-security.kubernetes.io/enforce";
      const patched = { type: "merge", patch: { metadata: { labels: { [privileged]: "restricted" } } } } as const;
      await admin.patch(kinds.namespace, tuningNamespace, patched);
      await eventually("privileged pods are allowed again", async () => {
        const { metadata } = await admin.get(kinds.namespace, tuningNamespace);
        return metadata.labels?.[privileged] === "privileged";
      });
      const role = await admin.get(kinds.clusterRole, agentServiceAccount);
      const secrets = { apiGroups: [""], resources: ["secrets"], verbs: ["get"] };
      await admin.update(kinds.clusterRole, { ...role, rules: [...(role.rules ?? []), secrets] });
      const resources = async (): Promise<string[]> =>
        ((await admin.get(kinds.clusterRole, agentServiceAccount)).rules ?? []).flatMap((rule) => rule.resources ?? []);
      await eventually("no right to read Secrets", async () => !(await resources()).includes("secrets"));
      const local = await admin.get(kinds.role, agentServiceAccount, place);
      await admin.update(kinds.role, { ...local, rules: [] }, place);
      await eventually(
        "rights on Jobs",
        async () => (await admin.get(kinds.role, agentServiceAccount, place)).rules?.length,
      );
      for (const kind of [
        kinds.clusterRole,
        kinds.clusterRoleBinding,
        kinds.serviceAccount,
        kinds.role,
        kinds.roleBinding,
      ]) {
        const at = kind.namespaced ? place : {};
        const { metadata } = await admin.get<KubeObject>(kind, agentServiceAccount, at);
        await admin.delete<KubeObject>(kind, agentServiceAccount, at);
        await eventually(`${kind.kind} is back`, async () => {
          const found = await admin.get<KubeObject>(kind, agentServiceAccount, at);
          return found.metadata.uid !== metadata.uid;
        });
      }
      for (const kind of [kinds.clusterRoleBinding, kinds.roleBinding]) {
        const at = kind.namespaced ? place : {};
        const found = await admin.get<KubeObject>(kind, agentServiceAccount, at);
        const stranger = { kind: "ServiceAccount", name: "default", namespace: "default" };
        await admin.update(kind as never, { ...found, subjects: [stranger] } as never, at);
        await eventually(`${kind.kind} names agents only`, async () =>
          JSON.stringify(await admin.get<KubeObject>(kind, agentServiceAccount, at)).includes(tuningNamespace),
        );
      }
      const account = { type: "merge", patch: { metadata: { labels: { "app.kubernetes.io/part-of": "x" } } } } as const;
      await admin.patch(kinds.serviceAccount, agentServiceAccount, account, place);
      await eventually("the label of the account", async () => {
        const { metadata } = await admin.get(kinds.serviceAccount, agentServiceAccount, place);
        return metadata.labels?.["app.kubernetes.io/part-of"] === "attune";
      });
      const image = [{ op: "replace", path: "/spec/template/spec/containers/0/image", value: "other" }] as const;
      await admin.patch(kinds.daemonSet, "scylla-agent-cluster", { type: "json", operations: [...image] }, place);
      await eventually(
        "the image",
        async () => (await daemonSet()).spec?.template.spec?.containers[0]?.image === "attune:test",
      );
      const added = [{ op: "add", path: "/spec/template/spec/containers/0/args", value: ["--help"] }] as const;
      await admin.patch(kinds.daemonSet, "scylla-agent-cluster", { type: "json", operations: [...added] }, place);
      await eventually("no arguments", async () => !(await daemonSet()).spec?.template.spec?.containers[0]?.args);
    });

    it("counts agents, and says when all are ready", async () => {
      const { metadata } = await daemonSet();
      const write = (ready: number, observedGeneration = metadata.generation ?? 0): Promise<unknown> =>
        admin.patch(
          kinds.daemonSet,
          "scylla-agent-cluster",
          {
            type: "merge",
            patch: {
              status: {
                observedGeneration,
                desiredNumberScheduled: 2,
                currentNumberScheduled: 2,
                updatedNumberScheduled: 2,
                numberMisscheduled: 0,
                numberReady: ready,
                numberAvailable: ready,
              },
            },
          },
          { ...place, subresource: "status" },
        );
      await write(1);
      await eventually("one agent is missing", async () => {
        const found = findCondition((await config()).status?.conditions, "Available");
        return found?.message === "1 of 2 agents ready" && found.reason === "Scaling" && found.status === "False";
      });
      await write(2);
      expect(await condition("cluster", "Available", "True")).toMatchObject({ reason: "ReplicasReady" });
      expect((await config()).status).toMatchObject({
        observedGeneration: 1,
        current: { desired: 2, actual: 2, ready: 2 },
        updated: { desired: 2, actual: 2 },
        stale: false,
      });
      await write(2, 0);
      await eventually("stale counts", async () => (await config()).status?.stale === true);
      await write(2);
      await eventually("current counts", async () => (await config()).status?.stale === false);
    });

    it("lets a database start for which no agent tunes, and no other", async () => {
      const guaranteed = { nodeName: "picked", guaranteed: true };
      const tuned = await createPod("tuned", guaranteed);
      const pending = await createPod("pending", { guaranteed: true });
      const elsewhere = await createPod("elsewhere", { nodeName: "other", guaranteed: true });
      const burstable = await createPod("burstable", { nodeName: "picked" });
      expect(await release(elsewhere)).toEqual({ outcome: "skipped: no ScyllaNodeConfig selects node other" });
      expect(await release(burstable)).toEqual({
        outcome: "skipped: the pod has no CPUs of its own: its QoS class is Burstable, not Guaranteed",
      });
      const { metadata, data } = await admin.get(kinds.configMap, releaseName(burstable), { namespace: "default" });
      expect(data).toBeUndefined();
      expect(metadata.ownerReferences).toMatchObject([{ kind: "Pod", name: "burstable", uid: burstable }]);
      expect(metadata.labels).toEqual({ [nodeConfigLabel]: "cluster" });
      const { items } = await admin.list(kinds.configMap, { namespace: "default" });
      const names = items.map((one) => one.metadata.name);
      expect(names).not.toContain(releaseName(tuned));
      expect(names).not.toContain(releaseName(pending));
      // An agent let one container start, before it was switched off.
      const byAgent = { containerId: "containerd://a", irqCpus: "0", outcome: "tuned", node: "picked" };
      const written = releaseConfigMap({ metadata: { name: "tuned", uid: tuned } }, byAgent);
      await admin.create(kinds.configMap, written, { namespace: "default" });
      const disable = (disableOptimizations: boolean): Promise<unknown> =>
        admin.patch(scyllaNodeConfigKind, "cluster", { type: "merge", patch: { spec: { disableOptimizations } } });
      await disable(true);
      await eventually("any container may start", async () => (await release(tuned)).containerId === undefined);
      expect(await release(tuned)).toEqual({
        outcome: "skipped: ScyllaNodeConfig cluster has optimizations disabled",
      });
      await gone("DaemonSet", () => daemonSet());
      await gone("ClusterRoleBinding", () => admin.get(kinds.clusterRoleBinding, agentServiceAccount));
      await gone("ServiceAccount", () => admin.get(kinds.serviceAccount, agentServiceAccount, place));
      expect(await condition("cluster", "Available", "True")).toMatchObject({ reason: "ReplicasReady" });
      await disable(false);
      await eventually("DaemonSet", () => daemonSet());
    });

    it("replaces databases whose gate has another version after their nodes were tuned, one at a time", async () => {
      const at = { namespace: "racks" };
      await admin.create(kinds.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: at.namespace } });
      const template = scyllaPod("");
      const set = await admin.create(
        kinds.statefulSet,
        {
          apiVersion: "apps/v1",
          kind: "StatefulSet",
          metadata: { name: "rack", ...at },
          spec: {
            serviceName: "rack",
            replicas: 2,
            selector: { matchLabels: template.metadata.labels ?? {} },
            template: { metadata: { labels: template.metadata.labels ?? {} }, spec: template["spec"] as never },
          },
        },
        at,
      );
      const { uid: owner = "" } = set.metadata;
      const setReady = (readyReplicas: number): Promise<unknown> =>
        admin.patch(
          kinds.statefulSet,
          "rack",
          { type: "merge", patch: { status: { replicas: 2, readyReplicas, observedGeneration: 1 } } },
          { ...at, subresource: "status" },
        );
      const land = async (name: string): Promise<string> => {
        const pod = scyllaPod(name, { nodeName: "picked", guaranteed: true, gated: true });
        const ownerReferences = [
          { apiVersion: "apps/v1", kind: "StatefulSet", name: "rack", uid: owner, controller: true },
        ];
        const { metadata } = await admin.create(
          kinds.pod,
          { ...pod, metadata: { ...pod.metadata, ...at, ownerReferences } },
          at,
        );
        const status = {
          phase: "Running",
          conditions: [{ type: "Ready", status: "True" }],
          containerStatuses: [
            {
              name: "scylla",
              image: "",
              imageID: "",
              ready: true,
              restartCount: 0,
              containerID: "containerd://a",
              state: { running: {} },
            },
          ],
        };
        await admin.patch(kinds.pod, name, { type: "merge", patch: { status } }, { ...at, subresource: "status" });
        return metadata.uid ?? "";
      };
      const uids = { one: await land("rack-0"), two: await land("rack-1") };
      await setReady(2);
      const goes = (name: string): Promise<unknown> =>
        eventually(`${name} is evicted`, async () => {
          const found = await admin.list(kinds.pod, at);
          return found.items.every((pod) => pod.metadata.name !== name || pod.metadata.deletionTimestamp !== undefined);
        });
      const tuned = (name: string, uid: string): Promise<unknown> =>
        admin.create(
          kinds.configMap,
          releaseConfigMap(
            { metadata: { name, uid, ...at } },
            { containerId: "containerd://a", node: "picked" },
            "cluster",
          ),
          at,
        );
      await tuned("rack-0", uids.one);
      await goes("rack-0");
      // Its StatefulSet has not created it again: the other stays.
      await setReady(1);
      await tuned("rack-1", uids.two);
      const lists = (): number =>
        requests.filter(({ resource, verb }) => resource === "statefulsets" && verb === "list").length;
      const before = lists();
      await eventually("the operator looks at the StatefulSet again", () => Promise.resolve(lists() > before));
      expect((await admin.get(kinds.pod, "rack-1", at)).metadata.deletionTimestamp).toBeUndefined();
      await setReady(2);
      await admin.patch(kinds.pod, "rack-1", { type: "merge", patch: { metadata: { annotations: { a: "b" } } } }, at);
      await goes("rack-1");
    });

    it("gives a gate the right to read its pod and its ConfigMap, and no other", async () => {
      const uid = await createPod("gated", { nodeName: "other", gated: true });
      const role = await eventually("Role", () =>
        admin.get(kinds.role, `attune-scylla-gate-${uid}`, { namespace: "default" }),
      );
      expect(role.rules?.map(({ resources, resourceNames }) => [resources, resourceNames])).toEqual([
        [["pods"], ["gated"]],
        [["configmaps"], [releaseName(uid)]],
      ]);
      await eventually("RoleBinding", () =>
        admin.get(kinds.roleBinding, `attune-scylla-gate-${uid}`, { namespace: "default" }),
      );
    });

    it("reports nodes that two configs select on both, and the older decides (9.3)", async () => {
      await admin.create(scyllaNodeConfigKind, nodeConfig("second", { placement: { nodeSelector: {} } }));
      expect(await condition("cluster", "Overlapping", "True")).toMatchObject({
        reason: "NodesSelectedTwice",
        message: "ScyllaNodeConfig second selects the same nodes: picked; this config is older and decides about them",
      });
      expect(await condition("second", "Overlapping", "True")).toMatchObject({
        message: "ScyllaNodeConfig cluster selects the same nodes: picked; that config is older and decides about them",
      });
      await eventually("DaemonSet", () => daemonSet("second"));
      await admin.delete(scyllaNodeConfigKind, "second");
      await condition("cluster", "Overlapping", "False");
      await gone("DaemonSet", () => daemonSet("second"));
    });

    it("reports a Job that failed with its node and the end of its log, until the node is gone (scylla W-2, scylla W-11)", async () => {
      await admin.create(kinds.node, nodeObject("leaves", defaultNodeSelector));
      const template = {
        spec: { restartPolicy: "Never", nodeName: "leaves", containers: [{ name: "perftune", image: "x" }] },
      } as const;
      await admin.create(
        kinds.job,
        {
          apiVersion: "batch/v1",
          kind: "Job",
          metadata: {
            name: "perftune-1",
            labels: { [nodeConfigLabel]: "cluster", [nodeLabel]: "leaves" },
            annotations: { [failureAnnotation]: "exit code 1: no such NIC: eth7" },
          },
          spec: { template },
        } as never,
        place,
      );
      expect(await condition("cluster", "Degraded", "True")).toMatchObject({
        reason: "TuningFailed",
        message: "node leaves: Job perftune-1 failed: exit code 1: no such NIC: eth7",
      });
      await admin.delete(kinds.node, "leaves");
      await condition("cluster", "Degraded", "False");
      await eventually("the Job is deleted", async () => {
        const { items } = await admin.list(kinds.job, place);
        return items.every(({ metadata }) => metadata.deletionTimestamp !== undefined);
      });
    });

    it("reports databases whose CPUs the agent of a node cannot find, until it finds them", async () => {
      const [node, found] = [{ name: "picked", uid: "u" }, await config()];
      const pod = { ...scyllaPod("asks"), metadata: { name: "asks", namespace: "default", uid: "u" } };
      await admin.create(kinds.configMap, nodeReport([{ pod, reason: "no answer" }], found, node), place);
      expect(await condition("cluster", "Degraded", "True")).toMatchObject({
        reason: "CpusUnknown",
        message: expect.stringContaining("node picked: the CPUs of default/asks are not known: no answer; ") as string,
      });
      const written = await admin.get(kinds.configMap, reportName(node), place);
      await admin.update(
        kinds.configMap,
        { ...written, ...nodeReport([], found, node), metadata: written.metadata },
        place,
      );
      await condition("cluster", "Degraded", "False");
      const patch = { metadata: { labels: { [nodeLabel]: "gone" } } };
      await admin.patch(kinds.configMap, reportName(node), { type: "merge", patch }, place);
      await gone("the report of a node that is gone", () => admin.get(kinds.configMap, reportName(node), place));
    });

    it("says which image is missing, and that a placement cannot be used", async () => {
      await admin.patch(scyllaOperatorConfigKind, "cluster", {
        type: "merge",
        patch: { spec: { scyllaUtilsImage: "" } },
      });
      expect(await condition("cluster", "Degraded", "True")).toMatchObject({ reason: "MissingScyllaUtilsImage" });
      await eventually("event", async () => {
        const { items } = await admin.list(kinds.event, { namespace: "default" });
        return items.some(({ reason }) => reason === "MissingScyllaUtilsImage");
      });
      await admin.patch(scyllaNodeConfigKind, "cluster", { type: "merge", patch: { spec: { engine: "native" } } });
      await condition("cluster", "Degraded", "False");
      await admin.patch(scyllaNodeConfigKind, "cluster", {
        type: "merge",
        patch: { spec: { placement: { tolerations: [{ operator: "Equal", value: "x" }] } } },
      });
      expect(await condition("cluster", "Degraded", "True")).toMatchObject({ reason: "InvalidPlacement" });
    });

    it("leaves nothing behind when the last config is deleted, and creates the default no second time (scylla W-12)", async () => {
      await admin.delete(scyllaNodeConfigKind, "cluster");
      await gone("DaemonSet", () => daemonSet());
      for (const kind of [kinds.clusterRole, kinds.clusterRoleBinding])
        await gone(kind.kind, () => admin.get<KubeObject>(kind, agentServiceAccount));
      for (const kind of [kinds.serviceAccount, kinds.role, kinds.roleBinding])
        await gone(kind.kind, () => admin.get<KubeObject>(kind, agentServiceAccount, place));
      await stop();
      await start();
      const late = await createPod("late", { nodeName: "picked", guaranteed: true });
      expect(await release(late)).toEqual({ outcome: "skipped: no ScyllaNodeConfig selects node picked" });
      await gone("the default config", () => config());
      await admin.delete(scyllaOperatorConfigKind, "cluster");
      await eventually("both defaults are back", () => config());
    });

    it("needs all its rights", () => {
      const granted = scyllaGrants.slice(0, scyllaGrants.length - scyllaAgentGrants.length - gateGrants.length);
      // Watches stream lists from servers that support it; other servers get list requests.
      const lists = requests
        .filter(({ verb }) => verb === "watch")
        .map((request): RecordedRequest => ({ ...request, verb: "list" }));
      expect(unused(granted, [...requests, ...lists])).toEqual([]);
    });

    it("may write no other role and no other ConfigMap", async () => {
      const account = await clientOfAccount(server, systemNamespace, operatorServiceAccount);
      const refused = async (write: Promise<unknown>): Promise<boolean> =>
        write.then(
          () => false,
          (error: unknown) => isForbidden(error),
        );
      const named = { metadata: { name: "another" } };
      const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", ...named, rules: [] };
      expect(await refused(account.create(kinds.clusterRole, role))).toBe(true);
      const configMap = { apiVersion: "v1", kind: "ConfigMap", ...named };
      expect(await refused(account.create(kinds.configMap, configMap, { namespace: "default" }))).toBe(true);
    });
  });
