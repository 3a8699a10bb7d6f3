import { expect } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { revertedEdits } from "../../src/domain/hosted/mirror/mirror-events.ts";
import { readTuneds } from "../../src/domain/hosted/mirror/read-tuneds.ts";
import { keys, protocols } from "../../src/domain/hosted/protocol.ts";
import { type NodePool, nodePoolKind } from "../../src/domain/node-pool/api.ts";
import { planTuning } from "../../src/domain/node-pool/plan-tuning.ts";
import { readTuning } from "../../src/domain/node-pool/read-tuning.ts";
import { clustersSentence } from "../../src/domain/node-pool/view/clusters-sentence.ts";
import { tunedKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import type { ConfigMap } from "../../src/domain/hosted/envelope/read-manifests.ts";
import { accessibilityFindings } from "./harness/accessible.ts";
import { browserTest, openPage } from "./harness/browser-test.ts";
import { looksRight } from "./harness/looks-right.ts";
import { clustersForAll } from "./harness/served-clusters.ts";

const clusters = clustersForAll("hosted", "management");

function tuned(name: string, priority: string): string {
  return `apiVersion: tuned.openshift.io/v1
kind: Tuned
metadata: {name: ${name}}
spec:
  profile: [{name: ${name}, data: "[sysctl]\\nvm.swappiness=11\\n"}]
  recommend: [{profile: ${name}, priority: ${priority}}]
`;
}

function configMap(name: string, tuning: string): ConfigMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "clusters" }, data: { tuning } };
}

const nodePool: NodePool = {
  apiVersion: nodePoolKind.apiVersion,
  kind: nodePoolKind.kind,
  metadata: { name: "np1", namespace: "clusters" },
  spec: {
    clusterName: "a",
    replicas: 1,
    management: { upgradeType: "InPlace" },
    tuningConfig: [{ name: "good" }, { name: "bad" }],
  },
};
const users = [configMap("good", tuned("quiet", "20")), configMap("bad", tuned("bad", "high"))];

browserTest(
  "Clusters shows what became of each ConfigMap, that an edit was set back, and one side when the other is down",
  async () => {
    const ns = (cluster: string, name: string) =>
      clusters.write(cluster, kinds.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    await ns("management", "clusters");
    await ns("management", "clusters-a");
    await ns("hosted", tuningNamespace);
    await clusters.write("management", nodePoolKind, nodePool);
    for (const one of users) await clusters.write("management", kinds.configMap, one);
    // As the management side and the operator of the hosted cluster write them.
    const tuning = readTuning(nodePool, (name) => users.find(({ metadata }) => metadata.name === name));
    const plan = planTuning({
      nodePool,
      tuning,
      observed: [],
      namespace: "clusters-a",
      protocol: protocols.documented,
    });
    const passedOn = plan.objects.map(({ object }) => object as ConfigMap);
    for (const one of passedOn) await clusters.write("management", kinds.configMap, one);
    const { mirrored } = readTuneds(passedOn, tuningNamespace);
    const [wanted] = [...mirrored.values()].map((one) => one.tuned);
    if (!wanted) throw new Error("no Tuned was mirrored");
    const { name = "" } = wanted.metadata;
    const before = await clusters.write("hosted", tunedKind, wanted);
    await clusters.write("hosted", kinds.node, {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "n1", labels: { [keys.nodePool]: "np1" } },
    });

    const { page } = await openPage(clusters.address("/clusters"));
    const heading = page.getByRole("heading", { level: 1 });
    const says = (...states: Parameters<typeof clustersSentence>[0]) =>
      heading.filter({ hasText: clustersSentence(states, 1) }).waitFor({ timeout: 100_000 });
    const cells = async (row: number): Promise<string[]> =>
      page
        .getByRole("grid", { name: "What clusters/np1 refers to" })
        .locator("tbody tr")
        .nth(row)
        .locator("td")
        .allInnerTexts();
    await says("in sync", "not valid");
    expect(await cells(0)).toEqual([
      "ConfigMap clusters/bad\nTuned bad",
      "-",
      "-",
      expect.stringMatching(/^ *not valid\ndocument 1, Tuned bad: spec\.recommend\[0\]\.priority: .*integer/),
    ]);
    expect((await cells(1)).map((text) => text.trim())).toEqual([
      "ConfigMap clusters/good\nTuned quiet",
      "tuned-np1",
      `Tuned ${name}`,
      "in sync",
    ]);
    await looksRight(page, "clusters");

    // A user of the hosted cluster edits, and its operator sets it back.
    const hosted = clusters.admin("hosted");
    const put = (spec: object) =>
      hosted.patch(tunedKind, name, { type: "merge", patch: { spec } }, { namespace: tuningNamespace });
    const edited = await put({ profile: [{ name: "quiet", data: "[sysctl]\nvm.swappiness=60\n" }] });
    await says("edited", "not valid");
    const events = revertedEdits(() => passedOn[0]);
    events({ wanted: mirrored, observed: [before] });
    const [event] = events({ wanted: mirrored, observed: [edited] });
    if (!event) throw new Error("the edit is not told");
    const { reason, message, regarding } = event;
    const at = new Date().toISOString();
    await clusters.write("management", kinds.event, {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: "reverted", namespace: "clusters-a" },
      involvedObject: {
        apiVersion: "v1",
        kind: "ConfigMap",
        name: regarding.metadata.name ?? "",
        namespace: "clusters-a",
      },
      type: "Warning",
      reason,
      message,
      count: 1,
      lastTimestamp: at,
    });
    await put({ profile: wanted.spec?.profile });
    await says("in sync", "not valid");
    await page.getByText(/An edit there was set back \d+ s ago\./).waitFor();

    // Who may pause is decided by the cluster that has the NodePool, whichever the page shows.
    await clusters.write("management", kinds.clusterRoleBinding, {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "pat" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "pat" }],
    });
    const other = await openPage(await clusters.addressAs("pat", "/rollout"));
    await other.page.getByRole("button", { name: "Pause clusters/np1", disabled: false }).click();
    await other.page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
    await other.page.getByRole("button", { name: "Resume clusters/np1" }).waitFor();
    expect(
      (await clusters.admin("management").get(nodePoolKind, "np1", { namespace: "clusters" })).spec?.pausedUntil,
    ).toBe("true");

    // One side is down; the other lives.
    await clusters.stop("hosted");
    await page.getByText(/Cluster hosted does not answer: its side is as of \d\d:\d\d:\d\d/).waitFor();
    await clusters
      .admin("management")
      .patch(
        kinds.configMap,
        "bad",
        { type: "merge", patch: { data: { tuning: tuned("bad", "30") } } },
        { namespace: "clusters" },
      );
    await says("in sync", "on the way");
    await page.getByText("management: live").waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
  },
);
