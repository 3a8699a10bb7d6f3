import { beforeEach, describe, expect, it } from "vitest";
import type { StatusError } from "../status-error.ts";
import { SmallServer, type Listed, type Target } from "../testing/small-server.ts";

let server: SmallServer;
const names = ["m1", "m2", "m3", "m4", "m5"];

/** Five config maps in namespace a at revisions 3 to 7, one in b at 8. */
beforeEach(async () => {
  server = new SmallServer({ history: { changes: 20 } });
  await server.createNamespaces("a", "b");
  for (const name of names) await put(name);
  await put("other", "b");
});

const put = (name: string, namespace = "a") =>
  server.create("configmaps", { metadata: { name, namespace, labels: { odd: String(Number(name.at(-1)) % 2) } } });
const drop = (name: string) => server.delete("configmaps", { namespace: "a", name });
const list = (query: Record<string, string> = {}, target: Target = { namespace: "a" }): Listed =>
  server.list("configmaps", { ...target, query });
const token = (content: object): string => Buffer.from(JSON.stringify(content)).toString("base64url");

describe("a list in pages", () => {
  it.each([1, 2, 3, 4, 5, 6])("of %i shows every object once, at one version", (limit) => {
    const seen: string[] = [];
    let page = list({ limit: String(limit) });
    seen.push(...page.names);
    while (page.continue) {
      expect(page.names).toHaveLength(limit);
      page = list({ limit: String(limit), continue: page.continue });
      expect(page.revision).toBe(8);
      seen.push(...page.names);
    }
    expect(seen).toEqual(names.map((name) => `a/${name}`));
  });

  it("shows the state at its begin, despite writes between pages", async () => {
    const first = list({ limit: "2" });
    await drop("m1");
    await drop("m4");
    await put("m3a");
    await server.patch("configmaps", { namespace: "a", name: "m5" }, { data: { k: "v" } });
    const rest = list({ continue: first.continue ?? "" });
    expect(rest).toEqual({ type: "list", revision: 8, names: ["a/m3", "a/m4", "a/m5"] });
    expect(list().names).toEqual(["a/m2", "a/m3", "a/m3a", "a/m5"]);
  });

  it("continues across namespaces", () => {
    const first = list({ limit: "5" }, {});
    expect(list({ continue: first.continue ?? "" }, {}).names).toEqual(["b/other"]);
  });

  it("has remainingItemCount, also in a namespace", () => {
    const first = list({ limit: "2" });
    expect(first.remaining).toBe(3);
    expect(list({ limit: "2", continue: first.continue ?? "" }).remaining).toBe(1);
    expect(list({ limit: "2" }, {}).remaining).toBe(4);
  });

  it("has no remainingItemCount with a selector", () => {
    const page = list({ limit: "2", labelSelector: "odd=1" });
    expect(page.names).toEqual(["a/m1", "a/m3"]);
    expect([page.continue !== undefined, page.remaining]).toEqual([true, undefined]);
    expect(list({ limit: "2", labelSelector: "odd=1", continue: page.continue ?? "" }).names).toEqual(["a/m5"]);
  });

  it.each(["5", "6", "0", "-1"])("is whole with limit %s", (limit) => {
    expect(list({ limit })).toEqual({ type: "list", revision: 8, names: names.map((name) => `a/${name}`) });
  });

  it("that took too long is refused with 410", async () => {
    const first = list({ limit: "2" });
    for (let i = 0; i < 21; i++) await put(`late${i}`, "b");
    expect(() => list({ continue: first.continue ?? "" })).toThrow(
      expect.objectContaining({ code: 410, reason: "Expired" }),
    );
  });

  const start = "a/m2\0";
  const tokens: [string, string, object][] = [
    ["that is no base64 of JSON", "!!!", { code: 400 }],
    ["of another format", token({ v: "v0", rv: 5, start }), { code: 400 }],
    ["without a version", token({ v: "meta.k8s.io/v1", start }), { code: 400 }],
    ["at version 0", token({ v: "meta.k8s.io/v1", rv: 0, start }), { code: 400 }],
    ["at half a version", token({ v: "meta.k8s.io/v1", rv: 1.5, start }), { code: 400 }],
    ["that is null", token(null as never), { code: 400 }],
    ["at a version to come", token({ v: "meta.k8s.io/v1", rv: 99, start }), { code: 504 }],
  ];
  it.each(tokens)("with a token %s is refused", (_, text, error) => {
    expect(() => list({ continue: text })).toThrow(expect.objectContaining(error));
  });

  it("continues at the newest version with a token without a version", async () => {
    await drop("m3");
    expect(list({ continue: token({ v: "meta.k8s.io/v1", rv: -1, start }) })).toMatchObject({
      revision: 9,
      names: ["a/m4", "a/m5"],
    });
  });

  it("expires after five minutes if something has changed, with a token for the rest at the newest version", async () => {
    const first = list({ limit: "2" });
    const query = { limit: "2", continue: first.continue ?? "" };
    await server.clock.advance(10 * 60_000);
    expect(list(query).names).toEqual(["a/m3", "a/m4"]);
    await drop("m3");
    let refusal: StatusError | undefined;
    try {
      list(query);
    } catch (error) {
      refusal = error as StatusError;
    }
    expect(refusal).toMatchObject({ code: 410, reason: "Expired" });
    const { continue: rest = "" } = refusal?.toStatus().metadata ?? {};
    expect(list({ limit: "1", continue: rest })).toMatchObject({ revision: 9, names: ["a/m4"], remaining: 1 });
  });

  it("cannot reach another namespace by a token", () => {
    const { continue: elsewhere = "" } = list({ limit: "1" }, { namespace: "a" });
    expect(list({ continue: elsewhere }, { namespace: "b" }).names).toEqual(["b/other"]);
  });
});

describe("the version of a list", () => {
  it("can be exactly an older one", async () => {
    await drop("m1");
    expect(list({ resourceVersion: "5", resourceVersionMatch: "Exact" })).toMatchObject({
      revision: 5,
      names: ["a/m1", "a/m2", "a/m3"],
    });
  });

  const newest: Record<string, string>[] = [
    {},
    { resourceVersion: "0" },
    { resourceVersion: "3" },
    { resourceVersion: "3", resourceVersionMatch: "NotOlderThan" },
  ];
  it.each(newest)("is the newest with %j", (query) => {
    expect(list(query)).toMatchObject({ revision: 8, names: { length: 5 } });
  });

  const refused: [Record<string, string>, number][] = [
    [{ resourceVersion: "9" }, 504],
    [{ resourceVersion: "x" }, 400],
    [{ resourceVersionMatch: "Exact" }, 422],
    [{ resourceVersion: "0", resourceVersionMatch: "Exact" }, 422],
    [{ resourceVersion: "3", resourceVersionMatch: "Roughly" }, 422],
    [{ sendInitialEvents: "true" }, 422],
    [{ limit: "many" }, 400],
    [{ resourceVersion: "3", continue: token({ v: "meta.k8s.io/v1", rv: 5, start: "a/m2\0" }) }, 400],
  ];
  it.each(refused)("cannot be asked for by %j", (query, code) => {
    expect(() => list(query)).toThrow(expect.objectContaining({ code }));
  });

  it("that is no longer kept is refused with 410", async () => {
    for (let i = 0; i < 21; i++) await put(`late${i}`, "b");
    expect(() => list({ resourceVersion: "3", resourceVersionMatch: "Exact" })).toThrow(
      expect.objectContaining({ code: 410 }),
    );
  });
});

describe("a selection", () => {
  const selections: [Record<string, string>, string[]][] = [
    [{ fieldSelector: "metadata.name=m3" }, ["a/m3"]],
    [{ fieldSelector: "metadata.name!=m3" }, ["a/m1", "a/m2", "a/m4", "a/m5"]],
    [{ fieldSelector: "metadata.name=none" }, []],
    [{ fieldSelector: "metadata.namespace=b" }, []],
    [{ labelSelector: "odd in (0)" }, ["a/m2", "a/m4"]],
    [{ labelSelector: "odd=1", fieldSelector: "metadata.name=m2" }, []],
  ];
  it.each(selections)("by %j", (query, expected) => {
    expect(list(query).names).toEqual(expected);
  });

  it("by a field that a kind does not have is refused", () => {
    expect(() => list({ fieldSelector: "data.x=1" })).toThrow(expect.objectContaining({ code: 400 }));
    expect(() => list({ fieldSelector: "__proto__=1" })).toThrow(expect.objectContaining({ code: 400 }));
  });
});
