import { describe, expect, it } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { infrastructureKind, partitioningConfigMap } from "../../src/domain/workload-partitioning/identifier.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { install } from "../../src/program/cli/install/install.ts";
import { testCluster, type TestCluster } from "../../src/program/cli/testing/test-cluster.ts";
import { configurationDefinitions } from "../node-tuning/cluster-operator-definition.ts";
import { eventually } from "../node-tuning/eventually.ts";

type Options = Parameters<typeof install>[0];

const place = { namespace: partitioningConfigMap.namespace };

function installOn(kubeconfig: string, more: Partial<Options>): Promise<void> {
  const given = {
    kubeconfig,
    apply: true,
    namespace: "attune-system",
    image: "attune:test",
    replicas: 1,
    output: "yaml",
  };
  return install({ ...given, dryRun: false, monitoring: false, protocol: "documented", ...more } as Options, {});
}

describe("attune install --partitioning", { timeout: 120_000 }, () => {
  async function setUp(): Promise<{ given: TestCluster; kubeconfig: string }> {
    const given = await testCluster();
    return { given, kubeconfig: `${given.dir}/kubeconfig` };
  }

  it("decides on plain clusters in a ConfigMap, once", async () => {
    const { given, kubeconfig } = await setUp();
    const { client } = given;
    const labels = { "node-role.kubernetes.io/control-plane": "" };
    await client.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata: { name: "a", labels } });
    const plain = { mode: "plain" as const };
    await installOn(kubeconfig, { ...plain, partitioning: "AllNodes" });
    const data = async (): Promise<unknown> =>
      (await client.get(kinds.configMap, partitioningConfigMap.name, place)).data;
    const decided = {
      cpuPartitioning: "AllNodes",
      controlPlaneTopology: "SingleReplica",
      infrastructureTopology: "SingleReplica",
    };
    expect(await data()).toEqual(decided);
    // Again, and by an upgrade that does not say it.
    await installOn(kubeconfig, { ...plain, partitioning: "AllNodes" });
    await installOn(kubeconfig, plain);
    expect(await data()).toEqual(decided);
    await eventually("the policy refuses the other mode", async () => {
      const refused = installOn(kubeconfig, { ...plain, partitioning: "None" });
      return refused.then(
        () => false,
        (error: Error) => error.message.includes("AllNodes cannot become None"),
      );
    });
  });

  it("decides in the Infrastructure where it is ours, once", async () => {
    const { given, kubeconfig } = await setUp();
    const standalone = { mode: "standalone" as const };
    for (let i = 0; i < 2; i++) await installOn(kubeconfig, { ...standalone, partitioning: "AllNodes" });
    const { status } = await given.client.get<KubeObject & { status?: unknown }>(infrastructureKind, "cluster");
    expect(status).toEqual({
      cpuPartitioning: "AllNodes",
      controlPlaneTopology: "HighlyAvailable",
      infrastructureTopology: "HighlyAvailable",
    });
    await expect(installOn(kubeconfig, { ...standalone, partitioning: "None" })).rejects.toThrow(
      "--partitioning None: this cluster was installed with AllNodes, which cannot be changed",
    );
  });

  it("leaves the decision to the installer of OpenShift, and refuses what cannot have it", async () => {
    const { given, kubeconfig } = await setUp();
    const [infrastructures] = configurationDefinitions;
    await given.client.create(kinds.customResourceDefinition, infrastructures as never);
    await expect(installOn(kubeconfig, { mode: "auto", partitioning: "AllNodes" })).rejects.toThrow(
      "belongs to OpenShift: set cpuPartitioningMode in install-config.yaml",
    );
    for (const mode of ["tuning", "hosted"] as const)
      await expect(installOn(kubeconfig, { mode, partitioning: "AllNodes" })).rejects.toThrow(
        `--partitioning: not supported with --mode ${mode}`,
      );
    await expect(installOn(kubeconfig, { mode: "standalone", partitioning: "AllNodes", apply: false })).rejects.toThrow(
      "needs --apply",
    );
  });
});
