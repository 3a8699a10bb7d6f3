import { expect, vi } from "vitest";
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
