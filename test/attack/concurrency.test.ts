import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { definitionOf, openDefinition } from "./open-kind.ts";
import { expectUnharmed } from "./survival.ts";
import { startVictim, type Victim } from "./victim.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

let victim: Victim;

describe.each(["memory", "lmdb"] as const)("concurrent requests, stored in %s", (storage) => {
  beforeAll(async () => {
    victim = await startVictim({ storage });
  });
  afterEach(() => expectUnharmed(victim));
  afterAll(() => victim.close());

  it("fifty clients that count with retries lose no count", async () => {
    const { admin } = victim;
    await admin.post(configMaps, { metadata: { name: "counter" }, data: { n: "0" } });
    let conflicts = 0;
    await Promise.all(
      times(50, async () => {
        for (let done = 0; done < 2;) {
          const { json } = await admin.get(`${configMaps}/counter`);
          const next = { ...json, data: { n: String(Number(json.data.n) + 1) } };
          const { status } = await admin.put(`${configMaps}/counter`, next);
          expect([200, 409]).toContain(status);
          if (status === 200) done++;
          else conflicts++;
        }
      }),
    );
    expect((await admin.get(`${configMaps}/counter`)).json.data.n).toBe("100");
    expect(conflicts).toBeGreaterThan(0);
  });

  it("of two hundred creates of one name exactly one succeeds", async () => {
    const answers = await Promise.all(times(200, () => victim.admin.post(configMaps, { metadata: { name: "one" } })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(199);
  });

  it("of two hundred deletes of one object exactly one succeeds", async () => {
    const answers = await Promise.all(times(200, () => victim.admin.delete(`${configMaps}/one`)));
    expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
    expect(answers.map(({ status }) => status).filter((status) => status === 404)).toHaveLength(199);
  });

  it("twenty managers that each apply a field concurrently all own theirs", async () => {
    const { admin } = victim;
    const answers = await Promise.all(
      times(20, (i) =>
        admin.patch("apply", `${configMaps}/applied?fieldManager=m${i}`, {
          apiVersion: "v1",
          kind: "ConfigMap",
          data: { [`k${i}`]: String(i) },
        }),
      ),
    );
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual([...times(19, () => "200"), "201"]);
    const { json } = await admin.get(`${configMaps}/applied`);
    expect(json.data).toEqual(Object.fromEntries(times(20, (i) => [`k${i}`, String(i)])));
    expect(json.metadata.managedFields).toHaveLength(20);
  });

  it("patches without a version never conflict, and all are applied", async () => {
    const { admin } = victim;
    await admin.post(configMaps, { metadata: { name: "patched" }, data: {} });
    const answers = await Promise.all(
      times(100, (i) =>
        admin.patch(i % 2 ? "merge" : "strategic", `${configMaps}/patched`, { data: { [`k${i}`]: "x" } }),
      ),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(Object.keys((await admin.get(`${configMaps}/patched`)).json.data)).toHaveLength(100);
  });

  it("scale writes without a version never conflict", async () => {
    const { admin } = victim;
    const schema = {
      type: "object",
      properties: {
        spec: { type: "object", properties: { replicas: { type: "integer" } } },
        status: { type: "object", properties: { replicas: { type: "integer" } } },
      },
    };
    const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
    const defined = await admin.post(
      openDefinition.path,
      definitionOf("scaleds", schema, { subresources: { status: {}, scale } }),
    );
    expect(defined.status).toBe(201);
    const objects = "/apis/attack.io/v1/namespaces/default/scaleds";
    await admin.post(objects, {
      apiVersion: "attack.io/v1",
      kind: "Scaled",
      metadata: { name: "s" },
      spec: { replicas: 0 },
    });
    const answers = await Promise.all(
      times(40, (i) =>
        i % 2
          ? admin.put(`${objects}/s/scale`, {
              apiVersion: "autoscaling/v1",
              kind: "Scale",
              metadata: { name: "s", namespace: "default" },
              spec: { replicas: i },
            })
          : admin.patch("merge", `${objects}/s/scale`, { spec: { replicas: i } }),
      ),
    );
    expect(answers.map(({ status, text }) => (status === 200 ? 200 : text))).toEqual(times(40, () => 200));
  });

  it("deletes that race with updates leave either nothing or a complete new object", async () => {
    const { admin } = victim;
    for (let round = 0; round < 20; round++) {
      await admin.post(configMaps, { metadata: { name: "raced" }, data: { n: "0" } });
      const [deleted, ...others] = await Promise.all([
        admin.delete(`${configMaps}/raced`),
        ...times(5, (i) => admin.patch("merge", `${configMaps}/raced`, { data: { n: String(i) } })),
        admin.put(`${configMaps}/raced`, { metadata: { name: "raced" }, data: { n: "9" } }),
        admin.patch("apply", `${configMaps}/raced?fieldManager=m&force=true`, {
          apiVersion: "v1",
          kind: "ConfigMap",
          data: { m: "1" },
        }),
      ]);
      expect(deleted.status).toBe(200);
      for (const { status } of others) expect([200, 201, 404, 409]).toContain(status);
      const left = await admin.get(`${configMaps}/raced`);
      if (left.status === 200) await admin.delete(`${configMaps}/raced`);
      else expect(left.status).toBe(404);
    }
  });

  it("a watch gets every change once, in order", async () => {
    const { admin } = victim;
    const { json } = await admin.get(configMaps);
    const watched = admin.get(
      `${configMaps}?watch=true&resourceVersion=${json.metadata.resourceVersion}&labelSelector=w`,
      { until: (text) => text.split("\n").length > 300 },
    );
    const answers = await Promise.all(
      times(300, (i) => admin.post(configMaps, { metadata: { generateName: "w-", labels: { w: String(i) } } })),
    );
    const events = (await watched).text
      .trim()
      .split("\n")
      .map(
        (line) => JSON.parse(line) as { type: string; object: { metadata: { name: string; resourceVersion: string } } },
      );
    const versions = events.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    expect(events.map(({ type, object }) => `${type} ${object.metadata.name}`).toSorted()).toEqual(
      answers.map((answer) => `ADDED ${answer.json.metadata.name}`).toSorted(),
    );
  });

  it("namespaces deleted during writes are removed, empty", async () => {
    const { admin } = victim;
    await admin.post("/api/v1/namespaces", { metadata: { name: "doomed" } });
    const path = "/api/v1/namespaces/doomed/configmaps";
    const writing = Promise.all(times(60, () => admin.post(path, { metadata: { generateName: "x-" } })));
    await admin.delete("/api/v1/namespaces/doomed");
    for (const { status } of await writing) expect([201, 403, 404]).toContain(status);
    let status = 200;
    for (let i = 0; i < 200 && status !== 404; i++) ({ status } = await admin.get("/api/v1/namespaces/doomed"));
    expect(status).toBe(404);
    expect((await admin.get(path)).json.items).toEqual([]);
  });
});
