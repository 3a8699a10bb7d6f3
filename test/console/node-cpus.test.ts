import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { machineConfigPoolKind } from "../../src/domain/machine-config/api.ts";
import { performanceProfileKind } from "../../src/domain/performance-profile/api.ts";
import { accessibilityFindings } from "./harness/accessible.ts";
import { browserTest, openPage } from "./harness/browser-test.ts";
import { looksRight } from "./harness/looks-right.ts";
import { type ObjectCluster, startObjectCluster } from "./harness/object-cluster.ts";
import { systemForAll } from "./harness/running-system.ts";

/** Node-2 is in pool low-latency, whose profile reserves CPU 0 and isolates 1-3. */
const system = systemForAll({ nodes: 2 });

let cluster: ObjectCluster;
beforeAll(async () => {
  cluster = await startObjectCluster();
});
afterAll(() => cluster?.stop());

const mapOf = (page: Page, node: string): Locator => page.getByRole("grid", { name: `CPUs of ${node}` });

async function coresOf(map: Locator): Promise<readonly (string | undefined)[]> {
  const labels = await Promise.all(
    (await map.getByRole("gridcell").all()).map((cell) => cell.getAttribute("aria-label")),
  );
  return labels.map((label) => /NUMA \d+; (.*)/.exec(label ?? "")?.[1]);
}

const [reserved, isolated] = ["Reserved", "Isolated"];

browserTest(
  "the map shows the sets in force: a profile that is edited changes it when the node has restarted",
  async () => {
    const { page } = await openPage(system.address("/nodes/node-2?tab=cpus"));
    const map = mapOf(page, "node-2");
    await map.waitFor();
    const told = page.getByText("The map shows the sets in force; the profile wants others");
    expect(await coresOf(map)).toEqual([reserved, isolated, isolated, isolated]);
    expect(await told.count()).toBe(0);

    const pause = (paused: boolean) =>
      system.admin.patch(machineConfigPoolKind, "low-latency", { type: "merge", patch: { spec: { paused } } });
    await pause(true);
    const cpu = { reserved: "0-1", isolated: "2-3" };
    await system.admin.patch(performanceProfileKind, "low-latency", { type: "merge", patch: { spec: { cpu } } });
    await told.waitFor();
    expect(await coresOf(map)).toEqual([reserved, `${isolated}, about to change`, isolated, isolated]);
    await page.getByText("Isolated: 1-3, wanted 2-3").waitFor();
    await map.getByRole("gridcell").nth(1).hover();
    await page.getByText("About to change: Reserved").waitFor();
    await looksRight(page, "node-cpus-changing");

    await pause(false);
    await told.waitFor({ state: "detached" });
    expect(await coresOf(map)).toEqual([reserved, reserved, isolated, isolated]);
  },
);

browserTest("the map says that it shows what is wanted, where the agent does not report what is in force", async () => {
  await cluster.addNodes(1);
  const hardware = { numaNodes: [{ id: 0, cores: ["0/0:0", "0/1:1"] }], offline: "" };
  await cluster.report("n-1", { hardware });
  const nodeSelector = { "node-role.kubernetes.io/worker": "" };
  const spec = { cpu: { reserved: "0", isolated: "1" }, nodeSelector };
  const { apiVersion, kind } = performanceProfileKind;
  await cluster.admin.create(performanceProfileKind, { apiVersion, kind, metadata: { name: "p" }, spec });
  const console = await cluster.serve();
  const { page, expects } = await openPage(console.link().replace("/#", "/nodes/n-1?tab=cpus#"));
  await page.getByText("The map shows the sets that are wanted").waitFor();
  expect(await coresOf(mapOf(page, "n-1"))).toEqual([reserved, isolated]);
  expect(await accessibilityFindings(page)).toEqual([]);
  await cluster.report("n-1", { hardware, cpus: { isolated: "", reserved: "", shared: "" } });
  await page.getByText("The map shows the sets in force; the profile wants others").waitFor();
  expect(await coresOf(mapOf(page, "n-1"))).toEqual(["In no set, about to change", "In no set, about to change"]);

  // No lab runs this node: its values are read in the pod of its agent.
  expects(/status of 400/);
  await page.getByRole("button", { name: "Read now" }).click();
  await page.getByText(/no agent runs on n-1/).waitFor();
});
