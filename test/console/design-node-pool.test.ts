import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import type { ConfigMap } from "../../src/domain/hosted/envelope/read-manifests.ts";
import { nodePoolKind } from "../../src/domain/node-pool/api.ts";
import { splitDocuments } from "../../src/language/object/split-documents.ts";
import { readYaml } from "../../src/language/object/yaml.ts";
import { Program } from "../../src/program/cli/testing/program.ts";
import { clustersNamespace as namespace } from "../../src/program/cli/up/hosted-example.ts";
import { browserTest, openPage } from "./harness/browser-test.ts";
import { hostedForAll } from "./harness/hosted-system.ts";
import { looksRight } from "./harness/looks-right.ts";

/** NodePool workers has node-1 and node-3 and a Tuned, NodePool low-latency has node-2 and a profile. Nodes have four CPUs. */
const system = hostedForAll(3);
const members = ["node-1", "node-3"];

const sentence = (page: Page, text: string | RegExp): Locator =>
  page.getByRole("heading", { level: 1 }).filter({ hasText: text });

async function coresOf(map: Locator): Promise<readonly (string | null)[]> {
  return Promise.all((await map.getByRole("gridcell").all()).map((cell) => cell.getAttribute("aria-label")));
}

const boots = (): readonly (number | undefined)[] =>
  ["node-1", "node-2", "node-3"].map((name) => system.hosts.get(name)?.boots);

async function copied(page: Page): Promise<readonly unknown[]> {
  await page.getByRole("button", { name: "Copy YAML" }).click();
  const text = await page.evaluate<string>("navigator.clipboard.readText()");
  return splitDocuments(text).map((document) => readYaml(document.text));
}

browserTest(
  "what NodePools take is planned and applied in the management cluster, whichever the page shows",
  async () => {
    const { page } = await openPage(system.address("/plan"));
    await page.getByRole("button", { name: "Example: swap less" }).click();
    await page.getByText(/conflict with .*\.data\.tuning/).waitFor();
    await page.getByRole("button", { name: "Take the fields over" }).click();
    await sentence(page, "2 nodes change, none reboots").waitFor();
    await page.getByText("Planned in cluster management").waitFor();
    await page.getByRole("tab", { name: "NodePools 1" }).click();
    const pool = page.getByRole("region", { name: `NodePool ${namespace}/workers` });
    expect(await pool.getByRole("listitem").innerText()).toBe("sysctl vm.swappiness: 11 → 5");
    await looksRight(page, "plan-node-pool");
    await page.getByRole("button", { name: "Apply 1" }).click();
    await sentence(page, "1 object is applied").waitFor();
    for (const node of members)
      await expect.poll(() => system.hosts.get(node)?.read("/proc/sys/vm/swappiness")).toMatchObject({ text: "5\n" });

    // A Tuned of the hosted cluster would be reverted.
    const text = `apiVersion: tuned.openshift.io/v1\nkind: Tuned\nmetadata: {name: own}\nspec: {}\n`;
    await page.getByRole("textbox", { name: /^YAML/ }).fill(text);
    await page.getByRole("button", { name: "Plan", exact: true }).click();
    await page.getByText(/put it into a ConfigMap of the management cluster/).waitFor();
  },
);

browserTest(
  "a profile for a NodePool becomes a ConfigMap and a reference to it, and the map of each node shows it after one restart",
  async () => {
    const before = boots();
    const { page } = await openPage(system.address("/nodes/node-1?tab=cpus"));
    await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Design" }).waitFor();
    await page.getByRole("link", { name: "Design one" }).click();
    await sentence(page, "workers-latency: 4 CPUs a node, 2 nodes, 2 reboot").waitFor();
    const field = (of: string): Locator => page.getByRole("textbox", { name: of, exact: true });
    await field("Name of the profile").fill("quick");
    await field("Reserved").fill("0-1");
    await field("Isolated").fill("2-3");
    await sentence(page, "quick: 4 CPUs a node, 2 nodes, 2 reboot").waitFor();
    await page.getByRole("tab", { name: "Reboots 2" }).click();
    await page.getByText("node-1, node-3").waitFor();
    await page.getByRole("tab", { name: "Boot", exact: true }).click();
    await page.getByRole("listitem").filter({ hasText: "isolcpus=managed_irq,2-3" }).waitFor();
    await looksRight(page, "design-node-pool");

    const [configMap, nodePool] = await copied(page);
    expect(configMap).toMatchObject({ kind: "ConfigMap", metadata: { name: "quick", namespace } });
    expect(readYaml((configMap as ConfigMap).data?.["tuning"] ?? "")).toMatchObject({
      kind: "PerformanceProfile",
      metadata: { name: "quick" },
      spec: { cpu: { reserved: "0-1", isolated: "2-3" } },
    });
    // Without its other fields, kubectl would remove them.
    expect(nodePool).toMatchObject({
      kind: "NodePool",
      metadata: { name: "workers", namespace },
      spec: { clusterName: "demo", replicas: 2, tuningConfig: [{ name: "quiet-memory" }, { name: "quick" }] },
    });

    await page.getByRole("button", { name: "Review" }).click();
    await sentence(page, "quick: 2 nodes change, 2 reboot, 1 at a time").waitFor();
    await page.getByRole("tab", { name: "NodePools 1" }).click();
    await page.getByText("It refers to ConfigMap quick.").waitFor();
    await looksRight(page, "review-node-pool");
    await page.getByRole("textbox", { name: "2 nodes reboot: type 2 to go on" }).fill("2");
    await page.getByRole("button", { name: "Apply 2" }).click();
    await sentence(page, "quick: 2 of 2 nodes have it").waitFor();
    for (const node of members)
      expect(await coresOf(page.getByRole("grid", { name: `CPUs of ${node}` }))).toEqual([
        "CPU 0; NUMA 0; Reserved",
        "CPU 1; NUMA 0; Reserved",
        "CPU 2; NUMA 0; Isolated",
        "CPU 3; NUMA 0; Isolated",
      ]);
    await looksRight(page, "design-node-pool-applied");
    await system.converged();
    expect(boots().map((count, at) => (count ?? 0) - (before[at] ?? 0))).toEqual([1, 0, 1]);
    const stored = await system.management.get(nodePoolKind, "workers", { namespace });
    expect(stored.spec?.tuningConfig).toEqual([{ name: "quiet-memory" }, { name: "quick" }]);
  },
);

const tuned = `# Ours.
apiVersion: tuned.openshift.io/v1
kind: Tuned
metadata: { name: beside } # with a remark
spec:
  profile: [{ name: beside, data: "[main]\\nsummary=Beside\\n" }]
  recommend: [{ profile: beside, priority: 90 }]
`;

browserTest(
  "an edit of a NodePool's profile changes its document in its ConfigMap alone, and reaches its nodes only with their restart",
  async () => {
    const found = (await system.management.get(kinds.configMap, "low-latency", { namespace })) as ConfigMap;
    const data = { tuning: `${tuned}---\n${found.data?.["tuning"]}`, notes: "of their own" };
    await system.management.patch(kinds.configMap, "low-latency", { type: "merge", patch: { data } }, { namespace });
    await system.converged();
    const before = boots();

    const { page } = await openPage(system.address("/nodes/node-2?tab=cpus"));
    await page.getByText("Divided by PerformanceProfile").waitFor();
    await page.getByRole("link", { name: "low-latency", exact: true }).click();
    await sentence(page, "low-latency: 4 CPUs a node, 1 node, none reboots").waitFor();
    expect(await page.getByRole("textbox", { name: "Name of the profile" }).getAttribute("readonly")).not.toBeNull();
    await page.getByText("The profile is in ConfigMap clusters/low-latency of cluster management.").waitFor();
    await page.getByRole("textbox", { name: "Reserved", exact: true }).fill("0-1");
    await page.getByRole("textbox", { name: "Isolated", exact: true }).fill("2-3");
    await sentence(page, "1 reboots").waitFor();
    const objects = await copied(page);
    expect(objects).toMatchObject([{ metadata: { name: "low-latency", namespace } }]);
    expect(await page.evaluate<string>("navigator.clipboard.readText()")).toMatch(/^# .*\(notes\)/);

    await page.getByRole("button", { name: "Review" }).click();
    await sentence(page, "low-latency: 1 node changes, 1 reboots, 1 at a time").waitFor();
    await page.getByRole("textbox", { name: "1 node reboots: type 1 to go on" }).fill("1");
    // From here on: no node may seem to have what it has not.
    await page.evaluate(`window.early = []; new MutationObserver(() => {
      const text = document.querySelector("h1").textContent;
      if (!window.early.includes(text)) window.early.push(text);
    }).observe(document.body, { subtree: true, childList: true, characterData: true })`);
    await page.getByRole("button", { name: "Apply 1" }).click();
    await sentence(page, "low-latency: 1 of 1 nodes have it").waitFor();
    const seen = await page.evaluate<string[]>("window.early");
    expect(seen.flatMap((text) => /low-latency: . of 1 nodes have it/.exec(text)?.[0] ?? [])).toEqual([
      "low-latency: 0 of 1 nodes have it",
      "low-latency: 1 of 1 nodes have it",
    ]);
    expect(boots().map((count, at) => (count ?? 0) - (before[at] ?? 0))).toEqual([0, 1, 0]);

    const stored = (await system.management.get(kinds.configMap, "low-latency", { namespace })) as ConfigMap;
    const [first = "", second = ""] = (stored.data?.["tuning"] ?? "").split("---\n");
    expect([first, stored.data?.["notes"]]).toEqual([tuned, "of their own"]);
    expect(readYaml(second)).toMatchObject({ spec: { cpu: { reserved: "0-1", isolated: "2-3" } } });
    await page.getByRole("link", { name: "Rollout of NodePool clusters/low-latency" }).click();
    await page.getByRole("heading", { name: "clusters/low-latency" }).waitFor();
  },
);

browserTest("a NodePool without nodes asks for the hardware that it will have, and nothing restarts", async () => {
  const { apiVersion, kind } = nodePoolKind;
  const spec = { clusterName: "demo", replicas: 0, management: { upgradeType: "InPlace" as const } };
  await system.management.create(
    nodePoolKind,
    { apiVersion, kind, metadata: { name: "later", namespace }, spec },
    { namespace },
  );
  const { page } = await openPage(system.address("/design?pool=later"));
  await sentence(page, "later-latency: hardware unknown, 0 nodes").waitFor();
  await page.getByRole("button", { name: "Propose" }).click();
  await sentence(page, "later-latency: hardware unknown, 0 nodes, none reboots").waitFor();
  await page.getByRole("button", { name: "Review" }).click();
  await sentence(page, "later-latency: No node changes, none reboots").waitFor();
  await page.getByRole("button", { name: "Apply 2" }).click();
  await sentence(page, "later-latency: 0 of 0 nodes have it").waitFor();
  const { spec: stored } = await system.management.get(nodePoolKind, "later", { namespace });
  expect(stored?.tuningConfig).toEqual([{ name: "later-latency" }]);
});

browserTest("who may not write on the management side sees why, and who may not read there too", async () => {
  const binding = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "reads" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "reads" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "reader" }],
  };
  const role = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "reads" },
    rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["get", "list", "watch"] }],
  };
  await system.management.create(kinds.clusterRole, role);
  await system.management.create(kinds.clusterRoleBinding, binding);
  const clustersOf = (user: string) => [
    { name: "hosted", client: system.hosted },
    { name: "management", client: system.management.as({ user }) },
  ];
  const reader = await openPage(await system.addressOf(clustersOf("reader"), "/design?pool=low-latency"));
  await sentence(reader.page, "low-latency: 4 CPUs a node, 1 node").waitFor();
  await reader.page.getByRole("textbox", { name: "Reserved", exact: true }).fill("0");
  await reader.page.getByRole("textbox", { name: "Isolated", exact: true }).fill("1-3");
  await reader.page.getByRole("button", { name: "Review" }).click();
  await reader.page.getByText(/"reader" cannot patch resource "configmaps"/).waitFor();
  await looksRight(reader.page, "review-node-pool-refused");

  const stranger = await openPage(await system.addressOf(clustersOf("stranger"), "/design"));
  await stranger.page.getByText("No access to the NodePools of cluster management").waitFor();
  await looksRight(stranger.page, "design-node-pool-forbidden");
});

browserTest(
  "a console for the hosted cluster alone says where profiles are, one for the management cluster asks for hardware",
  async () => {
    const hosted = [{ name: "hosted", client: system.hosted }];
    const one = await openPage(await system.addressOf(hosted, "/design?pool=low-latency"));
    await one.page.getByText("The profiles of these nodes are in another cluster").waitFor();
    await looksRight(one.page, "design-hosted-alone");

    const management = [{ name: "management", client: system.management }];
    const other = await openPage(await system.addressOf(management, "/design?pool=low-latency"));
    await sentence(other.page, "low-latency: hardware unknown, 0 nodes").waitFor();
    await other.page.getByText(/No other cluster of this console has nodes of this NodePool/).waitFor();
    await looksRight(other.page, "design-management-alone");
  },
);

browserTest("attune console with the contexts of both clusters knows the nodes of a NodePool", async () => {
  const dir = await mkdtemp(join(tmpdir(), "attune-console-"));
  const program = await Program.build();
  onTestFinished(async () => {
    await program.remove();
    await rm(dir, { recursive: true, force: true });
  });
  const contexts = ["--context", "hosted", "--context", "management"];
  const run = program.start(["console", "--kubeconfig", system.kubeconfig, ...contexts, "--dir", dir]);
  const [, link = ""] = await run.printed(/console +(http\S+)/);
  const { page } = await openPage(link.replace("/#", "/design?pool=low-latency#"));
  await sentence(page, "low-latency: 4 CPUs a node, 1 node, none reboots").waitFor();
});
