import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { foundation } from "../../src/program/cli/install/manifests.ts";
import type { Client } from "../../src/cluster/kube/client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { machineConfigKind, machineConfigPoolKind } from "../../src/domain/machine-config/api.ts";
import {
  bootArgumentsAnnotation,
  generatedAnnotation,
  inputsAnnotation,
  profileKind,
  tunedKind,
  tuningNamespace as namespace,
} from "../../src/domain/node-tuning/api.ts";
import { inputsOf } from "../../src/domain/node-tuning/node-profile.ts";
import { findCondition } from "../../src/language/object/condition.ts";
import { runOperator } from "../../src/program/operator/operator.ts";
import { operatorLease, operatorServiceAccount } from "../../src/program/operator/rbac.ts";
import { systemNamespace } from "../../src/program/operator/names.ts";
import { informerOfOne } from "../../src/cluster/kube/informer/informer.ts";
import { LeaderElection } from "../../src/cluster/runtime/leader/leader-election.ts";
import { leaseKind, leaseStore } from "../../src/cluster/runtime/leader/lease.ts";
import { whenAborted } from "../../src/cluster/runtime/clock.ts";
import { clientFor, clientOfAccount } from "../servers/client-for.ts";
import { serverVariants, type ServerUnderTest } from "../servers/server-under-test.ts";
import { eventually } from "./eventually.ts";
import { recording, type RecordedRequest } from "./recorded-requests.ts";
import { shippedDaemonSet, shippedDeployment, shippedMachineConfig, shippedOwner } from "./shipped-operator.ts";

const place = { namespace };
const lease = { namespace, name: operatorLease };
const role = "machineconfiguration.openshift.io/role";

for (const variant of serverVariants())
  describe(`beside the operator that Attune replaces, on the ${variant.name} server`, { timeout: 120_000 }, () => {
    let server: ServerUnderTest;
    let admin: Client;
    let other: { stop(): Promise<void>; readonly leads: boolean };
    let attune: { stop(): Promise<void>; readonly printed: string[] };
    let before: string | undefined;
    const requests: RecordedRequest[] = [];
    /** Writes of Attune while the other operator led. */
    const trespasses: RecordedRequest[] = [];
    const writes = (): RecordedRequest[] => requests.filter(({ verb }) => !["get", "list", "watch"].includes(verb));

    beforeAll(async () => {
      server = await variant.start();
      admin = clientFor(server);
      await applyManifests(admin, foundation({ mode: "standalone" }));
      for (const kind of [tunedKind, profileKind, machineConfigKind, machineConfigPoolKind])
        await eventually(`${kind.plural} are served`, () => admin.list<never>(kind as never));
      await tunedCluster();
      other = await startOther();
      attune = await startAttune();
    });
    afterAll(async () => {
      await attune?.stop();
      await other?.stop();
      await server?.close();
    });

    it("does nothing while the other operator is deployed, and logs how to hand over", async () => {
      const printed = await eventually("reported", async () =>
        attune.printed.find((line) => line.includes("Deployment")),
      );
      expect(printed).toBe(
        `waiting: Deployment ${namespace}/cluster-node-tuning-operator manages this cluster; to hand over, run: attune take-over --apply`,
      );
      expect(writes()).toEqual([]);
    });

    it("does nothing before the other operator has released its lease", async () => {
      const asked = requests.length;
      await scaleOther(0);
      await eventually("the Lease was looked at", async () =>
        requests.slice(asked).some(({ verb, resource }) => verb === "get" && resource === "leases"),
      );
      expect([other.leads, writes()]).toEqual([true, []]);
    });

    it("takes over without a change of boot arguments", async () => {
      await other.stop();
      await eventually("our agents", async () => {
        const { spec } = await admin.get(kinds.daemonSet, "tuned", place);
        const { containers = [], volumes = [] } = spec?.template.spec ?? {};
        return (
          containers.map(({ name }) => name).join() === "agent" &&
          volumes.map(({ name }) => name).join() === "host,recommend"
        );
      });
      await bootArguments("WaitingForNodes");
      // The reports of our agents once they run.
      const { spec, metadata } = await admin.get(profileKind, "n", place);
      expect(metadata.ownerReferences ?? []).toEqual([]);
      const status = {
        bootcmdline: "quiet",
        bootcmdlineInputs: inputsOf(spec),
        observedGeneration: metadata.generation,
      };
      await admin.patch(profileKind, "n", { type: "merge", patch: { status } }, { ...place, subresource: "status" });
      await bootArguments("Agreed");
      expect(await machineConfigVersion()).toBe(before);
    });

    it("hands back without a change of boot arguments", async () => {
      await attune.stop();
      const written = writes().length;
      await scaleOther(1);
      other = await startOther();
      attune = await startAttune();
      await eventually("reported", async () => attune.printed.some((line) => line.includes("to hand over")));
      expect([writes().length, await machineConfigVersion()]).toEqual([written, before]);
    });

    it("never wrote while the other operator led", () => {
      expect(trespasses).toEqual([]);
    });

    /** The state that the other operator leaves: a pool with the boot arguments of its node. */
    async function tunedCluster(): Promise<void> {
      const { metadata } = await admin.create(
        tunedKind,
        { ...typeOf(tunedKind), metadata: { name: "default", namespace }, spec: {} },
        place,
      );
      await admin.create(kinds.deployment, shippedDeployment(1), place);
      await admin.create(kinds.daemonSet, shippedDaemonSet, place);
      await admin.create(machineConfigPoolKind, {
        ...typeOf(machineConfigPoolKind),
        metadata: { name: "worker" },
        spec: {
          nodeSelector: { matchLabels: { worker: "" } },
          machineConfigSelector: { matchLabels: { [role]: "worker" } },
        },
      });
      const annotations = { [bootArgumentsAnnotation]: "quiet", [inputsAnnotation]: "boots:1,default:1" };
      await admin.create(kinds.node, {
        apiVersion: "v1",
        kind: "Node",
        metadata: { name: "n", labels: { "kubernetes.io/os": "linux", worker: "" }, annotations },
      });
      const profile = [{ name: "boots", data: "[main]\nsummary=p\n[bootloader]\ncmdline_a=quiet\n" }];
      await admin.create(
        tunedKind,
        {
          ...typeOf(tunedKind),
          metadata: { name: "boots", namespace },
          spec: { profile, recommend: [{ profile: "boots", priority: 10, machineConfigLabels: { [role]: "worker" } }] },
        },
        place,
      );
      await admin.create(
        profileKind,
        {
          ...typeOf(profileKind),
          metadata: { name: "n", namespace, ownerReferences: [shippedOwner(metadata.uid)] },
          spec: { config: { tunedProfile: "boots" }, profile: [...profile, { name: "openshift", data: "[main]\n" }] },
        },
        place,
      );
      const condition = { reason: "AsExpected", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" };
      const conditions = [
        { type: "Applied", status: "True", ...condition },
        { type: "Degraded", status: "False", ...condition },
      ];
      const status = { tunedProfile: "boots", conditions };
      await admin.patch(profileKind, "n", { type: "merge", patch: { status } }, { ...place, subresource: "status" });
      await admin.create(machineConfigKind, shippedMachineConfig("worker", ["quiet"], generatedAnnotation));
      before = await machineConfigVersion();
    }

    /** Stands in for the other operator: holds its Lease. */
    async function startOther(): Promise<typeof other> {
      const stop = new AbortController();
      const state = { leads: false };
      const election = new LeaderElection({
        identity: "cluster-node-tuning-operator-6d8f-x7k2p_0b9c",
        lease: leaseStore(admin, { ...lease, informer: informerOfOne(admin, leaseKind, lease) }),
        leaseDurationMs: 137_000,
        renewDeadlineMs: 107_000,
        retryPeriodMs: 1_000,
      });
      const leading = election.lead(stop.signal, async (signal) => {
        state.leads = true;
        await whenAborted(signal);
        state.leads = false;
      });
      await eventually("the other leads", async () => state.leads);
      return {
        get leads() {
          return state.leads;
        },
        async stop() {
          stop.abort();
          await leading;
        },
      };
    }

    async function startAttune(): Promise<typeof attune> {
      const account = await clientOfAccount(server, systemNamespace, operatorServiceAccount);
      const stop = new AbortController();
      const printed: string[] = [];
      const client = recording(account, (request) => {
        requests.push(request);
        if (other.leads && !["get", "list", "watch"].includes(request.verb)) trespasses.push(request);
      });
      const running = runOperator({
        client,
        signal: stop.signal,
        image: "attune:test",
        agentServiceAccount: "attune-agent",
        version: "1.2.3",
        print: (line) => printed.push(line),
      });
      return {
        printed,
        async stop() {
          stop.abort();
          await running;
        },
      };
    }

    async function scaleOther(replicas: number): Promise<void> {
      const patch = { spec: { replicas } };
      await admin.patch(kinds.deployment, "cluster-node-tuning-operator", { type: "merge", patch }, place);
    }

    async function machineConfigVersion(): Promise<string | undefined> {
      return (await admin.get(machineConfigKind, "50-nto-worker")).metadata.resourceVersion;
    }

    async function bootArguments(reason: string): Promise<void> {
      await eventually(`boot arguments: ${reason}`, async () => {
        const { status } = await admin.get(tunedKind, "boots", place);
        return findCondition(status?.conditions, "BootArguments")?.reason === reason;
      });
    }
  });

function typeOf({ apiVersion, kind }: { apiVersion: string; kind: string }): { apiVersion: string; kind: string } {
  return { apiVersion, kind };
}
