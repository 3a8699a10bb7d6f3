import { beforeEach, describe, expect, it } from "vitest";
import type { AdmissionPlugin } from "../admission/admission.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { CopyingBackend } from "../testing/copying-backend.ts";
import { SmallServer } from "../testing/small-server.ts";
import { Pool } from "./pool.ts";

describe("a pool", () => {
  it("returns free numbers, the reserved range last", () => {
    const pool = new Pool(1, 6, 2, () => 0);
    const given: (number | undefined)[] = [];
    for (let i = 0; i < 7; i++) {
      const number = pool.free();
      given.push(number);
      if (number !== undefined) pool.hold(number);
    }
    expect(given).toEqual([3, 4, 5, 6, 1, 2, undefined]);
  });

  it("reuses a number when its last holder releases it", () => {
    const pool = new Pool(1, 1, 0);
    pool.hold(1);
    pool.hold(1);
    pool.release(1);
    expect(pool.free()).toBeUndefined();
    pool.release(1);
    expect(pool.free()).toBe(1);
  });

  it("finds a free number from any starting point", () => {
    const pool = new Pool(10, 14, 0, () => 0.99);
    for (const number of [10, 11, 13, 14]) pool.hold(number);
    expect(pool.free()).toBe(12);
  });
});

interface Spec {
  readonly clusterIP: string;
  readonly ports: { readonly nodePort: number }[];
}
const specOf = (object: KubeObject): Spec => object.spec as Spec;
const portOf = (object: KubeObject): number => specOf(object).ports[0]?.nodePort ?? 0;
const inA = (name: string) => ({ namespace: "a", name });

describe("services", () => {
  let backend: CopyingBackend;
  let server: SmallServer;
  const begin = async (admission: readonly AdmissionPlugin[] = []): Promise<void> => {
    backend = new CopyingBackend();
    server = new SmallServer({ backend, admission });
    await server.createNamespaces("a");
  };
  const create = (name: string, spec: object = {}, query: Record<string, string> = {}) =>
    server.create("services", { metadata: inA(name), spec: { ports: [{ port: 80 }], ...spec } }, { query });
  beforeEach(() => begin());

  it("created concurrently all get their own addresses and ports", async () => {
    const made = await Promise.all(Array.from({ length: 200 }, (_, i) => create(`s${i}`, { type: "NodePort" })));
    expect(new Set(made.map((one) => specOf(one).clusterIP)).size).toBe(200);
    expect(new Set(made.map(portOf)).size).toBe(200);
  });

  it("that wait for admission share nothing, and only one of two gets the same requested address", async () => {
    const pausing = { name: "pausing", handles: () => true, validate: () => Promise.resolve() };
    await begin([pausing]);
    const asked = { type: "NodePort", clusterIP: "10.96.1.1", ports: [{ port: 80, nodePort: 30001 }] };
    const both = await Promise.allSettled([create("one", asked), create("two", asked)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });

  it("keep addresses and ports over a restart", async () => {
    const asked = { type: "NodePort", clusterIP: "10.96.1.1", ports: [{ port: 80, nodePort: 30001 }] };
    await create("one", asked);
    server = new SmallServer({ backend: backend.reopened() });
    await expect(create("two", { ...asked, ports: [{ port: 80 }] })).rejects.toThrow(
      "provided IP is already allocated",
    );
    await expect(create("two", { ...asked, clusterIP: undefined })).rejects.toThrow(
      "provided port is already allocated",
    );
  });

  it("release what they held when they are deleted, refused, a dry run, or change type", async () => {
    const asked = { type: "NodePort", clusterIP: "10.96.1.1", ports: [{ port: 80, nodePort: 30001 }] };
    await create("tried", asked, { dryRun: "All" });
    await expect(create("refused", { ...asked, sessionAffinity: "Odd" })).rejects.toMatchObject({ code: 422 });
    await create("deleted", asked);
    await server.delete("services", inA("deleted"));
    await create("changed", asked);
    await server.patch("services", inA("changed"), { spec: { type: "ExternalName", externalName: "a.example" } });
    const last = await create("last", asked);
    expect([specOf(last).clusterIP, portOf(last)]).toEqual(["10.96.1.1", 30001]);
  });

  it("get another address when they need one again", async () => {
    await create("one", { type: "ExternalName", externalName: "a.example" });
    const back = await server.patch("services", inA("one"), { spec: { type: "ClusterIP", externalName: null } });
    expect(specOf(back).clusterIP).toMatch(/^10\.96\./);
    await expect(create("two", { clusterIP: specOf(back).clusterIP })).rejects.toThrow("already allocated");
  });

  it("share a node port between protocols of one port", async () => {
    const ports = [
      { name: "a", port: 53, protocol: "TCP" },
      { name: "b", port: 53, protocol: "UDP" },
      { name: "c", port: 54 },
    ];
    const [a, b, c] = specOf(await create("dns", { type: "NodePort", ports })).ports.map(({ nodePort }) => nodePort);
    expect(a).toBe(b);
    expect(a).not.toBe(c);
    await server.delete("services", inA("dns"));
    expect(portOf(await create("next", { type: "NodePort", ports: [{ port: 1, nodePort: a }] }))).toBe(a);
  });

  it("are refused when the pool is empty, and accepted when something is released", async () => {
    const ports = Array.from({ length: 2768 }, (_, i) => ({ name: `p${i}`, port: i + 1 }));
    await create("greedy", { type: "NodePort", ports });
    await expect(create("late", { type: "NodePort" })).rejects.toMatchObject({
      code: 500,
      message: expect.stringContaining("failed to allocate a nodePort: range is full"),
    });
    await server.delete("services", inA("greedy"));
    expect(portOf(await create("late", { type: "NodePort" }))).toBeGreaterThanOrEqual(30_000);
  });
});
