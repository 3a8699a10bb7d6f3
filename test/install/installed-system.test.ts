import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { converge, readCluster } from "../../src/program/cli/up/convergence.ts";
import { installManifests } from "../../src/program/cli/install/manifests.ts";
import { programs } from "../../src/program/cli/lab/container-programs.ts";
import { smallNodes } from "../../src/program/cli/lab/virtual-nodes.ts";
import type { Impersonation } from "../../src/cluster/kube/connect/connection.ts";
import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { behaviourFolder } from "../../src/embedded/lab/kubelet/container/behaviour.ts";
import { runLab } from "../../src/embedded/lab/run-lab.ts";
import { exampleLabel, exampleSysctl, exampleTuned } from "../../src/program/cli/up/worked-example.ts";
import { inputsAnnotation, profileKind, tunedKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { type PerformanceProfile, performanceProfileKind } from "../../src/domain/performance-profile/api.ts";
import { isTrue } from "../../src/language/object/condition.ts";
import { operatorLease } from "../../src/program/operator/rbac.ts";
import { systemNamespace } from "../../src/program/operator/names.ts";
import { noLog } from "../../src/cluster/runtime/log/log.ts";
import { eventually, gone } from "../node-tuning/eventually.ts";
import { clientFor } from "../servers/client-for.ts";
import { serversToInstallOn, type ServerUnderTest } from "../servers/server-under-test.ts";

/**
 * The kubelet compares the user of the image with that of the pod: images of any user must run. The root of a node without
 * systemd is a private mount.
 */
const installations = [
  { mode: "standalone", protocol: "documented", imageUser: "0", agentMounts: "follow" },
  { mode: "standalone", protocol: "shipped", imageUser: "node", agentMounts: "follow" },
  { mode: "tuning", protocol: "documented", imageUser: "65532", agentMounts: "fixed" },
] as const;

/** Only what `attune install` applies, on virtual nodes: every part has the token of its own pod. */
describe.each(
  serversToInstallOn().flatMap((variant) => installations.map((how) => ({ name: variant.name, variant, ...how }))),
)(
  "what was installed with mode $mode, protocol $protocol and an image of user $imageUser, on the $name server",
  { timeout: 120_000 },
  ({ variant, mode, protocol, imageUser, agentMounts }) => {
    const stop = new AbortController();
    const { signal } = stop;
    const nodes = smallNodes(2, "node-", () => ({ [exampleLabel]: "" }));
    for (const { host } of nodes) {
      if (agentMounts === "fixed") host.put("/proc/1/mountinfo", "22 1 254:1 / / rw,relatime - ext4 /dev/vda1 rw\n");
      for (const place of [systemNamespace, tuningNamespace])
        host.put(`${behaviourFolder}/${place}_*`, `image-user: ${imageUser}\n`);
    }
    let server: ServerUnderTest;
    let admin: HttpClient;
    let lab: Promise<unknown> | undefined;

    beforeAll(async () => {
      server = await variant.start();
      admin = clientFor(server);
      await applyManifests(admin, installManifests({ mode, protocol, agentMounts }));
      const clientAs = (who: Impersonation): HttpClient => admin.as(who);
      const { cluster } = admin.connection;
      const program = programs(admin, noLog);
      lab = runLab({ client: admin, clientAs, cluster, nodes, program, workloads: {}, signal, log: noLog });
      await eventually("kinds are served", () => admin.list(tunedKind));
    });
    afterAll(async () => {
      stop.abort();
      await lab;
      await server?.close();
    });

    it("tunes the kernel of every node", async () => {
      await admin.create(tunedKind, exampleTuned(), { namespace: tuningNamespace });
      const hosts = new Map(nodes.map(({ name, host }) => [name, host]));
      const { nodes: outcomes } = await converge({
        read: () => readCluster({ client: admin, hosts, signal }),
        signal,
        timeoutMs: 60_000,
      });
      const { value } = exampleSysctl;
      expect(outcomes).toMatchObject(nodes.map(({ name }) => ({ node: name, value, waitsFor: undefined })));
    });

    it.runIf(protocol === "shipped")("reports on every Node what its boot arguments depend on", async () => {
      for (const { name } of nodes)
        await eventually(`${name} reports`, async () => {
          const [node, profile] = await Promise.all([
            admin.get(kinds.node, name),
            admin.get(profileKind, name, { namespace: tuningNamespace }),
          ]);
          const wanted = profile.metadata.annotations?.[inputsAnnotation];
          return wanted !== undefined && node.metadata.annotations?.[inputsAnnotation] === wanted;
        });
    });

    it("has every pod ready", async () => {
      const pods = await eventually("all pods are ready", async () => {
        const { items } = await admin.list(kinds.pod);
        const ready = items.filter(({ status }) => isTrue(status?.conditions, "Ready"));
        // Two operators, two webhooks, and an agent on each node.
        return items.length === 4 + nodes.length && ready.length === items.length && items;
      });
      const restarted = pods.flatMap(({ metadata: { name }, status }) =>
        (status?.containerStatuses ?? [])
          .filter(({ restartCount }) => restartCount > 0)
          .map(({ lastState }) => ({ name, lastState })),
      );
      expect(restarted).toEqual([]);
    });

    const profileOf = (apiVersion: string, cpu: object): PerformanceProfile => ({
      apiVersion,
      kind: "PerformanceProfile",
      metadata: { name: "example" },
      spec: { cpu, nodeSelector: { "node-role.kubernetes.io/example": "" } },
    });

    const invalidIsRefused = async (): Promise<boolean> => {
      const invalid = profileOf(performanceProfileKind.apiVersion, { isolated: "0-1", reserved: "1" });
      const outcome = await admin
        .create(performanceProfileKind, invalid, { dryRun: true })
        .catch((error: unknown) => error);
      return outcome instanceof Error && /admission webhook .* denied/.test(outcome.message);
    };

    it("has a webhook that answers: profiles are validated and converted", async () => {
      await eventually("an invalid profile is refused", invalidIsRefused);
      const old = { ...performanceProfileKind, apiVersion: "performance.openshift.io/v1alpha1" };
      const written = await admin.create(old, profileOf(old.apiVersion, { isolated: "1", reserved: "0" }));
      expect(written.apiVersion).toBe(old.apiVersion);
      const read = await admin.get(performanceProfileKind, "example");
      expect(read).toMatchObject({ apiVersion: performanceProfileKind.apiVersion, spec: { cpu: { reserved: "0" } } });
      await admin.delete(performanceProfileKind, "example");
    });

    it("reviews profiles again after the pods of the webhook were deleted", async () => {
      const selector = { namespace: systemNamespace, labelSelector: "app.kubernetes.io/name=attune-webhook" };
      const { items } = await admin.list(kinds.pod, selector);
      for (const { metadata } of items) {
        const { name = "" } = metadata;
        await admin.delete(kinds.pod, name, selector);
        await gone(name, () => admin.get(kinds.pod, name, { namespace: systemNamespace }));
      }
      await eventually("an invalid profile is refused again", invalidIsRefused);
    });

    it("has two operators, and only the leader acts", async () => {
      const deployment = await eventually("both are ready", async () => {
        const found = await admin.get(kinds.deployment, "attune-operator", { namespace: systemNamespace });
        return found.status?.readyReplicas === 2 && found;
      });
      expect(deployment.status?.unavailableReplicas).toBeUndefined();
      const { spec } = await admin.get(kinds.lease, operatorLease, { namespace: tuningNamespace });
      expect(spec?.holderIdentity).toMatch(/_/);
    });

    it("restores the nodes when it is removed (W-23)", async () => {
      const patch = { spec: { managementState: "Removed" } };
      await admin.patch(tunedKind, "default", { type: "merge", patch }, { namespace: tuningNamespace });
      await gone("the DaemonSet", () => admin.get(kinds.daemonSet, "tuned", { namespace: tuningNamespace }));
      expect((await admin.list(profileKind, { namespace: tuningNamespace })).items).toEqual([]);
      for (const { name, host } of nodes)
        await eventually(`${name} is as it was`, async () => {
          const file = await host.read(exampleSysctl.path);
          return file.type === "text" && file.text.trim() !== exampleSysctl.value;
        });
    });
  },
);
