import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { patchTypes } from "./client.ts";
import { openDefinition, openObjects } from "./open-kind.ts";
import { expectStatus, expectUnharmed } from "./survival.ts";
import { startVictim, type Victim } from "./victim.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const mebibyte = 1024 * 1024;

let victim: Victim;
beforeAll(async () => {
  victim = await startVictim();
  await victim.admin.post(configMaps, { metadata: { name: "there" }, data: { a: "b" } });
  expect((await victim.admin.post(openDefinition.path, openDefinition.body)).status).toBe(201);
});
afterEach(() => expectUnharmed(victim));
afterAll(() => victim.close());

/** YAML aliases, nine of the previous level on each level. */
function aliases(levels: number): string {
  const names = Array.from({ length: levels }, (_, level) => `l${level}`);
  return names
    .map(
      (name, level) =>
        `${name}: &${name} [${Array<string>(9)
          .fill(level === 0 ? "x" : `*${names[level - 1]}`)
          .join(",")}]`,
    )
    .join("\n");
}

describe("a body that is not an object", () => {
  it.each([
    ["nothing", "", "application/json"],
    ["text", "hello", "application/json"],
    ["half an object", '{"metadata":{"name":"x"', "application/json"],
    ["an object and more", '{"metadata":{"name":"x"}} x', "application/json"],
    ["two objects", '{"metadata":{"name":"x"}}{}', "application/json"],
    ["a byte order mark first", '\ufeff{"metadata":{"name":"x"}}', "application/json"],
    ["a list", "[]", "application/json"],
    ["a string", '"x"', "application/json"],
    ["a number", "1", "application/json"],
    ["single quotes", "{'metadata':{}}", "application/json"],
    ["a comment", '{"metadata":{"name":"x"}/* */}', "application/json"],
    ["a control character in a string", '{"metadata":{"name":"x\u0001"}}', "application/json"],
    ["lists without end", "[".repeat(mebibyte), "application/json"],
    ["lists deeper than anyone goes", `{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`, "application/json"],
    ["maps deeper than anyone goes", `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`, "application/json"],
    ["YAML that ends early", "a: [", "application/yaml"],
    ["YAML with tabs", "\ta: b", "application/yaml"],
    ["YAML lists without end", "[".repeat(mebibyte), "application/yaml"],
    ["YAML that begins like JSON and nests without end", `{"a":${"[".repeat(mebibyte)}`, "application/yaml"],
    ["YAML that is JSON and too deep", `{"a":${"[".repeat(5000)}${"]".repeat(5000)}}`, "application/yaml"],
    ["YAML block lists without end", "- ".repeat(50_000), "application/yaml"],
    ["YAML that would grow to gigabytes", aliases(14), "application/yaml"],
    ["YAML that refers to itself", "a: &a [*a]", "application/yaml"],
    ["YAML of a million items", `a: [${"b,".repeat(1.4 * mebibyte)}]`, "application/yaml"],
    ["YAML of many lines", "a:\n".repeat(mebibyte / 2), "application/yaml"],
    ["YAML of blank lines", `${"\n".repeat(2.9 * mebibyte)}a: b`, "application/yaml"],
    [
      "YAML of very many anchors",
      `[${Array.from({ length: 14_000 }, (_, i) => `&a${i} x, *a${i}`).join()}]`,
      "application/yaml",
    ],
    ["YAML that repeats a long text", `a: &a ${"x".repeat(mebibyte)}\nb: [${"*a, ".repeat(50)}]`, "application/yaml"],
    ["YAML without a number", "{metadata: {name: x}, data: {a: .nan}}", "application/yaml"],
  ])("%s is refused with 400", async (_, body, type) => {
    expectStatus(await victim.admin.post(configMaps, body, { type }), 400, "BadRequest");
    for (const kind of ["json", "merge", "strategic", "apply"] as const)
      if (type === "application/yaml" ? kind === "apply" : kind !== "apply" && body !== "[]") {
        const { status, text } = await victim.admin.patch(kind, `${configMaps}/there?fieldManager=m`, body);
        expect({ kind, status, text }).toMatchObject({ status: 400 });
      }
  });
});

describe("a body that is too large", () => {
  const large = Buffer.alloc(4 * mebibyte, " ");

  it.each([
    ["with its length", false],
    ["in chunks", true],
  ])("%s is refused with 413, whatever the method", async (_, chunked) => {
    for (const [method, path, type] of [
      ["POST", configMaps, "application/json"],
      ["PUT", `${configMaps}/there`, "application/json"],
      ["PATCH", `${configMaps}/there`, patchTypes.merge],
      ["PATCH", `${configMaps}/there?fieldManager=m`, patchTypes.apply],
      ["DELETE", `${configMaps}/there`, "application/json"],
    ] as const)
      expectStatus(await victim.admin.send(method, path, { body: large, type, chunked }), 413, "RequestEntityTooLarge");
  });

  it("does not grow by patches either", async () => {
    await victim.admin.post(openObjects, { apiVersion: "attack.io/v1", kind: "Open", metadata: { name: "grows" } });
    let refused = false;
    for (let i = 0; i < 4 && !refused; i++) {
      const { status } = await victim.admin.patch("merge", `${openObjects}/grows`, {
        spec: { [`part${i}`]: "x".repeat(2.5 * mebibyte) },
      });
      refused = status === 413;
    }
    expect(refused).toBe(true);
    expect((await victim.admin.get(`${openObjects}/grows`)).text.length).toBeLessThan(5 * mebibyte);
  });

  it("does not grow by copies within a JSON patch", async () => {
    const name = "copies";
    await victim.admin.post(openObjects, {
      apiVersion: "attack.io/v1",
      kind: "Open",
      metadata: { name },
      spec: { a: ["x"] },
    });
    const doubling = Array.from({ length: 40 }, () => ({ op: "copy", from: "/spec", path: "/spec/a/-" }));
    const { status } = await victim.admin.patch("json", `${openObjects}/${name}`, doubling);
    expect(status).toBe(422);
    const many = Array.from({ length: 10_001 }, () => ({ op: "test", path: "/kind", value: "Open" }));
    expect((await victim.admin.patch("json", `${openObjects}/${name}`, many)).status).toBe(413);
  });

  it("does not nest deeper by patches either", async () => {
    const name = "nests";
    await victim.admin.post(openObjects, { apiVersion: "attack.io/v1", kind: "Open", metadata: { name }, spec: {} });
    let path = "/spec";
    const deep = JSON.parse(`${'{"a":'.repeat(200)}{}${"}".repeat(200)}`) as object;
    let status = 200;
    for (let i = 0; i < 20 && status === 200; i++) {
      ({ status } = await victim.admin.patch("json", `${openObjects}/${name}`, [
        { op: "add", path: `${path}/a`, value: deep },
      ]));
      path += "/a".repeat(201);
    }
    expect([400, 422]).toContain(status);
    expect((await victim.admin.get(`${openObjects}/${name}`)).status).toBe(200);
    expect((await victim.admin.get(openObjects, { headers: { accept: "application/yaml" } })).status).toBe(200);
  });
});

describe("a body of another media type", () => {
  it.each(["text/plain", "application/xml", "application/json-patch+json", "multipart/form-data", "__proto__"])(
    "%s is refused with 415",
    async (type) => {
      expectStatus(await victim.admin.post(configMaps, "{}", { type }), 415, "UnsupportedMediaType");
      expectStatus(await victim.admin.put(`${configMaps}/there`, "{}", { type }), 415, "UnsupportedMediaType");
    },
  );

  it.each(["application/json", "text/plain", "application/strategic-merge-patch+yaml", "constructor", ""])(
    "a patch as %j is refused with 415",
    async (type) => {
      const received = await victim.admin.send("PATCH", `${configMaps}/there`, { body: "{}", type });
      expectStatus(received, 415, "UnsupportedMediaType");
    },
  );

  it("a strategic merge patch of a custom object is refused with 415", async () => {
    expectStatus(await victim.admin.patch("strategic", `${openObjects}/x`, {}), 415, "UnsupportedMediaType");
  });

  it.each(["text/html", "application/json;as=Table;v=v1;g=nope", "application/json;as=__proto__", "image/*;q=0.1"])(
    "an answer as %s is refused with 406",
    async (accept) => {
      expectStatus(await victim.admin.get(configMaps, { headers: { accept } }), 406, "NotAcceptable");
    },
  );
});

describe("numbers and texts that JSON.parse accepts and other clients do not", () => {
  const open = (name: string, spec: string): string =>
    `{"apiVersion":"attack.io/v1","kind":"Open","metadata":{"name":"${name}"},"spec":${spec}}`;

  it.each([
    ["1e999", "1e999"],
    ["-1e999", "-1e999"],
    ["1 and 400 zeros", `1${"0".repeat(400)}`],
  ])("%s is refused, not stored as null", async (_, number) => {
    expectStatus(await victim.admin.post(openObjects, open("infinite", `{"a":[${number}]}`)), 400, "BadRequest");
  });

  it("-0 and small numbers stay readable", async () => {
    const { json } = await victim.admin.post(openObjects, open("zero", '{"a":-0,"b":1e-999,"c":4.9e-324}'));
    expect(json.spec).toEqual({ a: 0, b: 0, c: 5e-324 });
  });

  it.each(["activeDeadlineSeconds", "terminationGracePeriodSeconds", "priority"])(
    "a pod's %s must be a number of its size",
    async (field) => {
      for (const value of ["1e999", "9223372036854775808", "1.5", '"1"', "true", "[]", "{}"]) {
        const body = `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"a","image":"b"}],"${field}":${value}}}`;
        expectStatus(await victim.admin.post("/api/v1/namespaces/default/pods", body), 400, "BadRequest");
      }
    },
  );

  it("a lone surrogate becomes the replacement character, as in other clients", async () => {
    const body = '{"metadata":{"name":"half","annotations":{"a":"\\ud800x"}},"data":{"b":"\\udfff"}}';
    const { status } = await victim.admin.post(configMaps, body);
    expect(status).toBe(201);
    const { json } = await victim.admin.get(`${configMaps}/half`);
    expect([json.metadata.annotations.a, json.data.b]).toEqual(["\ufffdx", "\ufffd"]);
  });

  it("invalid UTF-8 becomes the replacement character", async () => {
    const body = Buffer.concat([
      Buffer.from('{"metadata":{"name":"bytes"},"data":{"a":"'),
      Buffer.from([0xff, 0xc0]),
      Buffer.from('"}}'),
    ]);
    expect((await victim.admin.post(configMaps, body)).json.data).toEqual({ a: "\ufffd\ufffd" });
  });

  it("NUL is allowed in a value, and not in a name", async () => {
    expect((await victim.admin.post(configMaps, '{"metadata":{"name":"nul"},"data":{"a":"\\u0000"}}')).status).toBe(
      201,
    );
    expect((await victim.admin.get(`${configMaps}/nul`)).json.data).toEqual({ a: "\u0000" });
    expectStatus(await victim.admin.post(configMaps, '{"metadata":{"name":"a\\u0000b"}}'), 422, "Invalid");
  });

  it("the last of duplicate keys counts; strict requests are refused, others get a warning", async () => {
    const body = '{"metadata":{"name":"twice"},"data":{"a":"1","a":"2"}}';
    const strict = await victim.admin.post(`${configMaps}?fieldValidation=Strict`, body);
    expectStatus(strict, 400, "BadRequest");
    expect(strict.json.message).toContain('duplicate field "data.a"');
    const warned = await victim.admin.post(configMaps, body);
    expect(warned.headers.warning).toContain("duplicate field");
    expect(warned.json.data).toEqual({ a: "2" });
  });

  it("very many duplicate keys are refused by a strict request, with no more than a client can read", async () => {
    const data = '"a":"1",'.repeat(200_000);
    const others = Array.from({ length: 60_000 }, (_, i) => `"k${i}":"","k${i}":""`).join();
    const body = `{"metadata":{"name":"manifold"},"data":{${data}${others}}}`;
    const strict = await victim.admin.post(`${configMaps}?fieldValidation=Strict`, body);
    expectStatus(strict, 400, "BadRequest");
    expect(strict.json.message.match(/duplicate field "data\./g)).toHaveLength(100);
    const warned = await victim.admin.post(`${configMaps}?dryRun=All`, body);
    expect(warned.status).toBe(201);
  });

  it.each(["POST", "PATCH"])("very many unknown fields in a %s are no failure of the server", async (method) => {
    const body = `{"metadata":{"name":"there"},${Array.from({ length: 150_000 }, (_, i) => `"u${i}":0`).join()}}`;
    const sent = { body, type: method === "POST" ? "application/json" : patchTypes.merge };
    const path = method === "POST" ? configMaps : `${configMaps}/there`;
    expect((await victim.admin.send(method, `${path}?dryRun=All`, sent)).status).toBeLessThan(500);
    const strict = await victim.admin.send(method, `${path}?dryRun=All&fieldValidation=Strict`, sent);
    expect([400, 422]).toContain(strict.status);
    expect(strict.json.message.match(/unknown field/g)).toHaveLength(100);
  });

  it.each([
    ["one name of 100,000 characters", { ["f".repeat(100_000)]: 1 }],
    ["5,000 names", Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`field-${"y".repeat(200)}-${i}`, 1]))],
  ])("%s the kind does not have make no more warnings than a client can read", async (_, fields) => {
    const body = { metadata: { name: "warned" }, ...fields };
    const { status, headers } = await victim.admin.post(`${configMaps}?dryRun=All`, body);
    expect(status).toBe(201);
    expect(headers.warning).toContain("unknown field");
    expect(String(headers.warning).length).toBeLessThan(8192);
  });
});

describe("an integer beyond 2^53 where a text belongs", () => {
  const large = "9007199254740993";

  it.each(["kind", "apiVersion", "metadata"])(
    "as %s of a patch is refused, and no failure of the server",
    async (field) => {
      const value = field === "metadata" ? `{"name":${large}}` : large;
      for (const kind of ["merge", "strategic"] as const) {
        const { status } = await victim.admin.patch(kind, `${configMaps}/there`, `{"${field}":${value}}`);
        expect([400, 422]).toContain(status);
      }
    },
  );

  it("as kind of delete options is refused", async () => {
    expectStatus(await victim.admin.delete(`${configMaps}/there`, `{"kind":${large}}`), 400, "BadRequest");
  });
});

describe("the body of a delete", () => {
  it.each([
    ["a dry run that is no list", '{"dryRun":"All"}'],
    ["a dry run of something else", '{"dryRun":["Some"]}'],
    ["preconditions that are none", '{"preconditions":["x"]}'],
    ["a uid that is no text", '{"preconditions":{"uid":5}}'],
    ["a version that is no text", '{"preconditions":{"resourceVersion":5}}'],
    ["a grace period that is a list", '{"gracePeriodSeconds":[]}'],
    ["a grace period that is a text", '{"gracePeriodSeconds":"0"}'],
    ["an unknown policy", '{"propagationPolicy":"__proto__"}'],
    ["a policy that is a list", '{"propagationPolicy":["Orphan"]}'],
    ["another kind", '{"kind":"ConfigMap","apiVersion":"v1"}'],
    ["a list", "[]"],
    ["a text", '"x"'],
  ])("%s deletes nothing", async (_, body) => {
    await victim.admin.post(configMaps, { metadata: { name: "there" } });
    const received = await victim.admin.delete(`${configMaps}/there`, body);
    expect([400, 422]).toContain(received.status);
    expectStatus(received, received.status);
    expect((await victim.admin.get(`${configMaps}/there`)).status).toBe(200);
  });

  it.each(["gracePeriodSeconds=9007199254740991", "gracePeriodSeconds=1e300", "gracePeriodSeconds=999999999999999"])(
    "%s is no failure of the server",
    async (query) => {
      const pods = "/api/v1/namespaces/default/pods";
      await victim.admin.post(pods, {
        metadata: { name: "lasting" },
        spec: { nodeName: "n", containers: [{ name: "a", image: "b" }] },
      });
      expect((await victim.admin.delete(`${pods}/lasting?${query}`)).status).toBeLessThan(500);
      expect((await victim.admin.get(`${pods}/lasting`)).status).toBe(200);
    },
  );
});
