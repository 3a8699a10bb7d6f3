import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { inputsAnnotation, profileKind, tuningNamespace as namespace } from "../../src/domain/node-tuning/api.ts";
import { machineConfigKind } from "../../src/domain/machine-config/api.ts";
import { machineConfigCrds } from "../../src/domain/machine-config/crds.ts";
import { coresResource } from "../../src/domain/workload-partitioning/node/agent-cores.ts";
import { pinningPaths } from "../../src/domain/workload-partitioning/pinning-files.ts";
import { annotations, updateOf } from "../../src/domain/rollout/node-annotations.ts";
import { smallNodes } from "../../src/program/cli/lab/virtual-nodes.ts";
import { findCondition } from "../../src/language/object/condition.ts";
import { runAgent } from "../../src/program/agent/agent.ts";
import { agentGrants } from "../../src/program/agent/rbac.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { foundation } from "../../src/program/cli/install/manifests.ts";
import { agentOn } from "../node-tuning/agent-token.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { recording, type RecordedRequest, unused } from "../node-tuning/recorded-requests.ts";
import { shippedDaemonSet } from "../node-tuning/shipped-operator.ts";
import { clientFor } from "../servers/client-for.ts";
import { serverVariants, type ServerUnderTest } from "../servers/server-under-test.ts";

for (const variant of serverVariants())
  describe(`an agent under its own account, on the ${variant.name} server`, { timeout: 120_000 }, () => {
    let server: ServerUnderTest;
    let admin: HttpClient;
    const place = { namespace };

    beforeAll(async () => {
      server = await variant.start();
      admin = clientFor(server);
      await applyManifests(admin, [...foundation({ protocol: "shipped" }), ...machineConfigCrds]);
      await eventually("Profiles are served", () => admin.list(profileKind));
      await admin.create(kinds.daemonSet, shippedDaemonSet, place);
    });
    afterAll(() => server?.close());

    it("needed every right it has", async () => {
      const [node] = smallNodes(1, "rights-");
      const { name, host } = node!;
      await admin.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata: { name } });
      await host.write(pinningPaths.kubelet, "{}");
      await admin.create(
        profileKind,
        {
          apiVersion: profileKind.apiVersion,
          kind: "Profile",
          metadata: { name, namespace, annotations: { [inputsAnnotation]: "t:1" } },
          spec: {
            config: { tunedProfile: "p" },
            profile: [{ name: "p", data: "[main]\nsummary=p\n[bootloader]\ncmdline_a=quiet\n" }],
          },
        },
        place,
      );
      const requests: RecordedRequest[] = [];
      const client = recording(await agentOn(server, name), (request) => requests.push(request));
      const stop = new AbortController();
      const running = runAgent({
        client,
        node: name,
        host,
        signal: stop.signal,
        protocol: "shipped",
        machineConfig: true,
      });
      await eventually("the status is reported", async () => {
        const { status } = await admin.get(profileKind, name, place);
        return findCondition(status?.conditions, "Applied")?.status === "True";
      });
      await eventually("boot arguments are reported", async () => {
        const { metadata } = await admin.get(kinds.node, name);
        return metadata.annotations?.[inputsAnnotation] === "t:1";
      });
      const rendered = {
        apiVersion: machineConfigKind.apiVersion,
        kind: "MachineConfig",
        metadata: { name: "rendered" },
      };
      await eventually("a config", () => admin.create(machineConfigKind, rendered));
      const desired = { metadata: { annotations: { [annotations.desiredConfig]: "rendered" } } };
      await admin.patch(kinds.node, name, { type: "merge", patch: desired });
      await eventually("the config is reported", async () => {
        const { metadata } = await admin.get(kinds.node, name);
        return updateOf(metadata).current === "rendered";
      });
      const status = { capacity: { cpu: "4" }, nodeInfo: { containerRuntimeVersion: "cri-o://1.35.0" } };
      await admin.patch(kinds.node, name, { type: "merge", patch: { status } }, { subresource: "status" });
      await eventually("the cores of the partitioned node are reported", async () => {
        const { status } = await admin.get(kinds.node, name);
        return status?.capacity?.[coresResource] === "4k";
      });
      stop.abort();
      await running;
      const lists = requests
        .filter(({ verb }) => verb === "watch")
        .map((request): RecordedRequest => ({ ...request, verb: "list" }));
      expect(unused(agentGrants({ protocol: "shipped" }), [...requests, ...lists])).toEqual([]);
    });
  });
