import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Impersonation } from "../../src/cluster/kube/connect/connection.ts";
import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { impatientClock } from "../../src/cluster/runtime/testing/impatient-clock.ts";
import { noLog } from "../../src/cluster/runtime/log/log.ts";
import { scyllaNodeConfigKind, type TuningEngine } from "../../src/domain/scylla/api.ts";
import { readRelease, type Release } from "../../src/domain/scylla/gate/release.ts";
import {
  defaultName,
  defaultNodeSelector,
  defaultUtilsImage,
  releaseName,
  tuningNamespace,
} from "../../src/domain/scylla/names.ts";
import { behaviourFolder } from "../../src/embedded/lab/kubelet/container/behaviour.ts";
import type { Pod } from "../../src/embedded/lab/kubelet/pod/pod-admission.ts";
import { runLab } from "../../src/embedded/lab/run-lab.ts";
import { findCondition, isTrue } from "../../src/language/object/condition.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { installManifests } from "../../src/program/cli/install/manifests.ts";
import { programs } from "../../src/program/cli/lab/container-programs.ts";
import { uninstallFrom } from "../../src/program/cli/uninstall/uninstall.ts";
import { RecordingTerminal } from "../../src/program/cli/terminal/testing/recording-terminal.ts";
import { systemNamespace } from "../../src/program/operator/names.ts";
import { undoPerftune } from "../../src/node/perftune/undo-perftune.ts";
import { eventually, gone } from "../node-tuning/eventually.ts";
import { clientFor } from "../servers/client-for.ts";
import { type ServerUnderTest, serversToInstallOn } from "../servers/server-under-test.ts";
import { untilEstablished } from "../servers/until.ts";
import { dataDisk, databaseNode, diskScheduler, interruptMasks } from "./virtual-hardware.ts";

const namespace = "db";
const sizes = { cpu: "2", memory: "1Gi" };
const guaranteed = { requests: sizes, limits: sizes };
/** The masks of interrupts that all CPUs have. */
const everywhere = ["1", "10", "2", "20", "4", "40", "8", "80"];
const volumeMounts = [{ name: "data", mountPath: "/var/lib/scylla" }];

/** All parts as `attune install --scylla` has them: each in pods, with the token of its own ServiceAccount. */
for (const variant of serversToInstallOn())
  describe(`databases on virtual nodes, on the ${variant.name} server`, { timeout: 300_000 }, () => {
    const stop = new AbortController();
    const node = databaseNode("db-1", defaultNodeSelector);
    const other = databaseNode("db-2", {});
    let server: ServerUnderTest;
    let admin: HttpClient;
    let lab: Promise<unknown> | undefined;

    beforeAll(async () => {
      server = await variant.start();
      admin = clientFor(server);
      await applyManifests(admin, installManifests({ mode: "tuning", replicas: 1, scylla: true }));
      await untilEstablished(admin);
      await admin.create(kinds.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
      lab = runLab({
        client: admin,
        clientAs: (who: Impersonation) => admin.as(who),
        cluster: admin.connection.cluster,
        nodes: [node, other],
        program: programs(admin, noLog),
        workloads: {},
        signal: stop.signal,
        log: noLog,
      });
      await eventually("the webhook's rule", async () => {
        const { items } = await admin.list(kinds.mutatingWebhookConfiguration);
        return items.some(({ webhooks }) => webhooks?.some(({ name }) => name === "pods-scylla.attune.dev"));
      });
      // The operator has created it, with the engine that a virtual node cannot run.
      await eventually("the default ScyllaNodeConfig", () => admin.get(scyllaNodeConfigKind, defaultName));
      await setEngine("native");
      await eventually("the agent is ready", async () => (await agents()).status?.numberReady === 1);
    });
    afterAll(async () => {
      stop.abort();
      await lab;
      await server?.close();
    });

    const agents = () => admin.get(kinds.daemonSet, `scylla-agent-${defaultName}`, { namespace: tuningNamespace });
    const pod = (name: string): Promise<Pod> => admin.get(kinds.pod, name, { namespace });
    const database = (of: Pod): NonNullable<NonNullable<Pod["status"]>["containerStatuses"]>[number] | undefined =>
      of.status?.containerStatuses?.find(({ name }) => name === "scylla");
    const podThat = (name: string, what: string, holds: (of: Pod) => boolean): Promise<Pod> =>
      eventually(`${name} ${what}`, async () => {
        const found = await pod(name);
        return holds(found) && found;
      });
    const started = (name: string): Promise<Pod> =>
      podThat(name, "has started", ({ status }) => isTrue(status?.conditions, "Ready"));
    const release = async (of: Pod): Promise<Release> =>
      readRelease(await admin.get(kinds.configMap, releaseName(of.metadata.uid ?? ""), { namespace }));

    const setEngine = (engine: TuningEngine): Promise<unknown> =>
      admin.patch(scyllaNodeConfigKind, defaultName, { type: "merge", patch: { spec: { engine } } });
    /** Agents go, or come. */
    async function disable(disableOptimizations: boolean): Promise<void> {
      const patch = { spec: { disableOptimizations } };
      await admin.patch(scyllaNodeConfigKind, defaultName, { type: "merge", patch });
      if (disableOptimizations) await gone("the agents", agents);
      else await eventually("the agent is ready", async () => (await agents()).status?.numberReady === 1);
    }
    const jobs = async (): Promise<string[]> =>
      (await admin.list(kinds.job, { namespace: tuningNamespace })).items.map(({ metadata }) => metadata.name ?? "");

    const statefulSet = (
      name: string,
      { resources = guaranteed, on = defaultNodeSelector }: Wanted = {},
    ): KubeObject => ({
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: { name, namespace },
      spec: {
        serviceName: name,
        replicas: 1,
        selector: { matchLabels: { set: name } },
        template: {
          metadata: { labels: { "scylla-operator.scylladb.com/pod-type": "scylladb-node", set: name } },
          spec: {
            nodeSelector: on,
            containers: [{ name: "scylla", image: "example.com/scylla:1", resources, volumeMounts }],
            volumes: [{ name: "data", hostPath: { path: dataDisk, type: "Directory" } }],
          },
        },
      },
    });
    const create = (...of: Parameters<typeof statefulSet>): Promise<unknown> =>
      admin.create(kinds.statefulSet, statefulSet(...of), { namespace });

    async function leave(...names: string[]): Promise<void> {
      for (const name of names)
        await admin.patch(kinds.statefulSet, name, { type: "merge", patch: { spec: { replicas: 0 } } }, { namespace });
      for (const name of names) await gone(`${name}-0`, () => pod(`${name}-0`));
    }

    it("a database lands, waits, and starts when interrupts are off its CPUs and its disk is tuned", async () => {
      expect(await interruptMasks(node.host)).toEqual(["ff"]);
      expect(await diskScheduler(node.host)).toBe("none [mq-deadline]");
      await create("one");
      const { metadata, spec, status } = await started("one-0");
      expect(spec?.containers.map(({ name }) => name)).toEqual(["scylla", "attune-scylla-gate"]);
      expect(status?.qosClass).toBe("Guaranteed");
      // It has the CPUs 1 and 5: each interrupt is on one of the others.
      expect(await interruptMasks(node.host)).toEqual(["1", "10", "4", "40", "8", "80"]);
      expect(await diskScheduler(node.host)).toBe("[none] mq-deadline");
      expect(await release(await pod("one-0"))).toMatchObject({
        containerId: database(await pod("one-0"))?.containerID,
        irqCpus: "0,2-4,6-7",
        outcome: "tuned",
      });
      const { ownerReferences } = (await admin.get(kinds.configMap, releaseName(metadata.uid ?? ""), { namespace }))
        .metadata;
      expect(ownerReferences?.map(({ kind, name }) => [kind, name])).toEqual([["Pod", "one-0"]]);
      expect(await jobs()).toHaveLength(1);
    });

    it("a second database waits for its own tuning, and the first runs on", async () => {
      const before = database(await pod("one-0"));
      await create("two");
      await started("two-0");
      expect((await release(await pod("two-0"))).irqCpus).toBe("0,3-4,7");
      // It has the CPUs 2 and 6.
      expect(await interruptMasks(node.host)).toEqual(["1", "10", "8", "80"]);
      // Of the tuning before, no Job stays.
      expect(await jobs()).toHaveLength(1);
      const after = database(await pod("one-0"));
      expect([after?.containerID, after?.ready]).toEqual([before?.containerID, true]);
    });

    it("a restarted database waits for its new container, and the node is not tuned again (scylla W-13, scylla W-4)", async () => {
      const tuned = await jobs();
      const before = database(await pod("one-0"))?.containerID;
      const annotate = (values: Readonly<Record<string, string | null>>): Promise<unknown> =>
        admin.patch(kinds.pod, "one-0", { type: "merge", patch: { metadata: { annotations: values } } }, { namespace });
      // The next container has a second until it would end too.
      await annotate({ "lab.attune.dev/exit-code": "1", "lab.attune.dev/run-seconds": "1" });
      await podThat("one-0", "has ended", (of) => (database(of)?.restartCount ?? 0) > 0);
      await annotate({ "lab.attune.dev/exit-code": null, "lab.attune.dev/run-seconds": null });
      const again = await podThat(
        "one-0",
        "has started again",
        (of) => database(of)?.containerID !== before && isTrue(of.status?.conditions, "Ready"),
      );
      expect((await release(again)).containerId).toBe(database(again)?.containerID);
      expect(await jobs()).toEqual(tuned);
    });

    it("a database on a node that no config selects starts at once", async () => {
      await create("elsewhere", { on: { "kubernetes.io/hostname": other.name } });
      const { metadata } = await started("elsewhere-0");
      const { data } = await admin.get(kinds.configMap, releaseName(metadata.uid ?? ""), { namespace });
      expect(data).toBeUndefined();
      const { outcome } = await release(await pod("elsewhere-0"));
      expect(outcome).toBe(`skipped: no ScyllaNodeConfig selects node ${other.name}`);
      expect(await interruptMasks(other.host)).toEqual(["ff"]);
    });

    it("a database that is not Guaranteed starts without tuning", async () => {
      const tuned = await jobs();
      await create("burstable", { resources: { requests: { cpu: "100m" } } });
      expect((await started("burstable-0")).status?.qosClass).toBe("Burstable");
      expect(await jobs()).toEqual(tuned);
    });

    it("when the last database is gone, interrupts return to all CPUs", async () => {
      const before = new Map(node.host.changes());
      await leave("one", "two", "burstable");
      await eventually("each CPU has an interrupt again", async () =>
        isDeepStrictEqual(await interruptMasks(node.host), everywhere),
      );
      expect(await diskScheduler(node.host)).toBe("[none] mq-deadline");
      const changed = [...node.host.changes()]
        .filter(([path, text]) => before.get(path) !== text)
        .map(([path]) => path);
      const isOfQueues = (path: string): boolean =>
        /^\/proc\/(irq\/|interrupts$)|\/net\/eth0\/queues\/|^\/run\/lab\/channels\/eth0$/.test(path);
      // The others are those of the kubelet and the record of originals.
      expect(changed.filter((path) => !isOfQueues(path) && /^\/(proc|sys(?!\/fs\/cgroup)|etc)\//.test(path))).toEqual(
        [],
      );
    });

    it("a database that leaves while optimizations are disabled changes nothing; enabled again, interrupts return", async () => {
      await create("brief");
      await started("brief-0");
      const tuned = await interruptMasks(node.host);
      expect(tuned).not.toEqual(everywhere);
      await disable(true);
      await leave("brief");
      expect(await interruptMasks(node.host)).toEqual(tuned);
      await disable(false);
      await eventually("each CPU has an interrupt again", async () =>
        isDeepStrictEqual(await interruptMasks(node.host), everywhere),
      );
    });

    it("a node that is deselected stays as it is, its databases start at once; selected again, it is tuned for them", async () => {
      const label = (values: Readonly<Record<string, string | null>>): Promise<unknown> =>
        admin.patch(kinds.node, node.name, { type: "merge", patch: { metadata: { labels: values } } });
      await create("stays");
      await started("stays-0");
      const tuned = await interruptMasks(node.host);
      await label({ "scylla-operator.scylladb.com/node-pool": null });
      await eventually("the agents are gone", async () => (await agents()).status?.currentNumberScheduled === 0);
      await create("late", { on: { "kubernetes.io/hostname": node.name } });
      const late = await started("late-0");
      expect((await release(late)).outcome).toBe(`skipped: no ScyllaNodeConfig selects node ${node.name}`);
      expect(await interruptMasks(node.host)).toEqual(tuned);
      await label(defaultNodeSelector);
      await eventually("interrupts are off the CPUs of both", async () =>
        isDeepStrictEqual(await interruptMasks(node.host), ["1", "10", "8", "80"]),
      );
      await leave("stays", "late");
      await eventually("each CPU has an interrupt again", async () =>
        isDeepStrictEqual(await interruptMasks(node.host), everywhere),
      );
    });

    it("a Job that fails is reported with the end of its log, the gate stays closed, and opens by hand", async () => {
      // An agent that starts has no config of before in its cache.
      await disable(true);
      await setEngine("perftune");
      await disable(false);
      // A virtual node cannot run the script: it does what this file says.
      node.host.put(`${behaviourFolder}/${tuningNamespace}_*`, "no such network interface: eth0");
      await create("three");
      const { message } = await eventually("the event of the database", async () => {
        const { items } = await admin.list(kinds.event, { namespace });
        return items.find(
          ({ reason, involvedObject }) => reason === "TuningFailed" && involvedObject.name === "three-0",
        );
      });
      expect(message).toMatch(
        /^tuning Job scylla-operator-node-tuning\/perftune-[0-9a-f]+: exit code 1: no such network interface: eth0$/,
      );
      const { items } = await admin.list(kinds.job, { namespace: tuningNamespace });
      expect(items.map(({ spec }) => spec?.template.spec?.containers[0]?.image)).toContain(defaultUtilsImage);
      const degraded = await eventually("the condition of the config", async () => {
        const found = findCondition(
          (await admin.get(scyllaNodeConfigKind, defaultName)).status?.conditions,
          "Degraded",
        );
        return found?.status === "True" && found;
      });
      expect(degraded.message).toMatch(/^node db-1: Job perftune-[0-9a-f]+ failed: .*no such network interface: eth0$/);
      const waiting = await pod("three-0");
      expect([database(waiting)?.started, isTrue(waiting.status?.conditions, "Ready")]).toEqual([true, false]);
      // As its gate says: kubectl create configmap perftune-<uid> -n db
      const byHand = { name: releaseName(waiting.metadata.uid ?? ""), namespace };
      await admin.create(kinds.configMap, { apiVersion: "v1", kind: "ConfigMap", metadata: byHand });
      await started("three-0");
    });

    it("a database starts at once where optimizations are disabled", async () => {
      await disable(true);
      await create("four");
      const { outcome } = await release(await started("four-0"));
      expect(outcome).toBe("skipped: ScyllaNodeConfig cluster has optimizations disabled");
    });

    const collectsGarbage = variant.name === "embedded";
    if (!collectsGarbage) console.log("not run: uninstalled on the real server, which alone collects no garbage");
    it.skipIf(!collectsGarbage)("uninstalled, the node stays tuned; undone on request, all is as before", async () => {
      node.host.put(`${behaviourFolder}/${tuningNamespace}_*`, undefined);
      // The Job that failed would be tried again, a while later.
      for (const name of await jobs())
        await admin.delete(kinds.job, name, { namespace: tuningNamespace, propagationPolicy: "Background" });
      await setEngine("native");
      await disable(false);
      const tuned = ["1", "10", "8", "80"];
      await eventually("interrupts are off the CPUs of both", async () =>
        isDeepStrictEqual(await interruptMasks(node.host), tuned),
      );
      const options = {
        namespace: systemNamespace,
        dryRun: false,
        crds: true,
        timeout: 60_000,
        output: "text",
      } as const;
      const terminal = new RecordingTerminal();
      expect(await uninstallFrom(admin, options, { terminal, signal: stop.signal, clock: impatientClock() })).toBe(0);
      expect(terminal.stdout).toContain(node.name);
      for (const name of ["three-0", "four-0"])
        expect(await release(await pod(name))).toEqual({ outcome: "skipped: Attune was uninstalled" });
      expect(await interruptMasks(node.host)).toEqual(tuned);
      await undoPerftune(node.host);
      expect(await interruptMasks(node.host)).toEqual(["ff"]);
      expect(await diskScheduler(node.host)).toBe("none [mq-deadline]");
    });
  });

interface Wanted {
  readonly resources?: object;
  readonly on?: Readonly<Record<string, string>>;
}
