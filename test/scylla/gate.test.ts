import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { systemClock } from "../../src/cluster/runtime/clock.ts";
import { Manager } from "../../src/cluster/runtime/controller/manager.ts";
import { noLog } from "../../src/cluster/runtime/log/log.ts";
import { VirtualClock } from "../../src/cluster/runtime/testing/virtual-clock.ts";
import { gateAccess } from "../../src/domain/scylla/gate/access.ts";
import type { Pod } from "../../src/domain/scylla/gate/gated-pod.ts";
import { gateGrants } from "../../src/domain/scylla/gate/gate-grants.ts";
import { injectGate } from "../../src/domain/scylla/gate/inject-gate.ts";
import { type Release, releaseConfigMap } from "../../src/domain/scylla/gate/release.ts";
import { rbacObjects } from "../../src/language/object/grant.ts";
import { formatTime } from "../../src/language/object/time.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { DiskFolder } from "../../src/program/cli/scylla-gate/disk-folder.ts";
import { addScyllaGate } from "../../src/program/operator/scylla-gate.ts";
import { runScyllaGate, type ScyllaGateOptions } from "../../src/program/scylla-gate/scylla-gate.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { clientFor, clientOfAccount } from "../servers/client-for.ts";
import { serverVariants, type ServerUnderTest } from "../servers/server-under-test.ts";

const namespace = "db";

/** The sidecar with its own rights, and the wait in the shell of this machine. */
for (const variant of serverVariants())
  describe(`the gate of a database, on the ${variant.name} server`, { timeout: 120_000 }, () => {
    let server: ServerUnderTest;
    let admin: HttpClient;
    let sidecarClient: HttpClient;
    let folder: string;
    let lines: string[];
    let pod: Pod & { metadata: { name: string; uid: string } };
    let number = 0;
    const ends: (() => Promise<unknown>)[] = [];

    beforeAll(async () => {
      server = await variant.start();
      admin = clientFor(server);
      await admin.create(kinds.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
      await admin.create(kinds.serviceAccount, {
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: { name: "databases", namespace },
      });
      sidecarClient = await clientOfAccount(server, namespace, "databases");
    });
    afterAll(async () => server?.close());

    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), "attune-gate-"));
      lines = [];
      const made = {
        apiVersion: "v1",
        kind: "Pod",
        metadata: {
          name: `scylla-${number++}`,
          namespace,
          labels: { "scylla-operator.scylladb.com/pod-type": "scylladb-node" },
        },
        spec: {
          serviceAccountName: "databases",
          automountServiceAccountToken: false,
          containers: [{ name: "scylla", image: "scylla", command: ["echo"], args: ["started", "$HOME"] }],
        },
      };
      const injection = injectGate(made, "example.com/attune:1");
      if (injection.type !== "changed") throw new Error(injection.type);
      // kube-apiserver accepts what was injected.
      pod = await admin.create(kinds.pod as never, injection.pod as never, { namespace });
    });
    afterEach(async () => {
      for (const end of ends.splice(0)) await end();
      await rm(folder, { recursive: true, force: true });
    });

    const grant = (): Promise<unknown> => applyManifests(admin, gateAccess(pod));
    const release = (given: Release): Promise<unknown> => applyManifests(admin, [releaseConfigMap(pod, given)]);

    function sidecar(more: Partial<ScyllaGateOptions> = {}): { ended: Promise<string>; stop: () => Promise<string> } {
      const stop = new AbortController();
      const { name, uid } = pod.metadata;
      const ended = runScyllaGate({
        client: sidecarClient,
        pod: { name, namespace, uid },
        folder: new DiskFolder(folder),
        print: (line) => lines.push(line),
        signal: stop.signal,
        ...more,
      });
      const stopped = async (): Promise<string> => {
        stop.abort();
        return ended;
      };
      ends.push(stopped);
      return { ended, stop: stopped };
    }

    interface Database {
      readonly output: () => string;
      readonly ended: Promise<number>;
      kill(): Promise<number>;
    }

    /** The database's container as a runtime starts it. */
    function database(): Database {
      const { command = [], args = [] } = pod.spec?.containers[0] ?? {};
      const [program = "", ...words] = [...command, ...args].map((word) =>
        word === "/attune-scylla-gate" ? folder : word,
      );
      const child: ChildProcess = spawn(program, words, { stdio: ["ignore", "pipe", "ignore"] });
      let output = "";
      child.stdout?.on("data", (data: Buffer) => (output += data.toString()));
      const ended = once(child, "close").then(([code]) => code as number);
      const kill = async (): Promise<number> => {
        child.kill("SIGKILL");
        return ended;
      };
      ends.push(kill);
      return { output: () => output, ended, kill };
    }

    /** As the kubelet reports a container of the database. */
    async function report(containerID: string, more: object = {}): Promise<void> {
      const running = { name: "scylla", image: "scylla", imageID: "", ready: false, restartCount: 0, containerID };
      const state = { running: { startedAt: formatTime(Date.now()) } };
      const status = { phase: "Running", containerStatuses: [{ ...running, state, ...more }] };
      await admin.patch(
        kinds.pod,
        pod.metadata.name,
        { type: "merge", patch: { status } },
        { namespace, subresource: "status" },
      );
    }
    const waitsFor = (text: string): Promise<unknown> =>
      eventually(text, () => Promise.resolve(lines.some((line) => line.includes(text)) || undefined));

    it("starts it when its node is tuned, and not again before it is tuned again (scylla W-13, scylla-operator#2213)", async () => {
      await grant();
      sidecar();
      const first = database();
      await report("containerd://1");
      await waitsFor("lets container containerd://1 start");
      expect(lines).toContain(
        `to start the database without tuning: kubectl create configmap perftune-${pod.metadata.uid} -n db`,
      );
      expect(lines).toContain("waiting for ever: the pod sets no timeout");
      await release({ containerId: "containerd://1", irqCpus: "0,4", outcome: "tuned" });
      expect(await first.ended).toBe(0);
      expect(first.output()).toBe("started $HOME\n");
      await waitsFor("the database starts in container containerd://1: tuned; interrupts are on CPUs 0,4");

      const second = database();
      await waitsFor("the kubelet has not reported the database's container yet");
      await report("containerd://2");
      await waitsFor("lets container containerd://1 start, and container containerd://2 took its place");
      expect(second.output()).toBe("");
      await release({ containerId: "containerd://2", outcome: "skipped: no CPU is left for interrupts" });
      expect(await second.ended).toBe(0);
      await waitsFor("containerd://2: skipped: no CPU is left for interrupts");
      expect((await readdir(folder)).toSorted()).toHaveLength(2);
    });

    it("starts it at once where the ConfigMap names no container, also after a restart", async () => {
      await grant();
      await release({});
      sidecar();
      expect([await database().ended, await database().ended]).toEqual([0, 0]);
    });

    it("says so while it has no rights, and goes on when it gets them", async () => {
      await release({});
      sidecar();
      const one = database();
      await waitsFor("cannot watch the ConfigMap, trying again:");
      expect(one.output()).toBe("");
      await grant();
      expect(await one.ended).toBe(0);
    });

    it("reads no object but two, with the rights that it has", async () => {
      await grant();
      await eventually("rights", () => sidecarClient.get(kinds.pod, pod.metadata.name, { namespace }));
      await expect(sidecarClient.list(kinds.configMap, { namespace })).rejects.toThrow("forbidden");
      await expect(sidecarClient.list(kinds.pod, { namespace })).rejects.toThrow("forbidden");
      await expect(
        sidecarClient.create(kinds.configMap, releaseConfigMap(pod, {}) as never, { namespace }),
      ).rejects.toThrow("forbidden");
    });

    it("gets its rights from an operator that has no others", async () => {
      await applyManifests(admin, rbacObjects("gate-operator", { namespace, name: "gate-operator" }, gateGrants));
      const client = await clientOfAccount(server, namespace, "gate-operator");
      const stop = new AbortController();
      const manager = new Manager({});
      addScyllaGate(manager, { client, writer: client, clock: systemClock, log: noLog });
      const running = manager.run(stop.signal);
      ends.push(async () => {
        stop.abort();
        await running;
      });
      // A Role that its pod's author has made gives no right that he lacks.
      const [forged, bound] = gateAccess(pod);
      await applyManifests(admin, [
        { ...forged, rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["*"] }] } as never,
      ]);
      sidecar();
      await release({});
      expect(await database().ended).toBe(0);
      await eventually("the Role is that of the gate", async () => {
        const role = await admin.get(kinds.role, forged?.metadata.name ?? "", { namespace });
        return isDeepStrictEqual(role.rules, forged?.["rules"]);
      });
      const binding = await admin.get(kinds.roleBinding, bound?.metadata.name ?? "", { namespace });
      expect(binding.metadata.ownerReferences).toMatchObject([{ kind: "Pod", uid: pod.metadata.uid }]);
      // A user deletes one, and adds a right to the other.
      const { name = "" } = binding.metadata;
      await admin.delete(kinds.roleBinding, name, { namespace });
      const more = { apiGroups: [""], resources: ["secrets"], verbs: ["get"] };
      const role = await admin.get(kinds.role, name, { namespace });
      await admin.update(kinds.role, { ...role, rules: [...(role.rules ?? []), more] }, { namespace });
      await eventually("the RoleBinding is back", () => admin.get(kinds.roleBinding, name, { namespace }));
      await eventually("the Role is that of the gate again", async () => {
        const { rules } = await admin.get(kinds.role, name, { namespace });
        return !JSON.stringify(rules).includes("secrets");
      });
    });

    it("waits on with a release by the agent of another node, says so, and goes on with that of its own", async () => {
      await grant();
      await admin.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata: { name: "own" } });
      await admin.raw("POST", `/api/v1/namespaces/${namespace}/pods/${pod.metadata.name}/binding`, {
        apiVersion: "v1",
        kind: "Binding",
        metadata: { name: pod.metadata.name },
        target: { apiVersion: "v1", kind: "Node", name: "own" },
      });
      sidecar();
      const one = database();
      await report("containerd://1");
      await release({ containerId: "containerd://1", node: "other" });
      await waitsFor("was written by the agent of node other, which is not this pod's: it does not count");
      expect(one.output()).toBe("");
      await release({ containerId: "containerd://1", node: "own" });
      expect(await one.ended).toBe(0);
    });

    it("remembers over its own restart what it let start", async () => {
      await grant();
      const before = sidecar();
      const first = database();
      await report("containerd://1");
      await release({ containerId: "containerd://1" });
      await first.ended;
      expect(await before.stop()).toBe("stopped");
      const second = database();
      sidecar();
      await waitsFor("the kubelet has not reported");
      await report("containerd://2");
      await release({ containerId: "containerd://2" });
      expect(await second.ended).toBe(0);
    });

    it("starts it untuned after its timeout alone, and says so", async () => {
      await grant();
      const clock = new VirtualClock(Date.now());
      sidecar({ clock, timeoutMs: 90_000 });
      const one = database();
      await report("containerd://1");
      await waitsFor("the database starts without tuning in");
      await clock.advance(60_000);
      await waitsFor("waiting for 1m");
      expect(one.output()).toBe("");
      await clock.advance(31_000);
      expect(await one.ended).toBe(0);
      await waitsFor("WITHOUT TUNING: the database starts in container containerd://1");
    });

    it("ends with a database that its pod does not restart", async () => {
      await grant();
      const other = { ...pod, metadata: { name: `${pod.metadata.name}-once`, namespace, labels: pod.metadata.labels } };
      const spec = { ...pod.spec, restartPolicy: "Never" };
      pod = await admin.create(kinds.pod as never, { ...other, spec } as never, { namespace });
      await grant();
      const { ended } = sidecar();
      await report("containerd://1", { state: { terminated: { exitCode: 3, reason: "Error" } } });
      expect(await ended).toBe("database ended");
    });

    it("is not misled by what the database's container writes into the shared volume", async () => {
      await grant();
      const target = await mkdtemp(join(tmpdir(), "attune-target-"));
      ends.push(() => rm(target, { recursive: true }));
      await mkdir(join(folder, "start-folder"));
      await symlink(target, join(folder, "start-link"));
      await mkdir(join(folder, "open-folder"));
      sidecar();
      const one = database();
      const ids = await eventually("a start", async () => {
        const found = (await readdir(folder)).filter((name) => /^start-.{36}$/.test(name));
        return found.length > 0 ? found : undefined;
      });
      // The name that the sidecar writes before it renames it.
      await symlink(join(target, "written"), join(folder, `.open-${ids[0]?.slice("start-".length)}`));
      await release({});
      expect(await one.ended).toBe(0);
      expect(await readdir(target)).toEqual([]);
    });
  });
