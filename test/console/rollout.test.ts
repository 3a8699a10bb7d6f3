import { expect } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import type { KindRef } from "../../src/cluster/kube/client.ts";
import { type MachineConfigPool, machineConfigPoolKind } from "../../src/domain/machine-config/api.ts";
import { performanceProfileKind } from "../../src/domain/performance-profile/api.ts";
import { Members } from "../../src/domain/rollout/members.ts";
import { projectRolloutNode } from "../../src/domain/rollout/rollout-node.ts";
import { poolView } from "../../src/domain/rollout/view/pool-view.ts";
import { rolloutSentence } from "../../src/domain/rollout/view/rollout-sentence.ts";
import { accessibilityFindings } from "./harness/accessible.ts";
import { browserTest, openPage } from "./harness/browser-test.ts";
import { looksRight } from "./harness/looks-right.ts";
import { press, tabTo } from "./harness/keyboard.ts";
import { systemForAll } from "./harness/running-system.ts";

const system = systemForAll({ nodes: 3 });
const budgetKind: KindRef = {
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  plural: "poddisruptionbudgets",
  namespaced: true,
};

/** What the page shall say, by the rollout's own decision about what the API server has. */
async function sentence(): Promise<string> {
  const [nodes, pools] = await Promise.all([system.admin.list(kinds.node), system.admin.list(machineConfigPoolKind)]);
  const members = new Members();
  members.use(pools.items);
  const projected = nodes.items.map(projectRolloutNode);
  const now = new Date().toISOString();
  const viewOf = (pool: MachineConfigPool) => {
    const { name = "" } = pool.metadata;
    return { ...poolView({ pool, nodes: members.of(name, projected), now }), name };
  };
  return rolloutSentence(pools.items.map(viewOf));
}

browserTest(
  "Rollout names the pod and the disruption budget of a blocked drain, pauses, warns that the pool is behind, and resumes",
  async () => {
    const { page } = await openPage(system.address("/rollout"));
    const heading = page.getByRole("heading", { level: 1 });
    const says = (text: string) => heading.filter({ hasText: text }).waitFor({ timeout: 100_000 });
    await says("All 3 pools are updated: 3 nodes");
    expect(await sentence()).toBe("All 3 pools are updated: 3 nodes");

    // A pod whose budget allows nothing is in the way of the next config.
    await system.admin.create(kinds.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: "db" } });
    const labels = { app: "db" };
    const budget = {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: "quorum", namespace: "db" },
    };
    await system.admin.create(
      budgetKind,
      { ...budget, spec: { minAvailable: 1, selector: { matchLabels: labels } } },
      { namespace: "db" },
    );
    const spec = { nodeName: "node-2", tolerations: [{ operator: "Exists" }], containers: [{ name: "c", image: "x" }] };
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "db-2", namespace: "db", labels }, spec };
    await system.admin.create(kinds.pod as never, pod as never, { namespace: "db" });
    const patch = { spec: { cpu: { reserved: "0-1", isolated: "2-3" } } };
    await system.admin.patch(performanceProfileKind, "low-latency", { type: "merge", patch });
    await says("low-latency: 0 of 1 updated; waits for 1 drain");
    expect(await sentence()).toBe("low-latency: 0 of 1 updated; waits for 1 drain");
    const pool = page.getByRole("region", { name: "low-latency" });
    await pool.getByText("pod db/db-2: disruption budget db/quorum allows 0").waitFor();
    const steps = await page.getByRole("list", { name: "Steps of node-2" }).getByRole("listitem").allInnerTexts();
    expect(steps.map((text) => text.replaceAll("\n", " "))).toEqual([
      "✓ cordon done",
      "● drain now",
      "apply to do",
      "reboot to do",
      "verify to do",
      "uncordon to do",
    ]);
    await looksRight(page, "rollout");

    await pool.getByRole("button", { name: "Pause low-latency" }).click();
    const dialog = page.getByRole("dialog", { name: "Pause low-latency?" });
    await dialog.getByText("1 node that is on the way: it finishes, and may still restart").waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Pause" }).click();
    await says("low-latency is paused: 1 of 1 node lacks what it should have");
    await pool.getByText("Paused and behind").waitFor();
    const paused = await system.admin.get(machineConfigPoolKind, "low-latency");
    expect(paused.spec?.paused).toBe(true);

    // Without a mouse.
    await tabTo(page, pool.getByRole("button", { name: "Resume low-latency" }));
    await press(page, "Enter");
    await page
      .getByRole("dialog", { name: "Resume low-latency?" })
      .getByText("1 node gets the config of the pool, at most 1 at a time")
      .waitFor();
    await tabTo(page, page.getByRole("dialog").getByRole("button", { name: "Resume", exact: true }));
    await press(page, "Enter");
    await says("low-latency: 0 of 1 updated; waits for 1 drain");
    await system.admin.delete(budgetKind, "quorum", { namespace: "db" });
    await says("All 3 pools are updated: 3 nodes");
    expect(await sentence()).toBe("All 3 pools are updated: 3 nodes");
  },
);
