import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { machineConfigPoolKind } from "../../src/domain/machine-config/api.ts";
import { tunedKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import type { RunningConsole } from "../../src/program/console/console-server.ts";
import { accessibilityFindings } from "./harness/accessible.ts";
import { browserTest, openPage } from "./harness/browser-test.ts";
import { press, tabTo } from "./harness/keyboard.ts";
import { looksRight } from "./harness/looks-right.ts";
import { type ObjectCluster, startObjectCluster, viewerRole } from "./harness/object-cluster.ts";

let cluster: ObjectCluster;
let console: RunningConsole;

beforeAll(async () => {
  cluster = await startObjectCluster();
  await cluster.addNodes(3);
  // As in a cluster: each user signs in with a token, and the console has no rights.
  const nobody = cluster.clientOf("none");
  console = await cluster.serve({ signIn: "token", clusters: [{ name: "objects", client: nobody }] });
});
afterAll(() => cluster?.stop());

const views = ["/", "/rollout", "/design", "/plan", "/partitioning", "/nodes/n-1"] as const;
type Seen = Readonly<Record<(typeof views)[number], string | RegExp>>;

const readers: Seen = {
  "/": "All 3 nodes are as wanted",
  "/rollout": "The pool is updated: 3 nodes",
  "/design": /worker-latency: hardware unknown, 3 nodes/,
  "/plan": "Nothing is planned yet",
  "/partitioning": "This cluster is not partitioned",
  "/nodes/n-1": /n-1: /,
};

const users: readonly { name: string; role?: string; namespace?: string; sees: Seen; mayWrite: boolean }[] = [
  { name: "admin", role: "cluster-admin", sees: readers, mayWrite: true },
  { name: "viewer", role: viewerRole, sees: readers, mayWrite: false },
  {
    name: "one-namespace",
    role: viewerRole,
    namespace: tuningNamespace,
    mayWrite: false,
    sees: {
      "/": "You may not see the nodes of this cluster",
      "/rollout": "You may not see the rollouts of this cluster",
      "/design": "You may not see the nodes of this cluster",
      "/plan": "Nothing is planned yet",
      "/partitioning": "You may not see the pods of this cluster",
      "/nodes/n-1": "You may not see this node",
    },
  },
  {
    name: "nobody",
    mayWrite: false,
    sees: {
      "/": "You may not see the nodes of this cluster",
      "/rollout": "You may not see the rollouts of this cluster",
      "/design": "You may not see the nodes of this cluster",
      "/plan": "Nothing is planned yet",
      "/partitioning": "You may not see the pods of this cluster",
      "/nodes/n-1": "You may not see this node",
    },
  },
];

async function signIn(page: Page, token: string): Promise<void> {
  await tabTo(page, page.getByLabel("Token"));
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(token)})`);
  await press(page, "Control+v", "Enter");
  await page.getByRole("navigation", { name: "Views" }).waitFor();
}

/** What the page would send if its buttons were not disabled. */
function forced(page: Page, name: string, body: object): Promise<{ status: number; error?: string; type?: string }> {
  return page.evaluate(`fetch("/api/${name}", {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: "Bearer " + sessionStorage.getItem("attune-session") },
    body: ${JSON.stringify(JSON.stringify(body))},
  }).then(async (response) => ({ status: response.status, ...(await response.json()) }))`);
}

const tuned = `apiVersion: ${tunedKind.apiVersion}
kind: Tuned
metadata: { name: forced, namespace: ${tuningNamespace} }
spec:
  profile: [{ name: forced, data: "[main]\\nsummary=x\\n" }]
  recommend: [{ profile: forced, priority: 20 }]
`;

browserTest.each(users)("$name sees in each view what the rights of that token admit", async (user) => {
  const { name, role, namespace, sees, mayWrite } = user;
  const token = await cluster.tokenOf(name, role, namespace);
  const { page, expects } = await openPage(`${console.url}/`);
  await signIn(page, token);
  for (const view of views) {
    await page.evaluate(`history.pushState(null, "", ${JSON.stringify(view)})`);
    await page.getByText(sees[view]).first().waitFor();
    expect(await accessibilityFindings(page), `${name} ${view}`).toEqual([]);
  }
  if (name === "nobody") {
    await page.evaluate(`history.pushState(null, "", "/")`);
    // The missing rule, and the command with which the API server says so.
    await page.getByText("list nodes", { exact: true }).waitFor();
    await page.getByText("kubectl auth can-i list nodes").waitFor();
    await looksRight(page, "forbidden");
  }

  const paused = { kind: "MachineConfigPool", name: "worker", paused: true };
  if (mayWrite) {
    expect(await forced(page, "pause", paused)).toEqual({ status: 200, paused: true });
    await cluster.admin.patch(machineConfigPoolKind, "worker", { type: "merge", patch: { spec: { paused: false } } });
    return;
  }
  // The button says which right is missing; without the button, the API server refuses.
  if (role !== undefined && namespace === undefined) {
    await page.evaluate(`history.pushState(null, "", "/rollout")`);
    const pause = page.getByRole("button", { name: "Pause worker" });
    expect(await pause.getAttribute("aria-disabled")).toBe("true");
    await tabTo(page, pause);
    await page.getByText("You may not patch machineconfigpools.machineconfiguration.openshift.io").waitFor();
  }
  expects(/status of 403/);
  expect(await forced(page, "pause", paused)).toMatchObject({
    status: 403,
    error: expect.stringContaining(`"system:serviceaccount:default:${name}" cannot patch resource`) as string,
  });
  const planned = await forced(page, "plan", { files: [{ name: "t", text: tuned }] });
  expect(JSON.stringify(planned)).toMatch(/cannot (patch|list|get) resource/);
  expect((await cluster.admin.get(machineConfigPoolKind, "worker")).spec?.paused).not.toBe(true);
});

browserTest("a token that the cluster does not know, or no longer, signs nobody in", async () => {
  const { page } = await openPage(`${console.url}/plan`);
  await page.getByLabel("Token").fill("eyJhbGciOiJub25lIn0.e30.");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("the cluster does not accept this token").waitFor();
  await looksRight(page, "sign-in");
});

browserTest("one user's stream and topics are not another's", async () => {
  const [first, second] = await Promise.all([cluster.tokenOf("first", viewerRole), cluster.tokenOf("second")]);
  const one = await openPage(`${console.url}/`);
  await signIn(one.page, first);
  await one.page.getByText("All 3 nodes are as wanted").waitFor();
  const other = await openPage(`${console.url}/`);
  await signIn(other.page, second);
  await other.page.getByText("You may not see the nodes of this cluster").waitFor();
  expect(await other.page.getByText("n-1").count()).toBe(0);
});
