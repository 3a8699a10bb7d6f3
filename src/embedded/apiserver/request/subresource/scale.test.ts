import { beforeEach, describe, expect, it } from "vitest";
import type { KubeObject } from "../../../../language/object/meta.ts";
import type { Subresource } from "../../resource.ts";
import { SmallServer } from "../../testing/small-server.ts";
import { widgetDefinition } from "../../testing/widget-definition.ts";
import type { Answer } from "../context.ts";
import { readScale, writeScale } from "./scale.ts";

let server: SmallServer;
const one = { namespace: "a", name: "one", subresource: "scale" };

beforeEach(async () => {
  server = new SmallServer();
  await server.createNamespaces("a");
  server.startHousekeeping();
  const scale = { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" };
  await server.create("customresourcedefinitions", widgetDefinition({ subresources: { status: {}, scale } }));
  await server.create("widgets", { metadata: { namespace: "a", name: "one" }, spec: { size: 3 } });
});

const part = () => server.resource("widgets").subresources.scale as Extract<Subresource, { type: "scale" }>;
const objectIn = (answer: Answer): KubeObject => (answer as { object: KubeObject }).object;
const read = async (): Promise<KubeObject> => objectIn(await readScale(server.context("widgets", one), part()));
async function write(
  verb: "update" | "patch",
  body: object,
  type = "application/json",
  query = {},
): Promise<KubeObject> {
  const context = server.context("widgets", { ...one, query });
  return objectIn(
    await writeScale(context, part(), { verb, body: Buffer.from(JSON.stringify(body)), contentType: type }),
  );
}
const size = () => (server.get("widgets", { namespace: "a", name: "one" }).spec as { size: number }).size;

describe("the scale of an object", () => {
  it("is read from the paths of its definition", async () => {
    const status = { namespace: "a", name: "one", subresource: "status" };
    await server.patch("widgets", status, { status: { size: 2 } });
    expect(await read()).toMatchObject({ kind: "Scale", spec: { replicas: 3 }, status: { replicas: 2 } });
  });

  const writes: [string, "update" | "patch", string, object][] = [
    ["a PUT", "update", "application/json", { spec: { replicas: 5 } }],
    ["a merge patch", "patch", "application/merge-patch+json", { spec: { replicas: 5 } }],
    ["a strategic merge patch", "patch", "application/strategic-merge-patch+json", { spec: { replicas: 5 } }],
    ["a JSON patch", "patch", "application/json-patch+json", [{ op: "replace", path: "/spec/replicas", value: 5 }]],
  ];
  it.each(writes)("is set by %s, which is a change of the object", async (_, verb, type, body) => {
    expect(await write(verb, body, type)).toMatchObject({ kind: "Scale", spec: { replicas: 5 } });
    const { spec, metadata } = server.get("widgets", { namespace: "a", name: "one" });
    expect([spec, metadata.generation]).toEqual([{ size: 5 }, 2]);
  });

  it("can be applied: the manager owns the replicas, and another one conflicts", async () => {
    const scaleOf = (replicas: number) => ({ apiVersion: "autoscaling/v1", kind: "Scale", spec: { replicas } });
    const apply = (replicas: number, query: object) =>
      write("patch", scaleOf(replicas), "application/apply-patch+yaml", query);
    // The client that created the object owns its size.
    await expect(apply(5, { fieldManager: "scaler" })).rejects.toMatchObject({ code: 409 });
    expect(await apply(5, { fieldManager: "scaler", force: "true" })).toMatchObject({ spec: { replicas: 5 } });
    expect(size()).toBe(5);
    const { managedFields = [] } = server.get("widgets", { namespace: "a", name: "one" }).metadata;
    expect(managedFields.find(({ manager }) => manager === "scaler")).toMatchObject({
      operation: "Apply",
      subresource: "scale",
      fieldsV1: { "f:spec": { "f:size": {} } },
    });
    await expect(apply(7, { fieldManager: "other" })).rejects.toMatchObject({
      code: 409,
      message: expect.stringContaining('conflict with "scaler"') as string,
    });
    expect(await apply(5, { fieldManager: "other" })).toMatchObject({ spec: { replicas: 5 } });
    await expect(apply(1, {})).rejects.toMatchObject({ code: 422 });
    const broken = { ...scaleOf(1), spec: { replicas: 1, more: true } };
    await expect(
      write("patch", broken, "application/apply-patch+yaml", { fieldManager: "scaler" }),
    ).rejects.toMatchObject({ message: expect.stringContaining(".spec.more: field not declared in schema") as string });
  });

  it("has a managedFields entry for the scale, without time", async () => {
    await write("update", { spec: { replicas: 5 } }, undefined, { fieldManager: "scaler" });
    const { managedFields = [] } = server.get("widgets", { namespace: "a", name: "one" }).metadata;
    const entry = managedFields.find(({ manager }) => manager === "scaler");
    expect(entry).toMatchObject({ subresource: "scale", fieldsV1: { "f:spec": { "f:size": {} } } });
    expect(entry).not.toHaveProperty("time");
  });

  it("leaves no trace of a dry run", async () => {
    expect(await write("update", { spec: { replicas: 5 } }, undefined, { dryRun: "All" })).toMatchObject({
      spec: { replicas: 5 },
    });
    expect(size()).toBe(3);
  });

  const refused: [string, "update" | "patch", string, object, number][] = [
    ["a version that is not the newest", "update", "application/json", { metadata: { resourceVersion: "1" } }, 409],
    ["fewer than none", "update", "application/json", { spec: { replicas: -1 } }, 422],
    ["a number of another type", "update", "application/json", { spec: { replicas: "many" } }, 422],
    ["a spec that is none", "update", "application/json", { spec: 7 }, 400],
    ["a patch of another type", "patch", "text/plain", {}, 415],
    ["a patch that is none", "patch", "application/json-patch+json", { op: "replace" }, 400],
  ];
  it.each(refused)("is not set by %s", async (_, verb, type, body, code) => {
    await expect(write(verb, body, type)).rejects.toMatchObject({ code });
    expect(size()).toBe(3);
  });

  it("of a missing object is not found", async () => {
    await server.delete("widgets", { namespace: "a", name: "one" });
    await expect(read()).rejects.toThrow(expect.objectContaining({ code: 404 }));
    await expect(write("update", { spec: { replicas: 1 } })).rejects.toMatchObject({ code: 404 });
  });
});

describe("the scale of a built-in kind", () => {
  const target = { namespace: "a", name: "d", subresource: "scale" };
  const scale = () => server.resource("deployments").subresources.scale as Extract<Subresource, { type: "scale" }>;
  const set = (replicas: unknown) =>
    writeScale(server.context("deployments", target), scale(), {
      verb: "update",
      body: Buffer.from(JSON.stringify({ spec: { replicas } })),
      contentType: "application/json",
    });

  beforeEach(async () => {
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
    await server.create("deployments", {
      metadata: { namespace: "a", name: "d" },
      spec: { selector: { matchLabels: { a: "b" } }, template },
    });
  });

  it("has the selector as text, and sets replicas", async () => {
    expect(objectIn(await readScale(server.context("deployments", target), scale()))).toMatchObject({
      spec: { replicas: 1 },
      status: { replicas: 0, selector: "a=b" },
    });
    expect(objectIn(await set(4))).toMatchObject({ spec: { replicas: 4 } });
    expect(server.get("deployments", { namespace: "a", name: "d" }).spec).toMatchObject({ replicas: 4 });
  });

  it("is refused as a Scale", async () => {
    await expect(set(-1)).rejects.toMatchObject({
      code: 422,
      message: 'Scale.autoscaling "d" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    });
    await expect(set("many")).rejects.toMatchObject({ code: 400 });
  });
});
