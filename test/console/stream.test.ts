import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { profileKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { browserTest, openPage } from "./harness/browser-test.ts";
import { CuttingRelay } from "./harness/cutting-relay.ts";
import { condition, type ObjectCluster, startObjectCluster, viewerRole } from "./harness/object-cluster.ts";

const nodes = 120;
let cluster: ObjectCluster;
let relay: CuttingRelay;

beforeAll(async () => {
  [cluster, relay] = await Promise.all([startObjectCluster(), CuttingRelay.start()]);
  await cluster.addNodes(nodes);
});
afterAll(async () => {
  await relay?.close();
  await cluster?.stop();
});

/** Counts the frames of streams, and tries again at once: how long a page waits is random. */
const watching = `(() => {
  window.frames_ = [];
  const parse = JSON.parse;
  JSON.parse = (text, reviver) => {
    const value = parse(text, reviver);
    if (value?.type === "snap" || value?.type === "delta" || value?.type === "hello") window.frames_.push(value.type + " " + (value.topic ?? ""));
    return value;
  };
  Math.random = () => 0;
})()`;

const framesOf = (page: Page): Promise<string[]> => page.evaluate<string[]>("window.frames_");

/** What the table says of each node. Few are shown at once, so that the filter leaves those that changed. */
async function drifted(page: Page): Promise<string[]> {
  const rows = await page.locator("tbody tr[aria-selected]").all();
  return Promise.all(rows.map(async (row) => (await row.locator("td").allInnerTexts()).slice(0, 5).join(" ").trim()));
}

/** Another process changed so many settings of a node. */
function drift(node: string, count: number): Promise<void> {
  const exceptions = Array.from({ length: count }, (_, i) => ({
    unit: "sysctl",
    option: `vm.option-${i}`,
    state: "Changed",
    wanted: "1",
    found: "2",
    since: "2026-01-01T00:00:00Z",
  }));
  const conditions = [condition("Applied", "True"), { ...condition("Degraded", "False") }];
  const drifting = {
    type: "Drifted",
    status: count > 0 ? "True" : "False",
    reason: "Changed",
    message: "changed",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  };
  return cluster.report(node, { conditions: [...conditions, drifting], exceptions } as never);
}

browserTest("a stream that is cut at any moment loses no row, and sends none twice that the page has", async () => {
  const console = await cluster.serve({ allowedHosts: [relay.host] });
  relay.leadTo(Number(new URL(console.url).port));
  void relay.pass();
  const { page, expects } = await openPage(
    console.link().replace(/^http:\/\/[^/]+\//, `http://${relay.host}/?state=Drifted&columns=state,drift`),
    { script: watching },
  );
  expects(/ERR_|Failed to load resource/);
  await page.getByText("No node matches").waitFor();
  expect((await framesOf(page)).filter((frame) => frame === "snap fleet")).toHaveLength(1);
  let changes = 0;
  // Before the head, within it, within the first frame, between frames, and late.
  for (const moment of [0, 120, 1100, 1400, 2200]) {
    relay.cut();
    changes++;
    await drift(`n-${changes}`, changes);
    await cluster.admin.delete(kinds.node, `n-${nodes - changes}`);
    const state = { isCut: false };
    const cut = relay.pass(moment).then(() => (state.isCut = true));
    // Until the stream has sent so much, there is something to send.
    for (let value = 1; !state.isCut; value++) await drift("n-100", value % 50);
    await cut;
    void relay.pass();
    await expect.poll(async () => (await drifted(page)).some((row) => row.startsWith(`n-${changes} `))).toBe(true);
  }
  await drift("n-100", 7);
  const counts = new Map<string, number>([["n-100", 7]]);
  for (let change = 1; change <= changes; change++) counts.set(`n-${change}`, change);
  const shown = async (): Promise<ReadonlyMap<string, number>> =>
    new Map((await drifted(page)).map((row) => [row.split(" ")[0] ?? "", Number(/(\d+)$/.exec(row)?.[1])]));
  await expect.poll(shown).toEqual(counts);
  await page
    .getByRole("heading", { level: 1 })
    .filter({ hasText: `of ${nodes - changes} nodes` })
    .waitFor();
  const frames = await framesOf(page);
  expect(frames.filter((frame) => frame.startsWith("hello")).length).toBeGreaterThan(5);
  expect(frames.filter((frame) => frame === "snap fleet")).toHaveLength(1);
});

browserTest(
  "a server that starts again finds the page as it was: its filter, its place in the table, its focus",
  async () => {
    const token = await cluster.tokenOf("restart", viewerRole);
    const client = cluster.clientOf("none");
    const stop = new AbortController();
    const common = { allowedHosts: [relay.host], signIn: "token", clusters: [{ name: "objects", client }] } as const;
    const first = await cluster.serve({ ...common, signal: stop.signal });
    relay.leadTo(Number(new URL(first.url).port));
    void relay.pass();
    const { page, expects } = await openPage(`http://${relay.host}/?q=n-&sort=name`, { script: watching });
    expects(/ERR_|Failed to load resource/);
    await page.getByLabel("Token").fill(token);
    await page.getByRole("button", { name: "Sign in" }).click();
    const grid = page.getByRole("grid", { name: "Nodes" });
    await grid.waitFor();
    await grid.focus();
    for (let i = 0; i < 60; i++) await page.keyboard.press("ArrowDown");
    // Rows follow the scrolling with the next frame.
    const view = () =>
      page.evaluate<object>(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => ({
      address: location.search,
      top: Math.max(...[...document.querySelectorAll("*")].map((one) => one.scrollTop)),
      rows: [...document.querySelectorAll("tbody tr[aria-selected]")].map((row) => row.textContent.slice(0, 6)),
      focus: document.activeElement?.getAttribute("aria-label"),
    }))`);
    const before = await view();
    expect(before).toMatchObject({ address: "?q=n-&sort=name" });
    expect((before as { top: number }).top).toBeGreaterThan(500);
    // The table scrolls, not the page: rows out of sight are not drawn.
    expect((before as { rows: string[] }).rows.length).toBeLessThan(50);

    stop.abort();
    await first.stopped;
    relay.cut();
    await page.getByText("not live").waitFor();
    await drift("n-60", 3);
    const second = await cluster.serve(common);
    relay.leadTo(Number(new URL(second.url).port));
    void relay.pass();
    await page.getByText("live", { exact: true }).waitFor();
    await expect.poll(async () => (await framesOf(page)).filter((frame) => frame === "snap fleet").length).toBe(2);
    expect(await view()).toEqual(before);
    const { items } = await cluster.admin.list(profileKind, { namespace: tuningNamespace });
    expect(items).toHaveLength(nodes);
  },
);
