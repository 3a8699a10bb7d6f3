import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startVictim, type Victim } from "./victim.ts";

const path = "/api/v1/namespaces/default/configmaps";
const count = process.env.ATTUNE_LONG ? 10_000 : 3_000;
const limit = count / 20;

/** The ConfigMap that every namespace has. */
const defaultConfigMap = "kube-root-ca.crt";

let victim: Victim;
let names: string[];
beforeAll(async () => {
  victim = await startVictim();
  names = Array.from({ length: count }, (_, i) => `item-${String(i).padStart(6, "0")}`);
  for (let i = 0; i < count; i += 200)
    await Promise.all(
      names.slice(i, i + 200).map((name) => victim.admin.post(path, { metadata: { name }, data: { v: "0" } })),
    );
});
afterAll(() => victim.close());

interface Page {
  items: { metadata: { name: string; resourceVersion: string }; data: { v: string } }[];
  metadata: { continue?: string; resourceVersion: string; remainingItemCount?: number };
}

async function page(token: string, more = ""): Promise<Page> {
  const { status, text } = await victim.admin.get(
    `${path}?limit=${limit}${token ? `&continue=${encodeURIComponent(token)}` : ""}${more}`,
  );
  expect({ status, text: status === 200 ? "" : text }).toEqual({ status: 200, text: "" });
  return JSON.parse(text) as Page;
}

describe("a list read in pages during writes", () => {
  it("is the list at its first page: nothing twice, nothing missing, nothing newer", async () => {
    const items: Page["items"] = [];
    let [token, version] = ["", ""];
    let turn = 0;
    do {
      const { metadata, items: some } = await page(token);
      if (version) expect(metadata.resourceVersion).toBe(version);
      ({ resourceVersion: version } = metadata);
      items.push(...some.filter(({ metadata: { name } }) => name !== defaultConfigMap));
      token = metadata.continue ?? "";
      // Before, within and after the pages still to be read.
      await Promise.all([
        ...[0.1, 0.5, 0.9, 0.95].map((part) => {
          const name = names[Math.floor(part * count) + turn] as string;
          return victim.admin.put(`${path}/${name}`, { metadata: { name }, data: { v: "1" } });
        }),
        victim.admin.delete(`${path}/${names[count - 2 - turn]}`),
        victim.admin.post(path, { metadata: { name: `item-000010-${turn}` } }),
        victim.admin.post(path, { metadata: { name: `zzz-${turn}` } }),
      ]);
      turn++;
    } while (token !== "");
    expect(items.map(({ metadata }) => metadata.name)).toEqual(names);
    expect(items.every(({ data }) => data.v === "0")).toBe(true);
    for (const { metadata } of items) expect(Number(metadata.resourceVersion)).toBeLessThanOrEqual(Number(version));
  });

  it("with a selector has pages of matching objects", async () => {
    let token = "";
    let found = 0;
    do {
      const { items, metadata } = await page(token, "&fieldSelector=metadata.name%21%3Ditem-000003");
      expect(items.length).toBeGreaterThan(0);
      expect(items.some(({ metadata }) => metadata.name === "item-000003")).toBe(false);
      found += items.length;
      token = metadata.continue ?? "";
    } while (token !== "");
    const { items } = (await victim.admin.get(path)).json;
    expect(found).toBe(items.length - 1);
  });

  it("expires with 410 once history no longer holds its revision", async () => {
    const { metadata } = await page("");
    const churn = { metadata: { name: "churn" } };
    await victim.admin.post(path, churn);
    // History holds 64 MiB of objects.
    for (let i = 0; i < 70; i++)
      await victim.admin.put(`${path}/churn`, { ...churn, data: { v: String(i).padStart(1_000_000, "x") } });
    const { status, json } = await victim.admin.get(
      `${path}?limit=5&continue=${encodeURIComponent(metadata.continue ?? "")}`,
    );
    expect({ status, reason: json.reason }).toEqual({ status: 410, reason: "Expired" });
    const watch = await victim.admin.get(
      `${path}?watch=true&resourceVersion=${metadata.resourceVersion}&timeoutSeconds=1`,
    );
    expect(JSON.parse(watch.text.split("\n")[0] as string)).toMatchObject({ type: "ERROR", object: { code: 410 } });
    await victim.admin.delete(`${path}/churn`);
  });
});

describe("a watch with initial events", () => {
  it("sends each object once, then the bookmark", async () => {
    const query = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const { items, metadata } = JSON.parse((await victim.admin.get(path)).text) as Page;
    const lines = (
      await victim.admin.get(`${path}?${query}`, { until: (text) => text.includes("BOOKMARK") && text.endsWith("\n") })
    ).text
      .trim()
      .split("\n");
    const events = lines.map((line) => JSON.parse(line) as { type: string; object: Page["items"][number] });
    expect(events.slice(0, -1).map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual(
      items.map((item) => `ADDED ${item.metadata.name}`),
    );
    expect(events.at(-1)).toMatchObject({
      type: "BOOKMARK",
      object: {
        metadata: { resourceVersion: metadata.resourceVersion, annotations: { "k8s.io/initial-events-end": "true" } },
      },
    });
  });
});
