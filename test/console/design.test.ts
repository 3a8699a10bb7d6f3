import { text } from "node:stream/consumers";
import type { Locator, Page } from "playwright-core";
import { beforeAll, expect } from "vitest";
import { machineConfigPoolKind } from "../../src/domain/machine-config/api.ts";
import { performanceProfileKind } from "../../src/domain/performance-profile/api.ts";
import type { Machine } from "../../src/embedded/lab/machine.ts";
import { readYaml } from "../../src/language/object/yaml.ts";
import { examplePool } from "../../src/program/cli/up/worked-example.ts";
import { accessibilityFindings } from "./harness/accessible.ts";
import { browserTest, openPage } from "./harness/browser-test.ts";
import { press, tabTo } from "./harness/keyboard.ts";
import { looksRight } from "./harness/looks-right.ts";
import { systemForAll } from "./harness/running-system.ts";

/** Pool low-latency has two nodes of two sockets, each with four cores of two threads; pool worker has one small node. */
const system = systemForAll({ nodes: "examples/performance/topology.yaml", example: false });
const members = ["rt-1", "rt-2"];

beforeAll(async () => {
  await system.admin.create(machineConfigPoolKind, examplePool());
  await system.converged();
});

/** How often each node has booted. */
function boots(): readonly number[] {
  return ["rt-1", "rt-2", "worker-1"].map((name) => (system.hosts.get(name) as Machine).boots);
}

const sentence = (page: Page, text: string | RegExp): Locator =>
  page.getByRole("heading", { level: 1 }).filter({ hasText: text });

/** What each core of a map says that it is for. */
async function coresOf(map: Locator): Promise<readonly (string | null)[]> {
  return Promise.all((await map.getByRole("gridcell").all()).map((cell) => cell.getAttribute("aria-label")));
}

const reserved = [0, 1, 2].map((cpu) => `CPU ${cpu}, ${cpu + 8}; NUMA 0; Reserved`);
const isolated = [3, 4, 5, 6, 7].map((cpu) => `CPU ${cpu}, ${cpu + 8}; NUMA ${cpu < 4 ? 0 : 1}; Isolated`);

browserTest(
  "without a mouse: a profile is designed on the map, reviewed and applied, and the map of each node shows it after one restart",
  async () => {
    const { page } = await openPage(system.address("/"));
    await page.getByRole("grid", { name: "Nodes" }).waitFor();
    await press(page, "g", "d");
    await sentence(page, "low-latency: 16 CPUs a node, 2 nodes, 2 reboot").waitFor();
    const name = page.getByRole("textbox", { name: "Name of the profile" });
    await tabTo(page, name);
    await press(page, "Control+a");
    await page.keyboard.type("quick");
    // A form of one field is sent by Enter, and the page must stay.
    await press(page, "Enter");
    await sentence(page, "quick: 16 CPUs a node").waitFor();

    // The third core joins those of the system; its threads go along.
    const map = page.getByRole("grid", { name: "CPUs of a node of pool low-latency" });
    await tabTo(page, map);
    await press(page, "Home", "ArrowRight", "ArrowRight", " ");
    await page.getByText("2 CPUs selected").waitFor();
    await press(page, "r");
    const field = (of: string): Locator => page.getByRole("textbox", { name: of, exact: true });
    expect([await field("Reserved").inputValue(), await field("Isolated").inputValue()]).toEqual([
      "0-2,8-10",
      "3-7,11-15",
    ]);
    await press(page, "Control+z");
    expect(await field("Reserved").inputValue()).toBe("0-1,8-9");
    await press(page, "Control+Shift+Z");
    expect(await coresOf(map)).toEqual([...reserved, ...isolated]);

    // A finding stands at its field as soon as it is there, and its fix ends it.
    await tabTo(page, field("Isolated"));
    await press(page, "End");
    await page.keyboard.type(",8");
    const fix = page.getByRole("button", { name: "Fix CpuPoolsOverlap" }).first();
    await tabTo(page, fix);
    expect(await page.getByRole("button", { name: "Review" }).isDisabled()).toBe(true);
    await press(page, "Enter");
    await fix.waitFor({ state: "detached" });
    expect(await field("Isolated").inputValue()).toBe("3-7,11-15");

    await tabTo(page, page.getByRole("button", { name: "Add huge pages" }));
    await press(page, "Enter");
    await tabTo(page, page.getByRole("spinbutton", { name: "Count" }));
    await press(page, "Control+a");
    await page.keyboard.type("2");
    await tabTo(page, page.getByRole("tab", { name: "Boot", exact: true }));
    await press(page, "Enter");
    await page.getByRole("listitem").filter({ hasText: "+ hugepages=2" }).waitFor();
    await tabTo(page, page.getByRole("tab", { name: "Reboots 2" }));
    await press(page, "Enter");
    await page.getByText("rt-1, rt-2").waitFor();
    await looksRight(page, "design");

    await tabTo(page, page.getByRole("button", { name: "Copy YAML" }));
    await press(page, "Enter");
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(readYaml(copied)).toMatchObject({ metadata: { name: "quick" }, spec: { cpu: { reserved: "0-2,8-10" } } });
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download" }).press("Enter"),
    ]);
    expect(saved.suggestedFilename()).toBe("quick.yaml");
    expect(await text(await saved.createReadStream())).toBe(copied);

    await tabTo(page, page.getByRole("button", { name: "Review" }));
    await press(page, "Enter");
    await sentence(page, "quick: 2 nodes change, 2 reboot, 1 at a time").waitFor();
    await looksRight(page, "review");
    const apply = page.getByRole("button", { name: "Apply 1" });
    const typed = page.getByRole("textbox", { name: "2 nodes reboot: type 2 to go on" });
    await tabTo(page, typed);
    await page.keyboard.type("1");
    expect(await apply.isDisabled()).toBe(true);
    await press(page, "Control+a", "2");
    await tabTo(page, apply);
    await press(page, "Enter");

    await sentence(page, "quick: 0 of 2 nodes have it").waitFor();
    await sentence(page, "quick: 2 of 2 nodes have it").waitFor();
    expect(boots()).toEqual([2, 2, 1]);
    for (const node of members) {
      expect(await coresOf(page.getByRole("grid", { name: `CPUs of ${node}` }))).toEqual([...reserved, ...isolated]);
      const booted = await system.hosts.get(node)?.read("/proc/cmdline");
      expect(booted).toMatchObject({ text: expect.stringContaining("hugepages=2") as string });
    }
    await looksRight(page, "design-applied");
    const stored = await system.admin.get(performanceProfileKind, "quick");
    expect(stored.metadata.managedFields?.map(({ manager }) => manager)).toContain("attune-console");
    expect(stored.spec).toMatchObject((readYaml(copied) as { spec: object }).spec);
  },
);

browserTest("an edit of a profile is in force on a node only after that node has restarted for it", async () => {
  const { page } = await openPage(system.address("/design/quick"));
  await sentence(page, "quick: 16 CPUs a node, 2 nodes, none reboots").waitFor();
  const name = page.getByRole("textbox", { name: "Name of the profile" });
  expect(await name.getAttribute("readonly")).not.toBeNull();
  await page.getByRole("textbox", { name: "Reserved", exact: true }).fill("0-3,8-11");
  await page.getByRole("textbox", { name: "Isolated", exact: true }).fill("4-7,12-15");
  await sentence(page, "2 reboot").waitFor();
  await page.getByRole("button", { name: "Review" }).click();
  await page.getByRole("textbox", { name: "2 nodes reboot" }).fill("2");
  // From here on: no node may seem to have what it has not.
  await page.evaluate(`window.early = []; new MutationObserver(() => {
    const text = document.querySelector("h1").textContent;
    if (!window.early.includes(text)) window.early.push(text);
  }).observe(document.body, { subtree: true, childList: true, characterData: true })`);
  await page.getByRole("button", { name: "Apply 1" }).click();
  await sentence(page, "quick: 2 of 2 nodes have it").waitFor();
  const seen = await page.evaluate<string[]>("window.early");
  expect(seen.flatMap((text) => /quick: . of 2 nodes have it/.exec(text)?.[0] ?? [])).toEqual([
    "quick: 0 of 2 nodes have it",
    "quick: 1 of 2 nodes have it",
    "quick: 2 of 2 nodes have it",
  ]);
  expect(boots()).toEqual([3, 3, 1]);
});

browserTest("a drag over the map selects what keys select", async () => {
  const { page } = await openPage(system.address("/design/quick"));
  const map = page.getByRole("grid", { name: "CPUs of a node of pool low-latency" });
  const cell = (cpu: number): Locator => map.getByRole("gridcell", { name: `CPU ${cpu},` });
  const chosen = () =>
    map.locator('[role=gridcell][aria-selected="true"]').evaluateAll((all) => all.map(({ ariaLabel }) => ariaLabel));
  await cell(1).hover();
  await page.mouse.down();
  // What the pointer passes shows a hint over its neighbours.
  for (const cpu of [2, 3, 4, 5]) await cell(cpu).hover({ force: true });
  await page.mouse.up();
  const dragged = await chosen();
  expect(dragged).toHaveLength(5);
  await tabTo(page, map);
  await press(page, "Home", "ArrowRight", ...Array.from({ length: 4 }, () => "Shift+ArrowRight"));
  expect(await chosen()).toEqual(dragged);
});

browserTest("a draft outlives a reload, and can be thrown away", async () => {
  const { page } = await openPage(system.address("/design/quick"));
  const field = page.getByRole("textbox", { name: "Offlined", exact: true });
  await field.fill("15");
  await page.getByText("quick: 16 CPUs a node").waitFor();
  await page.reload();
  expect(await field.inputValue()).toBe("15");
  await page.getByRole("button", { name: "Start over" }).click();
  expect(await field.inputValue()).toBe("");
  await page.reload();
  expect(await field.inputValue()).toBe("");
  expect(await accessibilityFindings(page)).toEqual([]);
});
