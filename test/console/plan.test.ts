import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { tunedKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { writeYaml } from "../../src/language/object/write-yaml.ts";
import { browserTest, openPage } from "./harness/browser-test.ts";
import { press, tabTo } from "./harness/keyboard.ts";
import { looksRight } from "./harness/looks-right.ts";
import { systemForAll } from "./harness/running-system.ts";

/** Both nodes have the label that the Tuneds of these tests go by. */
const system = systemForAll({ nodes: 2, example: false });
const swappiness = "/proc/sys/vm/swappiness";

function tuned(name: string, value: number, priority: number | string = 20): KubeObject {
  const data = `[main]\nsummary=Swap less\ninclude=openshift-node\n[sysctl]\nvm.swappiness=${value}\n`;
  const object: KubeObject & { spec: object } = {
    apiVersion: tunedKind.apiVersion,
    kind: tunedKind.kind,
    metadata: { name, namespace: tuningNamespace },
    spec: {
      profile: [{ name, data }],
      recommend: [{ match: [{ label: "node-role.kubernetes.io/worker" }], priority, profile: name }],
    },
  };
  return object;
}

const heading = (page: Page, text: string): Locator =>
  page.getByRole("heading", { level: 1 }).filter({ hasText: text });

/** The lines of the text that are selected. */
function selected(page: Page): Promise<string> {
  return page.evaluate<string>(`(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))(
    document.getElementById("plan-text"))`);
}

const swap = () => Promise.all(["node-1", "node-2"].map(async (name) => system.hosts.get(name)?.read(swappiness)));

browserTest("an error leads to the line that it is about, in a text and in files that are dropped", async () => {
  const { page } = await openPage(system.address("/plan"));
  await page.getByRole("heading", { name: "Nothing is planned yet" }).waitFor();
  await looksRight(page, "plan-empty");
  const text = page.getByRole("textbox", { name: "YAML: type, paste, or drop files here" });
  await text.fill(`${writeYaml(tuned("one", 10))}---\nkind: [Tuned\nmetadata: {}\n`);
  await page.getByRole("button", { name: "Plan", exact: true }).click();
  await heading(page, "1 problem: this cannot be planned").waitFor();
  await page.getByRole("button", { name: /^Go to line/ }).click();
  expect(await selected(page)).toBe("metadata: {}");

  const files = [
    writeYaml(tuned("one", 10)),
    `# two objects\n${writeYaml(tuned("two", 10))}---\n${writeYaml(tuned("three", 10, "high"))}`,
  ];
  const dropped = await page.evaluateHandle(`(() => {
    const data = new DataTransfer();
    for (const [at, text] of ${JSON.stringify(files)}.entries()) data.items.add(new File([text], "tuned (" + at + ").yaml"));
    return data;
  })()`);
  await text.dispatchEvent("drop", { dataTransfer: dropped });
  await page.getByText(/^tuned \(1\)\.yaml, document 2: .*spec\.recommend\[0\]\.priority/).waitFor();
  await page.getByRole("button", { name: /^Go to line/ }).click();
  expect(await selected(page)).toBe("      priority: high");
  await looksRight(page, "plan-refused");
});

browserTest("a conflict names the manager and the field, leads to the line, and can be taken over", async () => {
  await system.admin.patch(
    tunedKind,
    "held",
    { type: "apply", object: tuned("held", 30, 40) },
    { namespace: tuningNamespace, fieldManager: "pipeline" },
  );
  const { page } = await openPage(system.address("/plan"));
  await page.getByRole("textbox", { name: /^YAML/ }).fill(writeYaml(tuned("held", 40, 40)));
  await page.getByRole("button", { name: "Plan", exact: true }).click();
  await page.getByText(/conflict with "pipeline".*\.spec\.profile/).waitFor();
  expect(await page.getByRole("button", { name: /^Apply/ }).count()).toBe(0);
  await page.getByRole("button", { name: /^Go to line/ }).click();
  expect(await selected(page)).toBe("  profile:");

  await page.getByRole("button", { name: "Take the fields over" }).click();
  await page.getByRole("button", { name: "Apply 1" }).click();
  await heading(page, "1 object is applied").waitFor();
  const { spec } = await system.admin.get(tunedKind, "held", { namespace: tuningNamespace });
  expect(spec?.profile?.[0]?.data).toContain("vm.swappiness=40");

  // The choice was about that change alone.
  await system.admin.patch(
    tunedKind,
    "held",
    { type: "apply", object: tuned("held", 30, 40), force: true },
    { namespace: tuningNamespace, fieldManager: "pipeline" },
  );
  await page.getByRole("textbox", { name: /^YAML/ }).fill(writeYaml(tuned("held", 50, 40)));
  await page.getByRole("button", { name: "Plan", exact: true }).click();
  await page.getByText(/conflict with "pipeline"/).waitFor();
  await system.admin.delete(tunedKind, "held", { namespace: tuningNamespace });
});

browserTest(
  "without a mouse: what was planned is written only while it is still what would happen, and then nodes get it",
  async () => {
    const { page } = await openPage(system.address("/"));
    await page.getByRole("grid", { name: "Nodes" }).waitFor();
    await press(page, "g", "p");
    const text = page.getByRole("textbox", { name: /^YAML/ });
    await tabTo(page, text);
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(writeYaml(tuned("swap-less", 12)))})`);
    await press(page, "Control+v");
    await tabTo(page, page.getByRole("button", { name: "Plan", exact: true }));
    await press(page, "Enter");
    await heading(page, "2 nodes change, none reboots").waitFor();
    await tabTo(page, page.getByRole("tab", { name: "Nodes 2" }));
    await press(page, "Enter");
    const nodes = page.getByRole("region", { name: "node-1, node-2" });
    expect(await nodes.getByRole("heading").innerText()).toBe("node-1, node-2: openshift-node → swap-less");
    expect(await nodes.getByRole("listitem").filter({ hasText: "vm.swappiness" }).innerText()).toContain("10 → 12");
    await looksRight(page, "plan");

    // Somebody else gives node-2 another profile.
    const other = tuned("other", 50, 10) as KubeObject & { spec: { recommend: object[] } };
    other.spec.recommend = [
      { match: [{ label: "kubernetes.io/hostname", value: "node-2" }], priority: 10, profile: "other" },
    ];
    await system.admin.create(tunedKind, other as never, { namespace: tuningNamespace });
    const apply = page.getByRole("button", { name: "Apply 1" });
    await tabTo(page, apply);
    await press(page, "Enter");
    await page.getByText("The cluster has changed since: nothing was written. This is the plan now.").waitFor();
    await heading(page, "1 node changes, none reboots").waitFor();
    const names = (await system.admin.list(tunedKind, { namespace: tuningNamespace })).items.map(
      ({ metadata }) => metadata.name,
    );
    expect(names).not.toContain("swap-less");

    await tabTo(page, apply);
    await press(page, "Enter");
    await heading(page, "1 object is applied").waitFor();
    await page.getByText("Tuned swap-less").first().waitFor();
    await expect.poll(swap).toMatchObject([{ text: "12\n" }, { text: "50\n" }]);
    const stored = await system.admin.get(tunedKind, "swap-less", { namespace: tuningNamespace });
    expect(stored.metadata.managedFields?.map(({ manager, operation }) => [manager, operation])).toContainEqual([
      "attune-console",
      "Apply",
    ]);
  },
);

/** The client of a cluster whose API server is gone when the second object is written, until the test says that it is back. */
function dying(admin: HttpClient): { readonly client: HttpClient; readonly back: () => void } {
  const nobody = new HttpClient({ ...admin.connection, cluster: { server: "https://127.0.0.1:1" } });
  let writes = 0;
  let isDown = false;
  const patch: HttpClient["patch"] = (of, name, change, options) => {
    isDown ||= options?.dryRun !== true && ++writes === 2;
    return (isDown ? nobody : admin).patch(of, name, change, options);
  };
  const client = new Proxy(admin, {
    get(target, name) {
      const value: unknown = name === "patch" ? patch : Reflect.get(isDown ? nobody : target, name);
      return typeof value === "function" ? (value.bind(isDown ? nobody : target) as unknown) : value;
    },
  });
  return { client, back: () => (isDown = false) };
}

browserTest("an API server that ends in the middle: what was applied is said, and a person can go on", async () => {
  const { client, back } = dying(system.admin);
  const console = await system.serve({ clusters: [{ name: "plain", client }] });
  const { page, expects } = await openPage(console.link().replace("/#", "/plan#"));
  const texts = ["first", "second", "third"].map((name) => writeYaml(tuned(name, 13, 90)));
  await page.getByRole("textbox", { name: /^YAML/ }).fill(texts.join("---\n"));
  await page.getByRole("button", { name: "Plan", exact: true }).click();
  await page.getByRole("button", { name: "Apply 3" }).click();
  await page.getByText("Applied: Tuned first").waitFor();
  await page.getByText("Not applied: Tuned second, Tuned third").waitFor();
  await page.getByText("1 of 3 objects applied. A new plan shows what is left to do.").waitFor();
  await looksRight(page, "plan-partly-applied");
  expects(/status of 502/);
  await page.getByRole("button", { name: "Plan again" }).click();
  await page.getByText("Could not plan this").waitFor();
  await page
    .getByText(/connection refused/)
    .first()
    .waitFor();
  back();
  await page.getByRole("button", { name: "Retry" }).first().click();
  await page.getByText("Tuned openshift-cluster-node-tuning-operator/first no change").waitFor();
  await page.getByRole("button", { name: "Apply 3" }).click();
  await heading(page, "3 objects are applied").waitFor();
});
