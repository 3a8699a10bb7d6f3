import { beforeEach, describe, expect, it } from "vitest";
import { generateName } from "../generate-name.ts";
import { SmallServer, type Body } from "../testing/small-server.ts";

/** The suffixes of the next generated names; random after these. */
const dice: string[] = [];
const nextName = (base: string): string => {
  const suffix = dice.shift();
  return suffix === undefined ? generateName(base) : base + suffix;
};

let server: SmallServer;

beforeEach(async () => {
  dice.length = 0;
  server = new SmallServer({ generateName: nextName });
  await server.createNamespaces("a");
});

const create = (metadata: Body["metadata"], query: Record<string, string> = {}) =>
  server.create("configmaps", { metadata: { namespace: "a", ...metadata } }, { query });

describe("a generated name", () => {
  it("is the prefix and five random characters", async () => {
    const { metadata } = await create({ generateName: "job-" });
    expect(metadata.name).toMatch(/^job-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(metadata.generateName).toBe("job-");
  });

  it("fits into a label, however long the prefix", async () => {
    const { metadata } = await create({ generateName: "x".repeat(100) });
    expect(metadata.name).toMatch(/^x{58}.{5}$/);
  });

  it("is replaced when it is taken", async () => {
    dice.push("bbbbb", "bbbbb", "bbbbb", "ccccc");
    await create({ generateName: "job-" });
    expect((await create({ generateName: "job-" })).metadata.name).toBe("job-ccccc");
  });

  it("is replaced when an uncommitted creation has it", async () => {
    dice.push("bbbbb", "bbbbb", "ccccc");
    const both = await Promise.all([create({ generateName: "job-" }), create({ generateName: "job-" })]);
    expect(both.map(({ metadata }) => metadata.name)).toEqual(["job-bbbbb", "job-ccccc"]);
  });

  it("is given up after eight attempts, and the client may retry", async () => {
    dice.push(...Array.from({ length: 9 }, () => "bbbbb"));
    await create({ generateName: "job-" });
    await expect(create({ generateName: "job-" })).rejects.toMatchObject({
      code: 409,
      reason: "AlreadyExists",
      message: expect.stringMatching(/"job-bbbbb" already exists, the server was not able to generate a unique name/),
      details: { retryAfterSeconds: 1 },
    });
  });

  it("is not used if a name is given", async () => {
    expect((await create({ name: "mine", generateName: "job-" })).metadata.name).toBe("mine");
    await expect(create({ name: "mine", generateName: "job-" })).rejects.toMatchObject({ reason: "AlreadyExists" });
  });
});

describe("a new object", () => {
  it("gets the server's fields, whatever the client sends", async () => {
    const { metadata } = await create({
      name: "m",
      uid: "mine",
      generation: 7,
      creationTimestamp: "1999-01-01T00:00:00Z",
      deletionTimestamp: "1999-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 5,
    });
    expect(metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(metadata).toMatchObject({ creationTimestamp: "2026-01-01T00:00:00Z", resourceVersion: "2" });
    expect(Object.keys(metadata).toSorted()).toEqual([
      "creationTimestamp",
      "name",
      "namespace",
      "resourceVersion",
      "uid",
    ]);
  });

  it("is stored once when two requests create it", async () => {
    const outcomes = await Promise.allSettled([create({ name: "m" }), create({ name: "m" })]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(server.store.revision).toBe(2);
  });

  it("is validated and returned by a dry run, but not stored", async () => {
    const { metadata } = await create({ generateName: "job-" }, { dryRun: "All" });
    expect(metadata).toMatchObject({ name: expect.stringMatching(/^job-/), uid: expect.any(String) });
    expect(metadata.resourceVersion).toBeUndefined();
    expect(server.store.revision).toBe(1);
    await create({ name: "m" });
    await expect(create({ name: "m" }, { dryRun: "All" })).rejects.toMatchObject({ reason: "AlreadyExists" });
  });

  const refused: [string, Body["metadata"], number][] = [
    ["without a name", {}, 422],
    ["with a name that is none", { name: "No/Name" }, 422],
    ["with a version", { name: "m", resourceVersion: "1" }, 500],
    ["in a namespace that is not there", { name: "m", namespace: "nowhere" }, 404],
  ];
  it.each(refused)("is refused %s", async (_, metadata, code) => {
    await expect(create(metadata)).rejects.toMatchObject({ code });
    expect(server.store.revision).toBe(1);
  });

  it("is refused in another namespace than that of the URL", async () => {
    const body = { metadata: { name: "m", namespace: "b" } };
    await expect(server.create("configmaps", body, { namespace: "a" })).rejects.toMatchObject({ code: 400 });
  });

  it("is refused in a namespace whose deletion is not yet committed", async () => {
    const deleting = server.delete("namespaces", { name: "a" });
    await expect(create({ name: "m" })).rejects.toMatchObject({
      code: 403,
      details: { causes: [{ reason: "NamespaceTerminating" }] },
    });
    await deleting;
  });

  it("is accepted in a namespace whose creation is not yet committed", async () => {
    const [, made] = await Promise.all([
      server.createNamespaces("b"),
      server.create("configmaps", { metadata: { name: "m", namespace: "b" } }),
    ]);
    expect(made.metadata.namespace).toBe("b");
  });
});

describe("fields that a kind does not have", () => {
  const body = { metadata: { name: "m", namespace: "a" }, colour: "red" };
  const send = (fieldValidation: string) => server.create("configmaps", body, { query: { fieldValidation } });

  it("are refused when the client is strict", async () => {
    await expect(send("Strict")).rejects.toMatchObject({ code: 400, message: expect.stringContaining('"colour"') });
  });

  it.each([
    ["Warn", ['unknown field "colour"']],
    ["Ignore", []],
  ])("are dropped with %s", async (fieldValidation, warnings) => {
    expect(await send(fieldValidation)).not.toHaveProperty("colour");
    expect(server.warnings).toEqual(warnings);
  });
});
