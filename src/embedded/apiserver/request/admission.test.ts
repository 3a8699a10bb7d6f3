import { beforeEach, describe, expect, it } from "vitest";
import type { Attributes } from "../admission/admission.ts";
import { SmallServer, type Target } from "../testing/small-server.ts";
import { patch } from "./patch.ts";
import { writeScale } from "./subresource/scale.ts";

const map: Target = { namespace: "a", name: "m" };
const metadata = { namespace: "a", name: "m" };

/** What happens while admission waits. Each runs once, so that the retry succeeds. */
let meanwhile: (() => Promise<unknown>)[];
let asked: Attributes[];
let phase: "admit" | "validate";
let server: SmallServer;

async function wait(attributes: Attributes): Promise<void> {
  const { options, object } = attributes;
  asked.push({ ...attributes, options, object: structuredClone(object) });
  await meanwhile.shift()?.();
}

const isAbout = ({ user }: Attributes): boolean => user.name === "waits";
const waiting: Pick<Target, "user"> = { user: { name: "waits", groups: ["system:masters"] } };

beforeEach(async () => {
  meanwhile = [];
  asked = [];
  phase = "admit";
  server = new SmallServer({
    admission: [
      {
        name: "Waits",
        handles: isAbout,
        mayWait: () => true,
        admit: (attributes) => (phase === "admit" ? wait(attributes) : undefined),
        validate: (attributes) => (phase === "validate" ? wait(attributes) : undefined),
      },
    ],
  });
  await server.createNamespacesForPods("a");
  await server.create("configmaps", { metadata, data: { k: "v" } });
});

const label = (labels: Record<string, string>) => () => server.patch("configmaps", map, { metadata: { labels } });
const remove = () => server.delete("configmaps", map);

describe.each(["admit", "validate"] as const)("while a write waits for plug-ins that %s", (when) => {
  beforeEach(() => {
    phase = when;
  });

  it("another write changes the object: a patch is applied again on the newer version", async () => {
    meanwhile = [label({ by: "one" }), label({ and: "another" })];
    const { metadata: after, data } = await server.patch("configmaps", { ...map, ...waiting }, { data: { p: "q" } });
    expect([after.labels, data]).toEqual([
      { by: "one", and: "another" },
      { k: "v", p: "q" },
    ]);
    expect(asked.map(({ old }) => old?.metadata.labels)).toEqual([
      undefined,
      { by: "one" },
      { by: "one", and: "another" },
    ]);
  });

  it("another write changes the object: a PUT without resourceVersion replaces the newer version", async () => {
    meanwhile = [label({ by: "one" })];
    const sent = { metadata: { ...metadata, labels: { x: "y" } }, data: { p: "q" } };
    const { metadata: after, data } = await server.update("configmaps", sent, waiting);
    expect([after.labels, data, asked.length]).toEqual([{ x: "y" }, { p: "q" }, 2]);
  });

  it("another write changes the object: a PUT with resourceVersion is refused", async () => {
    meanwhile = [label({ by: "one" })];
    const { resourceVersion } = server.get("configmaps", map).metadata;
    await expect(
      server.update("configmaps", { metadata: { ...metadata, resourceVersion } }, waiting),
    ).rejects.toMatchObject({ code: 409, reason: "Conflict" });
  });

  it("another write changes the object: a dry run is based on the newer version", async () => {
    meanwhile = [label({ by: "one" })];
    const target = { ...map, ...waiting, query: { dryRun: "All" } };
    const { metadata: after } = await server.patch("configmaps", target, { data: { p: "q" } });
    expect(after.labels).toEqual({ by: "one" });
    expect(server.get("configmaps", map).data).toEqual({ k: "v" });
  });

  it("another request deletes the object", async () => {
    meanwhile = [remove];
    await expect(server.patch("configmaps", { ...map, ...waiting }, { data: {} })).rejects.toMatchObject({ code: 404 });
  });

  it("another request creates the object", async () => {
    await remove();
    meanwhile = [() => server.create("configmaps", { metadata })];
    await expect(server.create("configmaps", { metadata }, waiting)).rejects.toMatchObject({
      code: 409,
      reason: "AlreadyExists",
    });
  });

  it("another request creates the object that a PUT would have created: it is updated", async () => {
    const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
    meanwhile = [() => server.create("roles", { metadata })];
    await server.update("roles", { metadata, rules }, waiting);
    expect(asked.map(({ operation }) => operation)).toEqual(["CREATE", "UPDATE"]);
    expect(server.get("roles", map).rules).toEqual(rules);
  });

  it.each([
    ["begins to go", 403],
    ["has gone", 404],
  ])("the namespace %s: nothing new comes into it", async (what, code) => {
    meanwhile = [
      async () => {
        await server.delete("namespaces", { name: "a" });
        const gone = server.store.head("namespaces", "a");
        if (what === "has gone" && gone)
          await server.store.remove("namespaces", "a", gone, () => ({ bytes: gone.bytes, labels: undefined }));
      },
    ];
    await expect(
      server.create("configmaps", { metadata: { namespace: "a", name: "new" } }, waiting),
    ).rejects.toMatchObject({ code });
    expect(server.exists("configmaps", { namespace: "a", name: "new" })).toBe(false);
  });

  it("another write changes the object to delete: the newer version is deleted if its preconditions hold", async () => {
    meanwhile = [label({ by: "one" })];
    await server.delete("configmaps", { ...map, ...waiting });
    expect(server.exists("configmaps", map)).toBe(false);
    expect(asked.map(({ old }) => old?.metadata.labels)).toEqual([undefined, { by: "one" }]);
  });

  it("another write changes an object that may be deleted in one version only", async () => {
    const { resourceVersion = "" } = server.get("configmaps", map).metadata;
    meanwhile = [label({ by: "one" })];
    const options = { preconditions: { resourceVersion } };
    await expect(server.delete("configmaps", { ...map, ...waiting }, options)).rejects.toMatchObject({ code: 409 });
  });

  it("other writes always overtake: it ends at the deadline", async () => {
    let turn = 0;
    const context = { ...server.context("configmaps", { ...map, ...waiting }), deadline: server.clock.now() + 3000 };
    meanwhile = Array.from({ length: 10 }, () => async () => {
      await label({ turn: String(turn++) })();
      await server.clock.advance(1000);
    });
    await expect(patch(context, "{}", "application/merge-patch+json")).rejects.toMatchObject({
      code: 504,
      reason: "Timeout",
    });
    expect(turn).toBe(3);
  });

  it("the client closes the connection: nothing is written", async () => {
    let isGone = false;
    meanwhile = [
      async () => {
        isGone = true;
      },
    ];
    const context = { ...server.context("configmaps", { ...map, ...waiting }), isGone: () => isGone };
    const body = JSON.stringify({ data: { p: "q" } });
    await expect(patch(context, body, "application/merge-patch+json")).rejects.toThrow("the client went away");
    expect(server.get("configmaps", map).data).toEqual({ k: "v" });
  });

  it("it sends each warning once, however often it is retried", async () => {
    meanwhile = [label({ by: "one" })];
    const context = server.context("configmaps", { ...map, ...waiting });
    await patch(context, JSON.stringify({ unknown: 1 }), "application/merge-patch+json");
    expect([context.warnings, asked.length]).toEqual([['unknown field "unknown"'], 2]);
  });
});

describe("what admission sees", () => {
  const { user } = waiting;

  it("of a new object: without the server's fields, then as it will be stored", async () => {
    await server.create("configmaps", { metadata: { namespace: "a", generateName: "g-" } }, waiting);
    phase = "validate";
    await server.create("configmaps", { metadata: { namespace: "a", generateName: "g-" } }, waiting);
    const [before, after] = asked as [Attributes, Attributes];
    expect(before).toMatchObject({ operation: "CREATE", name: "", old: undefined, subresource: "", user });
    expect([before.object?.metadata.uid, before.object?.metadata.creationTimestamp]).toEqual([undefined, undefined]);
    expect(after.name).toBe(after.object?.metadata.name);
    expect(after.object?.metadata).toMatchObject({ uid: expect.any(String), creationTimestamp: expect.any(String) });
  });

  it("of an applied object that does not exist", async () => {
    const context = server.context("configmaps", { namespace: "a", name: "n", query: { fieldManager: "f" }, user });
    const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "n" } });
    await patch(context, body, "application/apply-patch+yaml");
    const options = { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1", fieldManager: "f" };
    expect(asked).toMatchObject([{ operation: "CREATE", name: "n", options, dryRun: false }]);
  });

  it("of a status", async () => {
    await server.create("pods", { metadata, spec: { containers: [{ name: "c", image: "i" }] } });
    const status = { ...map, subresource: "status", user, query: { dryRun: "All", fieldValidation: "Strict" } };
    await server.patch("pods", status, { status: { phase: "Running" } });
    const options = { kind: "UpdateOptions", apiVersion: "meta.k8s.io/v1", dryRun: ["All"], fieldValidation: "Strict" };
    expect(asked).toMatchObject([{ operation: "UPDATE", subresource: "status", dryRun: true, options }]);
  });

  it("of a deletion: the object and the options", async () => {
    const container = { name: "c", image: "i" };
    await server.create("pods", { metadata, spec: { containers: [container], nodeName: "n" } });
    await server.delete("pods", { ...map, user }, { propagationPolicy: "Orphan" });
    // Already being deleted, and the grace period is not shortened.
    await server.delete("pods", { ...map, user });
    expect(asked).toMatchObject([
      {
        operation: "DELETE",
        object: undefined,
        old: { metadata: { name: "m" } },
        options: { kind: "DeleteOptions", propagationPolicy: "Orphan", gracePeriodSeconds: 30 },
      },
    ]);
  });

  it("of deletecollection: each object in turn, without a name", async () => {
    await server.create("configmaps", { metadata: { namespace: "a", name: "n" } });
    await server.deleteCollection("configmaps", { namespace: "a", user });
    expect(asked.map(({ name, old }) => [name, old?.metadata.name])).toEqual([
      ["", "m"],
      ["", "n"],
    ]);
  });

  it("of a namespace: its own name as namespace", async () => {
    await server.create("namespaces", { metadata: { name: "b" } }, waiting);
    expect(asked).toMatchObject([{ namespace: "b", name: "b" }]);
  });

  it("of a scale: the Scale, and the object is updated", async () => {
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
    const spec = { selector: { matchLabels: { a: "b" } }, template };
    await server.create("deployments", { metadata, spec });
    const part = server.resource("deployments").subresources["scale"];
    if (part?.type !== "scale") throw new Error("deployments have a scale");
    const scale = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "m" }, spec: { replicas: 3 } };
    for (phase of ["admit", "validate"] as const) {
      const context = server.context("deployments", { ...map, subresource: "scale", user });
      await writeScale(context, part, {
        verb: "update",
        body: Buffer.from(JSON.stringify(scale)),
        contentType: "application/json",
      });
    }
    expect(asked).toMatchObject([
      { kind: { kind: "Scale" }, object: { spec: { replicas: 3 } }, old: { kind: "Scale", spec: { replicas: 1 } } },
      { kind: { kind: "Scale" }, object: { kind: "Scale", spec: { replicas: 3 } } },
    ]);
    expect(server.get("deployments", map)).toMatchObject({ spec: { replicas: 3 } });
  });
});

it("a thousand waiting writes run concurrently, and none is lost", async () => {
  const creates = Array.from({ length: 1000 }, () =>
    server.create("configmaps", { metadata: { namespace: "a", generateName: "g-" } }, waiting),
  );
  const patches = Array.from({ length: 20 }, (_, i) =>
    server.patch("configmaps", { ...map, ...waiting }, { data: { [`k${i}`]: "v" } }),
  );
  await Promise.all([...creates, ...patches]);
  expect(server.list("configmaps", { namespace: "a" }).names).toHaveLength(1001);
  expect(Object.keys(server.get("configmaps", map).data as object)).toHaveLength(21);
});
