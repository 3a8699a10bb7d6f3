import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { browserTest, openPage } from "./harness/browser-test.ts";
import { type ObjectCluster, startObjectCluster } from "./harness/object-cluster.ts";

let cluster: ObjectCluster;
beforeAll(async () => {
  cluster = await startObjectCluster();
  await cluster.addNodes(3);
});
afterAll(() => cluster?.stop());

/** As long as a token of a cluster. */
const text = "eyJhbGciOiJSUzI1NiIsImtpZCI6Ik.".repeat(33);

/** Keys that wait for no answer of the page, as of a scanner or a password manager that types. */
async function typeFast(page: Page, field: Locator): Promise<void> {
  await field.focus();
  const session = await page.context().newCDPSession(page);
  await Promise.all([...text].map((key) => session.send("Input.dispatchKeyEvent", { type: "char", text: key })));
}

browserTest("a token that is typed faster than the page draws arrives whole", async () => {
  const nobody = cluster.clientOf("none");
  const console = await cluster.serve({ signIn: "token", clusters: [{ name: "objects", client: nobody }] });
  const { page } = await openPage(console.url);
  const field = page.getByLabel("Token");
  await typeFast(page, field);
  await expect.poll(() => field.inputValue()).toBe(text);
});

browserTest.each([
  ["the filter of the fleet", "/", "Filter by name"],
  ["the search", "/rollout", "Search nodes"],
  ["the filter of settings", "/nodes/n-1", "Filter settings"],
  ["the name of a profile", "/design", "Name of the profile"],
  ["a set of CPUs", "/design", "Isolated"],
  ["what is to be planned", "/plan", /^YAML/],
])("what is typed into %s faster than the page draws arrives whole", async (_, path, name) => {
  const console = await cluster.serve();
  const { page } = await openPage(console.link().replace("/#", `${path}#`));
  const field = page.getByRole("main").getByLabel(name).or(page.getByLabel(name)).first();
  await field.waitFor();
  await field.fill("");
  await typeFast(page, field);
  await expect.poll(() => field.inputValue(), { timeout: 10_000 }).toBe(text);
});
