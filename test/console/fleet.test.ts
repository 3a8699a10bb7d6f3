import { expect, onTestFinished, vi } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { fleetPools } from "../../src/domain/fleet/fleet-pools.ts";
import { fleetRow } from "../../src/domain/fleet/fleet-row.ts";
import { fleetSentence, summarise } from "../../src/domain/fleet/fleet-summary.ts";
import { machineConfigPoolKind } from "../../src/domain/machine-config/api.ts";
import { profileKind } from "../../src/domain/node-tuning/api.ts";
import { projectRolloutNode } from "../../src/domain/rollout/rollout-node.ts";
import { accessibilityFindings, sidewaysScroll } from "./harness/accessible.ts";
import { browserTest, openPage } from "./harness/browser-test.ts";
import { systemForAll } from "./harness/running-system.ts";
import { startObjectCluster } from "./harness/object-cluster.ts";
import { atEverySize } from "./harness/screenshots.ts";

const system = systemForAll({ nodes: 3 });

/** What the page shall show, computed from what the API server has. */
async function fleet() {
  const [nodes, profiles, pools] = await Promise.all([
    system.admin.list(kinds.node),
    system.admin.list(profileKind),
    system.admin.list(machineConfigPoolKind),
  ]);
  return nodes.items.map((node) =>
    fleetRow({
      node: projectRolloutNode(node),
      profile: profiles.items.find(({ metadata }) => metadata.name === node.metadata.name),
      pools: fleetPools(pools.items),
    }),
  );
}

browserTest("Fleet shows the sentence and the rows of the API", async () => {
  const { page } = await openPage(system.address());
  await page.getByRole("grid", { name: "Nodes" }).waitFor();
  const rows = await fleet();
  expect(await page.getByRole("heading", { level: 1 }).textContent()).toContain(fleetSentence(summarise(rows)));
  const shown = await page.locator("tbody tr[aria-selected]").all();
  const cells = await Promise.all(shown.map((row) => row.locator("td").allTextContents()));
  expect(cells.map((row) => row.slice(0, 4))).toEqual(
    rows.map(({ name, pool, profile, state }) => [name, pool, profile, ` ${state}`]),
  );
  await atEverySize(page, "fleet", async (page, look) => {
    await vi.waitFor(() => page.getByText("node-3").waitFor());
    expect(await accessibilityFindings(page), look).toEqual([]);
    expect(await sidewaysScroll(page), look).toBe(0);
  });
});

browserTest("Fleet follows a pool that gets another config, and is paused before its nodes have it", async () => {
  const cluster = await startObjectCluster();
  onTestFinished(() => cluster.stop());
  await cluster.addNodes(2);
  const { page } = await openPage((await cluster.serve()).link());
  const says = (text: string) => page.getByRole("heading", { level: 1 }).filter({ hasText: text }).waitFor();
  const patch = (spec: object) =>
    cluster.admin.patch(machineConfigPoolKind, "worker", { type: "merge", patch: { spec } });
  await says("All 2 nodes are as wanted");
  await patch({ configuration: { name: "r-2" } });
  await says("0 of 2 nodes are as wanted; 2 wait for their configs");
  await page.getByRole("row").filter({ hasText: "n-2" }).getByText("Waiting for config").waitFor();
  await patch({ paused: true });
  await page.getByLabel("Filter by name or reason").fill("pool worker is paused");
  await page.getByRole("row").filter({ hasText: "n-2" }).waitFor();
  await patch({ configuration: null });
  await says("All 2 nodes are as wanted");
});
