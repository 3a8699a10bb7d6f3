import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { machineConfigKind, machineConfigPoolKind } from "../../src/domain/machine-config/api.ts";
import { profileKind, type Tuned, tunedKind, tuningNamespace as namespace } from "../../src/domain/node-tuning/api.ts";
import { inputsOf } from "../../src/domain/node-tuning/node-profile.ts";
import { findCondition } from "../../src/language/object/condition.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { foundation } from "../../src/program/cli/install/manifests.ts";
import { runOperator } from "../../src/program/operator/operator.ts";
import { clientFor } from "../servers/client-for.ts";
import { serverVariants, type ServerUnderTest } from "../servers/server-under-test.ts";
import { agentOn } from "./agent-token.ts";
import { eventually } from "./eventually.ts";

const role = "machineconfiguration.openshift.io/role";
const place = { namespace };
const names = ["hostile", "honest-1", "honest-2"];

/** An attacker has taken one node, and with it the token of its agent. The other nodes of the pool stop answering. */
for (const variant of serverVariants())
  describe(`an attacker on one node of a pool, on the ${variant.name} server`, { timeout: 120_000 }, () => {
    let server: ServerUnderTest;
    let admin: HttpClient;
    const agents = new Map<string, HttpClient>();
    const stop = new AbortController();
    let running: Promise<void> | undefined;

    beforeAll(async () => {
      server = await variant.start();
      admin = clientFor(server);
      await applyManifests(admin, foundation({ mode: "standalone" }));
      for (const kind of [tunedKind, profileKind, machineConfigKind, machineConfigPoolKind])
        await eventually(`${kind.plural} are served`, () => admin.list<never>(kind as never));
      await admin.create(machineConfigPoolKind, {
        apiVersion: machineConfigPoolKind.apiVersion,
        kind: "MachineConfigPool",
        metadata: { name: "worker" },
        spec: {
          nodeSelector: { matchLabels: { worker: "" } },
          machineConfigSelector: { matchLabels: { [role]: "worker" } },
        },
      });
      await admin.create(tunedKind, tuned("quiet"), place);
      for (const name of names) {
        const metadata = { name, labels: { "kubernetes.io/os": "linux", worker: "" } };
        await admin.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata });
        agents.set(name, await agentOn(server, name));
      }
      const [image, agentServiceAccount, version] = ["attune:test", "attune-agent", "1.2.3"];
      running = runOperator({ client: admin, signal: stop.signal, image, agentServiceAccount, version });
      for (const name of names) await reports(name, "quiet");
      await eventually("the pool boots quiet", async () => (await bootArguments()) === "quiet");
      for (const name of names.slice(1)) await isAway(name);
    });
    afterAll(async () => {
      stop.abort();
      await running;
      await server?.close();
    });

    it("cannot change the boot arguments while the other nodes are away", async () => {
      await reports("hostile", "quiet init=/bin/sh");
      await eventually("the pool reports it", async () => (await condition())?.status === "False");
      expect(await condition()).toMatchObject({ status: "False", reason: "ImpossibleArguments" });
      expect((await condition())?.message).toContain("hostile");
      expect(await bootArguments()).toBe("quiet");
    });

    it("cannot withhold them either", async () => {
      await reports("hostile", "");
      await eventually("the report is seen", async () => (await condition())?.message.includes('""'));
      expect((await condition())?.status).toBe("False");
      expect(await bootArguments()).toBe("quiet");
    });

    it("cannot use an edit of the Tuned, for which the other nodes have not reported yet", async () => {
      await admin.patch(tunedKind, "boots", { type: "merge", patch: { spec: tuned("loud").spec } }, place);
      await reports("hostile", "loud selinux=0");
      await eventually("the pool reports it", async () => (await condition())?.message.includes("selinux=0"));
      expect((await condition())?.reason).toBe("ImpossibleArguments");
      expect(await bootArguments()).toBe("quiet");
      // What the profile yields does not need the nodes that are away.
      await reports("hostile", "loud");
      await eventually("the pool boots loud", async () => (await bootArguments()) === "loud");
    });

    it("cannot fill more than the value that only the node knows", async () => {
      const data = "nohz_full=${f:cpulist_online:2-3} mode=${f:exec:uname:-r}";
      await admin.patch(tunedKind, "boots", { type: "merge", patch: { spec: tuned(data).spec } }, place);
      for (const line of [
        "nohz_full=init=/bin/sh mode=x",
        "nohz_full=2-3 mode=x rd.break",
        "mode=x",
        "nohz_full=2-3 mode=xàinit=/bin/sh",
        "mode=x nohz_full=2-3",
      ]) {
        await reports("hostile", line);
        await eventually(line, async () => (await condition())?.message.includes(JSON.stringify(line)));
        expect((await condition())?.reason).toBe("ImpossibleArguments");
      }
      expect(await bootArguments()).toBe("loud");
      await reports("hostile", "nohz_full=2,3 mode=5.14.0-rt");
      await eventually("the pool boots them", async () => (await bootArguments()) === "nohz_full=2,3 mode=5.14.0-rt");
    });

    function tuned(cmdline: string): Tuned {
      return {
        apiVersion: tunedKind.apiVersion,
        kind: "Tuned",
        metadata: { name: "boots", namespace },
        spec: {
          profile: [{ name: "boots", data: `[main]\nsummary=b\n[bootloader]\ncmdline_a=+${cmdline}\n` }],
          recommend: [{ profile: "boots", priority: 10, machineConfigLabels: { [role]: "worker" } }],
        },
      };
    }

    /** With the token of the node's agent, for the profile that the node has. */
    async function reports(node: string, bootcmdline: string): Promise<void> {
      const wanted = (await admin.get(tunedKind, "boots", place)).spec?.profile?.[0]?.data;
      const profile = await eventually("the node's Profile is current", async () => {
        const found = await admin.get(profileKind, node, place);
        return found.spec.profile?.some(({ data }) => data === wanted) && found;
      });
      const [reason, lastTransitionTime] = ["AsExpected", "2026-01-01T00:00:00Z"];
      const status = {
        tunedProfile: "boots",
        bootcmdline,
        bootcmdlineInputs: inputsOf(profile.spec),
        conditions: [{ type: "Applied", status: "True", reason, message: "", lastTransitionTime }],
      };
      await eventually("rights", () =>
        agents
          .get(node)!
          .patch(profileKind, node, { type: "merge", patch: { status } }, { ...place, subresource: "status" }),
      );
    }

    async function isAway(node: string): Promise<void> {
      const [lastHeartbeatTime, lastTransitionTime] = ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"];
      const ready = { type: "Ready", status: "Unknown", lastHeartbeatTime, lastTransitionTime };
      const patch = { status: { conditions: [ready] } };
      await admin.patch(kinds.node, node, { type: "merge", patch }, { subresource: "status" });
    }

    async function bootArguments(): Promise<string | undefined> {
      const { spec } = await admin.get(machineConfigKind, "50-nto-worker");
      return spec?.kernelArguments?.join(" ");
    }

    async function condition(): Promise<{ status: string; reason?: string; message: string } | undefined> {
      const { status } = await admin.get(tunedKind, "boots", place);
      const found = findCondition(status?.conditions, "BootArguments");
      return found && { ...found, message: found.message ?? "" };
    }
  });
