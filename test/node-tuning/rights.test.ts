import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { foundation } from "../../src/program/cli/install/manifests.ts";
import { createPromMetrics } from "../../src/cluster/runtime/metrics/prom-metrics.ts";
import type { Client } from "../../src/cluster/kube/client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import {
  containerRuntimeConfigKind,
  controllerConfigKind,
  controllerConfigName,
  kubeletConfigKind,
  machineConfigKind,
  machineConfigPoolKind,
} from "../../src/domain/machine-config/api.ts";
import { originsAnnotation } from "../../src/domain/machine-config/rendered-annotations.ts";
import type { PoolConfig } from "../../src/domain/machine-config/pool-configs/generated-kind.ts";
import {
  profileKind,
  type Recommend,
  tunedKind,
  tuningNamespace as namespace,
} from "../../src/domain/node-tuning/api.ts";
import { inputsOf } from "../../src/domain/node-tuning/node-profile.ts";
import { clusterOperatorKind } from "../../src/domain/node-tuning/node-tuning-controller.ts";
import { definitionName, type KindRef, type KubeObject } from "../../src/language/object/meta.ts";
import { findCondition } from "../../src/language/object/condition.ts";
import { performanceProfileKind } from "../../src/domain/performance-profile/api.ts";
import { profileOf as performanceProfile } from "../../src/domain/performance-profile/testing/facts.ts";
import { annotations, ownAnnotations } from "../../src/domain/rollout/node-annotations.ts";
import { conflictCondition } from "../../src/domain/rollout/rollout-node.ts";
import {
  infrastructureKind,
  partitioningConfigMap,
  partitioningMode,
} from "../../src/domain/workload-partitioning/identifier.ts";
import { clusterFeatures } from "../../src/program/operator/cluster-features.ts";
import { runOperator } from "../../src/program/operator/operator.ts";
import { operatorGrants, operatorServiceAccount } from "../../src/program/operator/rbac.ts";
import { systemNamespace } from "../../src/program/operator/names.ts";
import { clientFor, clientOfAccount } from "../servers/client-for.ts";
import { serverVariants, type ServerUnderTest } from "../servers/server-under-test.ts";
import { createHeldPod, report } from "../machine-config/objects.ts";
import { clusterOperatorDefinition, configurationDefinitions } from "./cluster-operator-definition.ts";
import { controllerConfigDefinition } from "./controller-config-definition.ts";
import { forgetMode } from "../workload-partitioning/identify.ts";
import { eventually, gone } from "./eventually.ts";
import { recording, type RecordedRequest, unused } from "./recorded-requests.ts";
import { shippedDaemonSet } from "./shipped-operator.ts";

const role = "machineconfiguration.openshift.io/role";
const place = { namespace };

for (const variant of serverVariants())
  describe(`the operator under its own account, on the ${variant.name} server`, { timeout: 120_000 }, () => {
    let server: ServerUnderTest;
    let admin: Client;
    const requests: RecordedRequest[] = [];
    const printed: string[] = [];
    let running: { stop: AbortController; ended: Promise<void> } | undefined;

    beforeAll(async () => {
      server = await variant.start();
      admin = clientFor(server);
      await applyManifests(admin, [
        ...foundation({ mode: "standalone" }),
        clusterOperatorDefinition,
        ...configurationDefinitions,
      ]);
      for (const kind of [tunedKind, profileKind, machineConfigKind, machineConfigPoolKind, clusterOperatorKind])
        await eventually(`${kind.plural} are served`, () => admin.list<never>(kind as never));
    });
    afterAll(async () => {
      await stop();
      await server?.close();
    });

    async function start(): Promise<void> {
      const account = await clientOfAccount(server, systemNamespace, operatorServiceAccount);
      const stop = new AbortController();
      const ended = runOperator({
        client: recording(account, (request) => requests.push(request)),
        signal: stop.signal,
        image: "attune:test",
        agentServiceAccount: "attune-agent",
        version: "1.2.3",
        metrics: await createPromMetrics(),
        metricsAddress: "127.0.0.1:0",
        metricsCertificates: "/nonexistent",
        print: (line) => printed.push(line),
      });
      running = { stop, ended };
    }

    async function stop(): Promise<void> {
      running?.stop.abort();
      await running?.ended;
      running = undefined;
    }

    it("gives a pool the boot arguments of its nodes", async () => {
      // The agents of another operator are replaced.
      await admin.create(kinds.daemonSet, shippedDaemonSet, place);
      await admin.create(machineConfigPoolKind, {
        ...typeOf(machineConfigPoolKind),
        metadata: { name: "worker" },
        spec: {
          nodeSelector: { matchLabels: { worker: "" } },
          machineConfigSelector: { matchLabels: { [role]: "worker" } },
        },
      });
      await admin.create(kinds.node, {
        apiVersion: "v1",
        kind: "Node",
        metadata: { name: "n", labels: { "kubernetes.io/os": "linux", worker: "" } },
      });
      await admin.create(tunedKind, tuned("boots", { machineConfigLabels: { [role]: "worker" } }), place);
      await start();
      await reports("n", "quiet");
      await machineConfigHas("quiet");
      await reports("n", "loud");
      await machineConfigHas("loud");
      await eventually("our agents", async () => {
        const { spec } = await admin.get(kinds.daemonSet, "tuned", place);
        return spec?.template.spec?.containers.map(({ name }) => name).join() === "agent";
      });
    });

    it("derives objects from PerformanceProfiles, repairs and deletes them", async () => {
      await eventually("PerformanceProfiles are served", () => admin.list(performanceProfileKind));
      await admin.create(machineConfigPoolKind, {
        ...typeOf(machineConfigPoolKind),
        metadata: { name: "cnf", labels: { [role]: "worker-cnf" } },
        spec: {
          nodeSelector: { matchLabels: { "node-role.kubernetes.io/worker-cnf": "" } },
          machineConfigSelector: { matchLabels: { [role]: "worker-cnf" } },
        },
      });
      await admin.create(performanceProfileKind, performanceProfile());
      const objects = [
        [tunedKind, "openshift-node-performance-cnf", { spec: { recommend: [] } }, place],
        [machineConfigKind, "50-performance-cnf", { spec: { kernelType: "realtime" } }, {}],
        [kubeletConfigKind, "performance-cnf", { spec: { logLevel: 3 } }, {}],
        [kinds.runtimeClass, "performance-cnf", { scheduling: null }, {}],
      ] as const;
      const versionOf = async (kind: KindRef, name: string, options: object): Promise<string> =>
        (await admin.get(kind, name, options)).metadata.resourceVersion ?? "";
      for (const [kind, name, patch, options] of objects) {
        await eventually(kind.kind, () => versionOf(kind, name, options));
        const changed = await admin.patch<KubeObject>(kind, name, { type: "merge", patch }, options);
        await eventually(`${kind.kind} is repaired`, async () => {
          return (await versionOf(kind, name, options)) !== changed.metadata.resourceVersion;
        });
      }
      await eventually("the status", async () => {
        const { status } = await admin.get(performanceProfileKind, "cnf");
        return findCondition(status?.conditions, "Degraded")?.status === "False";
      });
      await admin.delete(performanceProfileKind, "cnf");
      await gone("the profile", () => admin.get(performanceProfileKind, "cnf"));
    });

    it("matches labels of pods if a rule does, and reports the Tuned as invalid", async () => {
      await admin.create(tunedKind, tuned("pods", { match: [{ label: "x", type: "pod" }] }), place);
      await eventually("reported", async () => validOf("pods").then((valid) => valid === "False"));
    });

    it("tells the author of a Tuned in another namespace that it is ignored", async () => {
      const elsewhere = { namespace: "elsewhere" };
      await admin.create(kinds.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: "elsewhere" } });
      const stray = tuned("stray", {}) as { metadata: object };
      await admin.create(tunedKind, { ...stray, metadata: { name: "stray", ...elsewhere } } as never, elsewhere);
      await eventually("reported", async () => {
        const { status } = await admin.get(tunedKind, "stray", elsewhere);
        return findCondition(status?.conditions, "Valid")?.message.includes("are ignored");
      });
      await eventually("an event", async () => {
        const { items } = await admin.list(kinds.event, elsewhere);
        return items.some(({ involvedObject, type }) => involvedObject.name === "stray" && type === "Warning");
      });
    });

    it("counts repeated events", async () => {
      for (const [index, texts] of [["1", "2"], ["1"], ["1", "2"]].entries()) {
        const spec = { profile: texts.map((text) => ({ name: "twice", data: `[main]\nsummary=${text}\n` })) };
        if (index === 0) await admin.create(tunedKind, { ...(tuned("twice", {}) as object), spec } as never, place);
        else await admin.patch(tunedKind, "twice", { type: "merge", patch: { spec } }, place);
        await eventually("reported", async () =>
          validOf("twice").then((valid) => valid === (texts[1] ? "False" : "True")),
        );
      }
      await eventually("an event for both times", async () => {
        const { items } = await admin.list(kinds.event, place);
        return items.some(({ involvedObject, count }) => involvedObject.name === "twice" && count === 2);
      });
    });

    it("deletes the objects it created", async () => {
      await admin.delete(tunedKind, "boots", place);
      await gone("the MachineConfig", () => admin.get(machineConfigKind, "50-nto-worker"));
      for (const [index, state] of ["Removed", "Managed", "Removed"].entries()) {
        await admin.patch(tunedKind, "default", { type: "merge", patch: { spec: { managementState: state } } }, place);
        const profile = (): Promise<unknown> => admin.get(profileKind, "n", place);
        const daemonSet = (): Promise<unknown> => admin.get(kinds.daemonSet, "tuned", place);
        if (state === "Managed") await eventually("a Profile", profile);
        if (state === "Managed") await eventually("agents", daemonSet);
        if (state === "Removed") await gone(`the Profile (${index})`, profile);
        if (state === "Removed") await gone(`the agents (${index})`, daemonSet);
        await eventually("reported", async () => {
          const { status } = await admin.get(clusterOperatorKind, "node-tuning");
          return (findCondition(status?.conditions, "Available")?.reason === "Removed") === (state === "Removed");
        });
      }
      await eventually("an event about the cluster's operator that is counted", async () => {
        const { items } = await admin.list(kinds.event, { namespace: "default" });
        return items.some(({ involvedObject, count }) => involvedObject.name === "node-tuning" && count! > 1);
      });
    });

    it("reports its status in a ConfigMap if there is no ClusterOperator", async () => {
      await stop();
      await admin.delete(kinds.customResourceDefinition, clusterOperatorDefinition.metadata.name ?? "");
      await gone("the kind", () => admin.list(clusterOperatorKind));
      await start();
      const state = (): Promise<string> =>
        admin
          .get(kinds.configMap, "node-tuning-status", place)
          .then(({ data }) => (data as Record<string, string>)["Available"] ?? "");
      await eventually("reported", async () => (await state()).includes("Removed"));
      const patch = { spec: { managementState: "Unmanaged" } };
      await admin.patch(tunedKind, "default", { type: "merge", patch }, place);
      await eventually("reported again", async () => (await state()).includes("Unmanaged"));
      await stop();
    });

    it("rolls a MachineConfig and configurations of pools out, until a Machine Config Operator does", async () => {
      const files = [{ path: "/etc/motd", contents: { source: "data:,hello" } }];
      const config = { ignition: { version: "3.2.0" }, storage: { files } };
      const motd = (name: string): KubeObject & { spec: object } => ({
        ...typeOf(machineConfigKind),
        metadata: { name, labels: { [role]: "worker" } },
        spec: { config },
      });
      await admin.create<KubeObject>(machineConfigKind, motd("50-motd"));
      await start();
      const annotation = async (name: string): Promise<string> =>
        (await admin.get(kinds.node, "n")).metadata.annotations?.[name] ?? "";
      await eventually("the node is told", async () => (await annotation(annotations.desiredConfig)) !== "");
      const request = `drain-${await annotation(annotations.desiredConfig)}`;
      await createHeldPod(admin, "default", "n");
      await report(admin, "n", { [annotations.state]: "Working", [annotations.desiredDrain]: request });
      await eventually("the budget is named", async () =>
        (await annotation(ownAnnotations.drain)).includes("default/db"),
      );
      await admin.delete(kinds.podDisruptionBudget, "db", { namespace: "default" });
      await eventually("the node is drained", async () => (await annotation(annotations.lastAppliedDrain)) === request);
      // The same contents, of another origin.
      await admin.create<KubeObject>(machineConfigKind, motd("51-motd"));
      await eventually("the origin is noted", async () => {
        const rendered = await admin.get(machineConfigKind, await annotation(annotations.desiredConfig));
        return rendered.metadata.annotations?.[originsAnnotation]?.includes("51-motd");
      });
      await admin.patch(machineConfigPoolKind, "worker", {
        type: "merge",
        patch: { metadata: { labels: { pool: "a" } } },
      });
      for (const kind of [kubeletConfigKind, containerRuntimeConfigKind]) {
        const spec = { machineConfigPoolSelector: { matchLabels: { pool: "a" } } };
        await admin.create<KubeObject>(kind, { ...typeOf(kind), metadata: { name: "a" }, spec });
        await eventually("accepted", async () => {
          const { status } = await admin.get<PoolConfig>(kind, "a");
          return findCondition(status?.conditions, "Accepted")?.status === "True";
        });
      }
      for (const name of ["a", "b"]) {
        const spec = { nodeSelector: { matchLabels: { both: "" } } };
        await admin.create(machineConfigPoolKind, { ...typeOf(machineConfigPoolKind), metadata: { name }, spec });
      }
      await admin.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata: { name: "m", labels: { both: "" } } });
      await eventually("the node in two pools is told so", async () => {
        const { status } = await admin.get(kinds.node, "m");
        return findCondition(status?.conditions, conflictCondition)?.status === "True";
      });
      await applyManifests(admin, [controllerConfigDefinition]);
      await eventually("the kind is served", () => admin.list(controllerConfigKind));
      await admin.create(controllerConfigKind, {
        ...typeOf(controllerConfigKind),
        metadata: { name: controllerConfigName },
      });
      await eventually("noticed", async () => printed.at(-1)?.includes("rolled out by the Machine Config Operator"));
      const account = await clientOfAccount(server, systemNamespace, operatorServiceAccount);
      const client = recording(account, (request) => requests.push(request));
      expect(await clusterFeatures(client, new AbortController().signal)).toMatchObject({
        machineConfigOperator: true,
      });
      await stop();
    });

    it("notes that a single node is partitioned, in the Infrastructure or in the ConfigMap that stands in for it", async () => {
      const status = { cpuPartitioning: "None", controlPlaneTopology: "SingleReplica" };
      for (const name of ["n", "m"]) {
        const patch = { status: { capacity: { "management.workload.openshift.io/cores": "8k" } } };
        await admin.patch(kinds.node, name, { type: "merge", patch }, { subresource: "status" });
      }
      const infrastructure = { ...typeOf(infrastructureKind), metadata: { name: "cluster" }, spec: {} };
      await admin.create<KubeObject>(infrastructureKind, infrastructure);
      const write = { type: "merge", patch: { status } } as const;
      await admin.patch(infrastructureKind, "cluster", write, { subresource: "status" });
      await start();
      await eventually("noted in the Infrastructure", async () => {
        const found = await admin.get<KubeObject>(infrastructureKind, "cluster");
        return partitioningMode(found) === "AllNodes";
      });
      await admin.delete(kinds.customResourceDefinition, definitionName(infrastructureKind));
      await gone("the kind", () => admin.list(infrastructureKind));
      const { name } = partitioningConfigMap;
      const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data: status };
      await forgetMode(admin);
      await admin.create(kinds.configMap, configMap, place);
      await eventually("noted in the ConfigMap", async () => {
        const found = await admin.get<KubeObject>(kinds.configMap, name, place);
        return partitioningMode(found) === "AllNodes";
      });
      await stop();
    });

    it("needed every right it has", () => {
      // Watches stream lists from servers that support it; other servers get list requests.
      const lists = requests
        .filter(({ verb }) => verb === "watch")
        .map((request): RecordedRequest => ({ ...request, verb: "list" }));
      expect(unused(operatorGrants(), [...requests, ...lists])).toEqual([]);
    });

    function tuned(name: string, rule: Partial<Recommend>): never {
      return {
        apiVersion: tunedKind.apiVersion,
        kind: "Tuned",
        metadata: { name, namespace },
        spec: {
          profile: [{ name, data: "[main]\nsummary=p\n[bootloader]\ncmdline_a=${f:exec:print-arguments}\n" }],
          recommend: [{ profile: name, priority: 10, ...rule }],
        },
      } as never;
    }

    /** Writes what the node's agent would report. */
    async function reports(node: string, bootcmdline: string): Promise<void> {
      const profile = await eventually("a Profile", async () => {
        const found = await admin.get(profileKind, node, place);
        return found.spec.config.tunedProfile === "boots" && found;
      });
      const condition = (type: string, status: string): object => ({
        type,
        status,
        reason: "AsExpected",
        message: "",
        lastTransitionTime: "2026-01-01T00:00:00Z",
      });
      const status = {
        tunedProfile: "boots",
        bootcmdline,
        bootcmdlineInputs: inputsOf(profile.spec),
        conditions: [condition("Applied", "True"), condition("Degraded", "False")],
        observedGeneration: profile.metadata.generation,
      };
      await admin.patch(profileKind, node, { type: "merge", patch: { status } }, { namespace, subresource: "status" });
    }

    async function machineConfigHas(argument: string): Promise<void> {
      await eventually(`the pool boots ${argument}`, async () => {
        const { spec } = await admin.get(machineConfigKind, "50-nto-worker");
        return spec?.kernelArguments?.join(" ") === argument;
      });
    }

    async function validOf(name: string): Promise<string | undefined> {
      const { status } = await admin.get(tunedKind, name, place);
      return findCondition(status?.conditions, "Valid")?.status;
    }
  });

function typeOf({ apiVersion, kind }: { apiVersion: string; kind: string }): { apiVersion: string; kind: string } {
  return { apiVersion, kind };
}
