import { beforeEach, describe, expect, it } from "vitest";
import { noLog } from "../../../cluster/runtime/log/log.ts";
import { CopyingBackend } from "../testing/copying-backend.ts";
import { SmallServer } from "../testing/small-server.ts";
import { NamespaceDefaults } from "./namespace-defaults.ts";
import { Namespaces } from "./namespaces.ts";

let backend: CopyingBackend;
let server: SmallServer;
let stop: () => void;
const start = (): (() => void) => new NamespaceDefaults(server.services, "PEM", noLog).start();
const account = { namespace: "ns", name: "default" };
const root = { namespace: "ns", name: "kube-root-ca.crt" };

beforeEach(() => {
  backend = new CopyingBackend();
  server = new SmallServer({ backend });
  stop = start();
});

describe("a new namespace", () => {
  it("accepts a pod as soon as its creation is answered", async () => {
    await server.createNamespaces("ns");
    const spec = { containers: [{ name: "c", image: "i" }] };
    await server.create("pods", { metadata: { name: "p", namespace: "ns" }, spec });
    expect(server.get("configmaps", root)).toMatchObject({ data: { "ca.crt": "PEM" } });
  });

  it("keeps objects that a client created before", async () => {
    stop();
    await server.createNamespaces("ns");
    await server.create("serviceaccounts", { metadata: account, automountServiceAccountToken: false });
    start();
    await server.settled();
    expect(server.get("serviceaccounts", account)).toMatchObject({ automountServiceAccountToken: false });
    expect(server.exists("configmaps", root)).toBe(true);
  });

  it("recreates what is deleted, but no other objects", async () => {
    await server.createNamespaces("ns");
    await server.create("serviceaccounts", { metadata: { ...account, name: "other" } });
    const { uid } = server.get("serviceaccounts", account).metadata;
    await server.deleteCollection("serviceaccounts", { namespace: "ns" });
    await server.delete("configmaps", root);
    await server.settled();
    expect(server.list("serviceaccounts").names).toEqual(["ns/default"]);
    expect(server.get("serviceaccounts", account).metadata.uid).not.toBe(uid);
    expect(server.exists("configmaps", root)).toBe(true);
  });

  it("is deleted with its defaults", async () => {
    await server.createNamespaces("ns");
    new Namespaces(server.services, noLog).start();
    await server.delete("namespaces", { name: "ns" });
    await server.settled();
    expect(server.exists("namespaces", { name: "ns" })).toBe(false);
    expect(server.list("serviceaccounts").names).toEqual([]);
    expect(server.list("configmaps").names).toEqual([]);
  });
});

it("after a crash, the next start creates missing defaults", async () => {
  backend.onCommit = () => backend.stop();
  await server.createNamespaces("ns");
  await server.settled();
  server = new SmallServer({ backend: backend.reopened() });
  expect(server.exists("serviceaccounts", account)).toBe(false);
  start();
  await server.settled();
  expect(server.exists("serviceaccounts", account)).toBe(true);
});

it("nothing is created after it was stopped", async () => {
  stop();
  await server.createNamespaces("ns");
  await server.settled();
  expect(server.list("serviceaccounts").names).toEqual([]);
});
