import { expect, it } from "vitest";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { profileKind, type Tuned, tunedKind, tuningNamespace as namespace } from "../../../domain/node-tuning/api.ts";
import { performanceProfileKind, type PerformanceProfile } from "../../../domain/performance-profile/api.ts";
import { performanceProfileCrds } from "../../../domain/performance-profile/crds.ts";
import { testCluster } from "../testing/test-cluster.ts";
import { AssetFolders } from "./testing/asset-folders.ts";
import { profileText } from "./testing/profile-text.ts";

const labels = { "example.com/latency": "low" };
const text = profileText("one", ({ spec }) => {
  spec["nodeSelector"] = labels;
  spec["realTimeKernel"] = { enabled: true };
});

it("render --plain writes the Tuned and the settings of kubelets, and says what is left to do by hand", async () => {
  const assets = new AssetFolders({ a: text });
  const { code, stderr } = await assets.render({ plain: true });
  expect([code, assets.names()]).toEqual([0, ["one_kubeletconfiguration.yaml", "one_tuned.yaml"]]);
  expect(stderr).toEqual([
    expect.stringMatching(
      /^warning: in0\/a: set what one_kubeletconfiguration\.yaml has on the kubelets of these nodes/,
    ),
    expect.stringMatching(
      /^warning: in0\/a: not set without MachineConfigPools: the kernel realtime; files \/\S+.*; units /,
    ),
  ]);
  expect(assets.written().get("one_kubeletconfiguration.yaml")).toMatchObject({
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    cpuManagerPolicy: "static",
    reservedSystemCPUs: "0-1",
  });
});

it("render without --plain refuses a profile for nodes of no pool", async () => {
  const { code, stderr } = await new AssetFolders({ a: text }).render();
  expect([code, stderr]).toEqual([1, [expect.stringMatching(/^error: in0\/a: .*matches no MachineConfigPool/)]]);
});

it("on a cluster without MachineConfigPools the operator derives the same Tuned", async () => {
  const assets = new AssetFolders({ a: text });
  await assets.render({ plain: true });
  const rendered = assets.written().get("one_tuned.yaml") as Tuned;
  const { client, runOperator } = await testCluster(performanceProfileCrds);
  const node = async (name: string, more: Record<string, string>): Promise<void> => {
    const metadata = { name, labels: { "kubernetes.io/os": "linux", ...more } };
    await client.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata });
    const status = { capacity: { cpu: "4" }, nodeInfo: { architecture: "amd64" } };
    await client.patch(kinds.node, name, { type: "merge", patch: { status } }, { subresource: "status" });
  };
  await Promise.all([node("fast", labels), node("other", { "example.com/latency": "high" })]);
  await client.create(performanceProfileKind, JSON.parse(text) as PerformanceProfile);
  runOperator();
  const chosen = async (name: string): Promise<string | undefined> =>
    (await client.get(profileKind, name, { namespace })).spec.config.tunedProfile;
  await expect.poll(() => chosen("fast").catch(String)).toBe("openshift-node-performance-one");
  await expect.poll(() => chosen("other").catch(String)).toBe("openshift-node");
  const derived = await client.get(tunedKind, rendered.metadata.name ?? "", { namespace });
  expect(derived.spec).toEqual(rendered.spec);
});
