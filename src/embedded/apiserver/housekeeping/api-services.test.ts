import { beforeEach, expect, it } from "vitest";
import { noLog } from "../../../cluster/runtime/log/log.ts";
import { CopyingBackend } from "../testing/copying-backend.ts";
import { SmallServer } from "../testing/small-server.ts";
import { widgetDefinition } from "../testing/widget-definition.ts";
import { ApiServices } from "./api-services.ts";

let backend: CopyingBackend;
let server: SmallServer;
const names = () => server.list("apiservices").names;

async function start(): Promise<void> {
  server.startHousekeeping();
  await new ApiServices(server.services, noLog).start();
  await server.settled();
}

beforeEach(async () => {
  backend = new CopyingBackend();
  server = new SmallServer({ backend });
  await start();
});

it("every built-in group has one, except apiregistration.k8s.io", () => {
  expect(names()).toEqual(expect.arrayContaining(["v1.", "v1.apps", "v1.events.k8s.io", "v1.apiextensions.k8s.io"]));
  expect(names()).not.toContain("v1.apiregistration.k8s.io");
  expect(server.get("apiservices", { name: "v1." })).toMatchObject({
    metadata: { labels: { "kube-aggregator.kubernetes.io/automanaged": "onstart" } },
    spec: { version: "v1", groupPriorityMinimum: 18000, versionPriority: 1 },
    status: { conditions: [{ type: "Available", status: "True", reason: "Local" }] },
  });
});

it("those of a custom kind are created and deleted with it, and recreated when a client deletes them", async () => {
  await server.create("customresourcedefinitions", widgetDefinition({ versions: [{ name: "v1" }, { name: "v2" }] }));
  await server.settled();
  expect(names()).toEqual(expect.arrayContaining(["v1.x.io", "v2.x.io"]));
  await server.delete("apiservices", { name: "v2.x.io" });
  await server.settled();
  expect(server.get("apiservices", { name: "v2.x.io" }).spec).toMatchObject({ groupPriorityMinimum: 1000 });
  await server.delete("customresourcedefinitions", { name: "widgets.x.io" });
  await server.settled();
  expect(names().filter((name) => name.endsWith("x.io"))).toEqual([]);
});

it("those of a kind that was deleted while the server was down are deleted at the start", async () => {
  await server.create("customresourcedefinitions", widgetDefinition());
  await server.settled();
  server = new SmallServer({ backend: backend.reopened() });
  await server.delete("customresourcedefinitions", { name: "widgets.x.io" });
  await server.patch("customresourcedefinitions", { name: "widgets.x.io" }, { metadata: { finalizers: null } });
  await start();
  expect(names().filter((name) => name.endsWith("x.io"))).toEqual([]);
});

it("a start with all of them present writes nothing", async () => {
  const before = server.store.revision;
  server = new SmallServer({ backend: backend.reopened() });
  await start();
  expect(server.store.revision).toBe(before);
});

it.each([
  [
    { group: "g.io", version: "v1", service: { name: "s", namespace: "n" } },
    "this server does not support aggregated API servers",
  ],
  [{ group: "g.io", version: "v2" }, 'metadata.name: Invalid value: "v1.g.io": must be `spec.version+"."+spec.group`'],
  [
    { group: "g.io", version: "v1", insecureSkipTLSVerify: true },
    "local APIServices may not have insecureSkipTLSVerify",
  ],
])("one with %j is refused", async (spec, words) => {
  const weights = { groupPriorityMinimum: 10, versionPriority: 10 };
  const write = server.create("apiservices", { metadata: { name: "v1.g.io" }, spec: { ...weights, ...spec } });
  await expect(write).rejects.toThrow(words);
});
