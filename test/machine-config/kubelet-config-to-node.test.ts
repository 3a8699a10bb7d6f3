import { expect, test } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import {
  apiVersion,
  type KubeletConfig,
  kubeletConfigKind,
  machineConfigPoolKind,
} from "../../src/domain/machine-config/api.ts";
import { machineConfigCrds } from "../../src/domain/machine-config/crds.ts";
import { kubeletHeader } from "../../src/domain/machine-config/kubelet-config/kubelet-defaults.ts";
import { findCondition } from "../../src/language/object/condition.ts";
import { readYaml } from "../../src/language/object/yaml.ts";
import { runAgent } from "../../src/program/agent/agent.ts";
import { smallNodes } from "../../src/program/cli/lab/virtual-nodes.ts";
import { emptyServers } from "../servers/server-under-test.ts";
import { testCluster } from "../../src/program/cli/testing/test-cluster.ts";
import { eventually } from "../node-tuning/eventually.ts";

const dropIn = "/etc/kubernetes/kubelet.conf.d/90-attune.conf";

test.each(emptyServers())(
  "a KubeletConfig reaches the kubelet of a node without OpenShift, follows an edit, and leaves with its deletion, on the $name server",
  async ({ start }) => {
    const { client, signal, run, runOperator } = await testCluster(machineConfigCrds, start);
    const [virtual] = smallNodes(1, "plain-");
    const { name, host } = virtual!;
    const labels = { "kubernetes.io/os": "linux", "node-role.kubernetes.io/worker": "" };
    await client.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata: { name, labels } });
    runOperator();
    run(runAgent({ client, node: name, host, signal, machineConfig: true }));
    const fields = async (): Promise<unknown> => {
      const file = await host.read(dropIn);
      return file.type === "text" ? readYaml(file.text) : undefined;
    };
    const isUpdated = async (): Promise<boolean> => {
      const { spec, status } = await client.get(machineConfigPoolKind, "worker");
      const isCurrent = spec?.configuration?.name === status?.configuration?.name;
      return isCurrent && findCondition(status?.conditions, "Updated")?.status === "True";
    };

    await client.create(kubeletConfigKind, kubeletConfig({ maxPods: 50, registryPullQPS: 0 }));
    await eventually("the kubelet has the fields", fields);
    expect(await fields()).toEqual({ ...kubeletHeader, maxPods: 50, registryPullQPS: 0 });
    await eventually("the pool is updated", isUpdated);
    const { metadata } = await client.get(kinds.node, name);
    // Nothing but a restart of the kubelet: no drain, no boot.
    expect(metadata.annotations).not.toHaveProperty(["machineconfiguration.openshift.io/desiredDrain"]);

    const patch = { spec: { kubeletConfig: { maxPods: 60, registryPullQPS: null } } };
    await client.patch(kubeletConfigKind, "a", { type: "merge", patch });
    await eventually("the edit arrives", async () => JSON.stringify(await fields()).includes("60"));
    expect(await fields()).toEqual({ ...kubeletHeader, maxPods: 60 });

    await client.delete(kubeletConfigKind, "a");
    await eventually("the drop-in is gone", async () => (await fields()) === undefined);
  },
);

function kubeletConfig(fields: object): KubeletConfig {
  const pool = { "pools.operator.machineconfiguration.openshift.io/worker": "" };
  return {
    apiVersion,
    kind: "KubeletConfig",
    metadata: { name: "a" },
    spec: { machineConfigPoolSelector: { matchLabels: pool }, kubeletConfig: fields },
  };
}
