import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import type { NodeStory } from "../../src/domain/fleet/node-story.ts";
import { type HttpClient } from "../../src/cluster/kube/http-client.ts";
import { bearer, staticCredentials } from "../../src/cluster/kube/connect/credentials.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { tunedKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { explainOn } from "../../src/program/cli/explain/explain.ts";
import { RecordingTerminal } from "../../src/program/cli/terminal/testing/recording-terminal.ts";
import { accessibilityFindings, sidewaysScroll } from "./harness/accessible.ts";
import { browserTest, openPage } from "./harness/browser-test.ts";
import { press, tabTo } from "./harness/keyboard.ts";
import { systemForAll } from "./harness/running-system.ts";
import { atEverySize } from "./harness/screenshots.ts";

const system = systemForAll({ nodes: 3 });

/** What `attune explain node NAME -o json` prints. */
async function explained(name: string): Promise<NodeStory> {
  const terminal = new RecordingTerminal();
  const signal = new AbortController().signal;
  await explainOn({ client: system.admin, kind: "node", name, options: { output: "json" }, terminal, signal });
  return JSON.parse(terminal.stdout) as NodeStory;
}

const settingsOf = (page: Page): Locator => page.getByRole("grid", { name: "Settings" });

/** The text of each cell of each row that has one of these in every column. */
async function cellsOf(table: Locator): Promise<string[][]> {
  const rows = await table
    .locator("tbody tr")
    .filter({ has: table.page().locator("td") })
    .all();
  return Promise.all(rows.map(async (row) => (await row.locator("td").allInnerTexts()).map((text) => text.trim())));
}

browserTest("the settings and rules of a node are those of attune explain node", async () => {
  const { page } = await openPage(system.address("/nodes/node-2?show=idle"));
  await settingsOf(page).waitFor();
  const story = await explained("node-2");
  const shown = await cellsOf(settingsOf(page));
  expect(shown.map(([option, wanted, actual]) => [option, wanted, actual])).toEqual(
    story.settings.map(({ option, wanted, actual = "-" }) => [option, wanted.trim(), actual]),
  );
  const words = { "as wanted": "as wanted", skipped: "not on this node", idle: "idle", boot: "at boot" };
  expect(shown.map(([, , , state = ""]) => state.split("\n")[0])).toEqual(
    story.settings.map(({ state }) => words[state as keyof typeof words]),
  );
  expect(shown.map(([, , , , source = ""]) => /line (\d+)/.exec(source)?.[1])).toEqual(
    story.settings.map(({ from }) => /:(\d+)$/.exec(from)?.[1]),
  );
  await page.getByRole("tab", { name: /Rules/ }).click();
  const rules = page.getByRole("list", { name: "Rules, in the order in which they are tried" }).locator("> li");
  const texts = await rules.allInnerTexts();
  expect(texts.map((text) => text.replaceAll(/\s+/g, " "))).toEqual(
    story.rules.map(({ tuned, index, profile, priority, because }) =>
      expect.stringMatching(
        new RegExp(`^${priority} Tuned ${tuned}, rule ${index} → ${profile} .*${escaped(because)}`),
      ),
    ),
  );
  await page.getByRole("tab", { name: "Boot" }).click();
  const boot = await cellsOf(page.getByRole("grid", { name: "Boot arguments" }));
  expect(boot.map(([word]) => word)).toEqual([...new Set(story.boot?.wanted)]);
  expect(boot.every(([, wanted, reported]) => wanted === "yes" && reported === "yes")).toBe(true);
});

browserTest("a change by another process appears while the page is open, and in a comparison", async () => {
  const { page } = await openPage(system.address("/nodes/node-1"));
  await page.getByRole("heading", { name: /all \d+ settings are as wanted/ }).waitFor();
  await page.getByRole("button", { name: "Compare" }).click();
  await page.getByText("No differences").waitFor();
  await system.hosts.get("node-1")?.write("/proc/sys/vm/swappiness", "77\n");
  await restartAgent("node-1");
  await page.getByRole("heading", { name: /1 of \d+ settings was changed by another process and set back/ }).waitFor();
  const row = page.getByRole("row").filter({ hasText: "vm.swappiness, state" });
  expect(await row.innerText()).toMatch(/was changed, set back\s+as wanted/);
  await page.getByRole("tab", { name: "Settings 1!" }).click();
  await page.getByRole("button", { name: "Differ 1" }).click();
  const [cells = []] = await cellsOf(settingsOf(page));
  expect(cells.slice(0, 3)).toEqual(["vm.swappiness", "11", "11"]);
  expect(cells[3]).toContain('another process changed it to "77"');
});

browserTest("without a mouse: from Fleet to a node, to the line that set a value, and to a comparison", async () => {
  const { page } = await openPage(system.address());
  const fleet = page.getByRole("grid", { name: "Nodes" });
  await tabTo(page, fleet);
  await press(page, "Home", "Enter");
  await settingsOf(page).waitFor();
  expect(new URL(page.url()).pathname).toBe("/nodes/node-1");
  const source = page.getByRole("button", { name: "Tuned quiet-memory, line 6" });
  await tabTo(page, source);
  await press(page, "Enter");
  const text = page.getByRole("list", { name: "Text of quiet-memory/tuned.conf" });
  expect(await text.locator('[aria-current="true"]').innerText()).toBe("vm.swappiness=11");
  const chain = page.getByRole("list", { name: "Profiles, each overriding those before it" }).getByRole("button");
  const story = await explained("node-1");
  expect(await chain.allInnerTexts()).toEqual(story.chain.map(({ profile }) => profile));
  expect(await accessibilityFindings(page)).toEqual([]);
  await press(page, "Escape");
  await text.waitFor({ state: "detached" });
  expect(await source.evaluate((element) => element.matches(":focus"))).toBe(true);
  await press(page, "ArrowDown");
  expect(await source.evaluate((element) => element.matches(":focus"))).toBe(false);
  await press(page, "g", "f");
  await tabTo(page, fleet);
  await press(page, "Home", "x", "End", "x", "c");
  await page.getByRole("tab", { name: "Compare", selected: true }).waitFor();
  expect(page.url()).toMatch(/\/nodes\/node-1\?with=node-3$/);
});

browserTest("Read now shows the values that the node has", async () => {
  const { page } = await openPage(system.address("/nodes/node-3"));
  await settingsOf(page).waitFor();
  await page.getByRole("button", { name: "Read now" }).click();
  await page.getByText(/Read .* from the node itself/).waitFor();
  const cells = await cellsOf(settingsOf(page));
  expect(cells.find(([option]) => option === "vm.swappiness")?.slice(1, 4)).toEqual(["11", "11", "as wanted"]);
  await page.getByRole("button", { name: "Show what the agent reports" }).click();
  await page.getByText(/Read .* from the node itself/).waitFor({ state: "detached" });
});

browserTest("hostile texts stay text", async () => {
  const hostile = "<img src=x onerror=alert(1)></script><script>alert(2)</script>";
  const data = `[main]\nsummary=${hostile}\ninclude=openshift-node\n[sysctl]\nkernel.domainname=${hostile}\n`;
  const hostileTuned = {
    apiVersion: tunedKind.apiVersion,
    kind: "Tuned",
    metadata: { name: "hostile", namespace: tuningNamespace },
    spec: {
      profile: [{ name: "hostile", data }],
      recommend: [{ profile: "hostile", priority: 1, match: [{ label: "kubernetes.io/hostname", value: "node-3" }] }],
    },
  };
  await system.admin.create(tunedKind, hostileTuned, { namespace: tuningNamespace });
  const { page } = await openPage(system.address("/nodes/node-3"));
  const row = page.getByRole("row").filter({ hasText: "kernel.domainname" });
  await row.waitFor();
  expect(await row.locator("td").nth(1).innerText()).toBe(hostile);
  await row.getByRole("button").click();
  await page.getByText(`summary=${hostile}`).waitFor();
  expect(await page.locator("img, main script, [role=dialog] script").count()).toBe(0);
  await press(page, "Escape");
  await row.waitFor();
  await system.admin.delete(tunedKind, "hostile", { namespace: tuningNamespace });
  await row.waitFor({ state: "detached" });
});

browserTest("who may read nodes alone sees the CPUs' page say so, and which right is missing", async () => {
  const client = await restricted([{ apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch"] }]);
  const console = await system.serve({ clusters: [{ name: "plain", client }] });
  const { page } = await openPage(console.link().replace("/#", "/nodes/node-1#"));
  await page.getByText("You may not see the Profiles of nodes").first().waitFor();
  expect(await page.getByText(/list profiles.tuned.openshift.io in namespace/).count()).toBeGreaterThan(0);
  await page.getByRole("tab", { name: "CPUs" }).click();
  await page.getByText("Hardware is unknown").waitFor();
  await page.getByRole("tab", { name: "Events" }).click();
  await page.getByText("You may not see events").waitFor();
  expect(await accessibilityFindings(page)).toEqual([]);
});

browserTest("a node that there is not is said to be none", async () => {
  const { page } = await openPage(system.address("/nodes/node-99"));
  await page.getByText("There is no node node-99").waitFor();
  expect(await accessibilityFindings(page)).toEqual([]);
});

browserTest.each(["Settings", "CPUs", "Rules", "Boot", "Events", "Compare"])(
  "the tab %s is accessible and fits at every size",
  async (tab) => {
    // Few rows: each is like the others, and axe-core looks at every one.
    const { page } = await openPage(system.address(`/nodes/node-2?tab=${tab.toLowerCase()}&q=vm.`));
    await page.getByRole("tabpanel").locator("> *").first().waitFor();
    await atEverySize(page, `node-${tab.toLowerCase()}`, async (_, look) => {
      expect(await accessibilityFindings(page), look).toEqual([]);
      expect(await sidewaysScroll(page), look).toBe(0);
    });
    await page.setViewportSize({ width: 320, height: 640 });
    // The page follows its window a moment later.
    await expect.poll(() => sidewaysScroll(page), { timeout: 100_000 }).toBe(0);
  },
);

/** The files of virtual nodes are not watched: their agents look for changes when they start, and every ten minutes. */
async function restartAgent(node: string): Promise<void> {
  const pods = await system.admin.list(kinds.pod, {
    namespace: tuningNamespace,
    labelSelector: "openshift-app=tuned",
    fieldSelector: `spec.nodeName=${node}`,
  });
  for (const { metadata } of pods.items)
    await system.admin.delete(kinds.pod, metadata.name ?? "", { namespace: tuningNamespace });
}

/** A client of a new account with these rights. */
async function restricted(rules: readonly object[]): Promise<HttpClient> {
  const { admin } = system;
  const [namespace, name] = ["default", "looker"];
  const rbac = { apiVersion: "rbac.authorization.k8s.io/v1", metadata: { name } };
  const subjects = [{ kind: "ServiceAccount", name, namespace }];
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name };
  await admin.create(
    kinds.serviceAccount,
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name } },
    { namespace },
  );
  await admin.create(kinds.clusterRole, { ...rbac, kind: "ClusterRole", rules } as never);
  await admin.create(kinds.clusterRoleBinding, { ...rbac, kind: "ClusterRoleBinding", subjects, roleRef });
  const review = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    metadata: {},
    spec: { audiences: [] },
  };
  const answer = await admin.create(kinds.tokenRequest, review, { namespace, name, subresource: "token" });
  const credentials = staticCredentials(bearer(answer.status?.token ?? ""));
  return admin.for({ ...admin.connection, credentials });
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
