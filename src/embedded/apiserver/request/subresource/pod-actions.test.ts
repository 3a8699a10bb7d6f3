import { beforeEach, describe, expect, it } from "vitest";
import { SmallServer } from "../../testing/small-server.ts";
import { podBinding } from "./pod-binding.ts";
import { podEviction } from "./pod-eviction.ts";

let server: SmallServer;
const user = { name: "admin", groups: [] };
const one = { namespace: "a", name: "one" };

beforeEach(async () => {
  server = new SmallServer();
  await server.createNamespacesForPods("a");
  await server.create("pods", {
    metadata: { ...one, labels: { app: "x" } },
    spec: { containers: [{ name: "c", image: "i" }] },
  });
});

const bind = (target: object, metadata: object = {}, dryRun = false) =>
  podBinding(() => server.services).perform(
    { apiVersion: "v1", kind: "Binding", metadata, target },
    {
      user,
      ...one,
      dryRun,
    },
  );
const evict = (more: object = {}, dryRun = false) =>
  podEviction(() => server.services).perform(
    { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "one" }, ...more },
    { user, ...one, dryRun },
  );

describe("binding a pod", () => {
  it("assigns it to its node, once", async () => {
    expect(await bind({ kind: "Node", name: "n" }, { annotations: { x: "y" } })).toMatchObject({ status: "Success" });
    expect(server.get("pods", one)).toMatchObject({
      metadata: { annotations: { x: "y" }, generation: 1 },
      spec: { nodeName: "n" },
      status: { conditions: [{ type: "PodScheduled", status: "True" }] },
    });
    await expect(bind({ name: "m" })).rejects.toMatchObject({
      code: 409,
      message: 'Operation cannot be fulfilled on pods/binding "one": pod one is already assigned to node "n"',
    });
  });

  it.each([
    ["another pod's name", { name: "n" }, { name: "two" }, 400],
    ["no node", {}, {}, 500],
    ["what is no node", { kind: "Pod", name: "n" }, {}, 500],
    ["another uid", { name: "n" }, { uid: "other" }, 409],
  ])("is refused with %s", async (_, target, metadata, code) => {
    await expect(bind(target, metadata)).rejects.toMatchObject({ code });
    expect(server.get("pods", one).spec).not.toHaveProperty("nodeName");
  });

  it("leaves no trace of a dry run", async () => {
    await bind({ name: "n" }, {}, true);
    expect(server.get("pods", one).spec).not.toHaveProperty("nodeName");
  });
});

describe("evicting a pod", () => {
  const budget = { namespace: "a", name: "b" };
  const status = { ...budget, subresource: "status" };

  async function withBudget(counts: object): Promise<void> {
    const ready = [{ type: "Ready", status: "True" }];
    await server.patch("pods", { ...one, subresource: "status" }, { status: { phase: "Running", conditions: ready } });
    await server.create("poddisruptionbudgets", {
      metadata: budget,
      spec: { minAvailable: 1, selector: { matchLabels: { app: "x" } } },
    });
    await server.patch("poddisruptionbudgets", status, { status: counts });
  }
  const allowed = {
    observedGeneration: 1,
    disruptionsAllowed: 1,
    currentHealthy: 2,
    desiredHealthy: 1,
    expectedPods: 2,
  };

  it("deletes it if no budget matches", async () => {
    expect(await evict()).toMatchObject({ status: "Success" });
    expect(server.exists("pods", one)).toBe(false);
  });

  it.each([
    [
      "needs it",
      { ...allowed, disruptionsAllowed: 0, currentHealthy: 1 },
      "The disruption budget b needs 1 healthy pods and has 1 currently",
    ],
    ["was not looked at yet", {}, "The disruption budget b is still being processed by the server."],
  ])("is refused where a budget %s", async (_, counts, message) => {
    await withBudget(counts);
    await expect(evict()).rejects.toMatchObject({
      code: 429,
      reason: "TooManyRequests",
      details: { causes: [{ reason: "DisruptionBudget", message }] },
    });
    expect(server.exists("pods", one)).toBe(true);
  });

  it("uses up the allowed disruptions", async () => {
    await withBudget(allowed);
    await evict({}, true);
    await evict({ deleteOptions: { dryRun: ["All"] } });
    expect(server.get("poddisruptionbudgets", budget).status).toMatchObject({ disruptionsAllowed: 1 });
    expect(server.exists("pods", one)).toBe(true);
    await evict();
    expect(server.exists("pods", one)).toBe(false);
    expect(server.get("poddisruptionbudgets", budget).status).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { one: expect.any(String) },
      conditions: [{ type: "DisruptionAllowed", status: "False", reason: "InsufficientPods" }],
    });
  });

  it("uses no allowed disruption if the preconditions fail", async () => {
    await withBudget(allowed);
    await expect(evict({ deleteOptions: { preconditions: { uid: "other" } } })).rejects.toMatchObject({ code: 409 });
    expect(server.get("poddisruptionbudgets", budget).status).toMatchObject({ disruptionsAllowed: 1 });
  });
});
