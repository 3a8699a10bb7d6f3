import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { definitionOf, openDefinition } from "./open-kind.ts";
import { expectStatus, expectUnharmed } from "./survival.ts";
import { startVictim, type Victim } from "./victim.ts";

const { path } = openDefinition;
const objects = (plural: string): string => `/apis/attack.io/v1/namespaces/default/${plural}`;
const numRuns = process.env.ATTUNE_LONG ? 2_000 : 120;

let victim: Victim;
beforeAll(async () => {
  victim = await startVictim();
});
afterEach(() => expectUnharmed(victim));
afterAll(() => victim.close());

/** A schema with `levels` of something around it. */
function nested(levels: number, around: (inner: object) => object): object {
  let schema: object = { type: "object" };
  for (let i = 0; i < levels; i++) schema = around(schema);
  return schema;
}

const text = (more: object): object => ({ type: "object", properties: { s: { type: "string", ...more } } });

describe("a definition that cannot be served", () => {
  const bomb = nested(10, (items) => ({
    type: "object",
    properties: { a: { type: "array", items, default: Array.from({ length: 10 }, () => ({})) } },
  }));

  it.each<[string, object]>([
    ["a reference", { $ref: "#/definitions/x" }],
    ["a reference within itself", { type: "object", properties: { a: { $ref: "#" } } }],
    ["definitions", { type: "object", definitions: { a: { $ref: "#/definitions/a" } } }],
    ["no type", { properties: { a: {} } }],
    ["an unknown type", { type: "objekt" }],
    ["a pattern that is none", text({ pattern: "(" })],
    ["a pattern RE2 does not know", text({ pattern: "(?=a)b" })],
    ["a pattern with back references", text({ pattern: "(a)\\1" })],
    ["a pattern of a million steps", text({ pattern: "((a{100}){100}){100}" })],
    ["a pattern of 100,000 characters", text({ pattern: "(a|b)".repeat(20_000) })],
    ["defaults that double and double again", bomb],
    ["a default of the wrong type", text({ default: 5 })],
    ["a million unknown defaults", { type: "object", default: { a: "x".repeat(1_000_000) } }],
    ["junctors with types", { type: "object", allOf: [{ type: "object", properties: { a: { type: "string" } } }] }],
    ["a rule that is no expression", { ...text({}), "x-kubernetes-validations": [{ rule: "self." }] }],
    ["a rule of another type", { ...text({}), "x-kubernetes-validations": [{ rule: "1 + 1" }] }],
    ["a rule on what is not there", { ...text({}), "x-kubernetes-validations": [{ rule: "self.nope == 1" }] }],
  ])("with %s is refused with 422", async (_, schema) => {
    const received = await victim.admin.post(path, definitionOf("refuseds", schema));
    expectStatus(received, 422, "Invalid");
  });

  it.each<[string, object]>([
    ["200 levels of properties", nested(100, (a) => ({ type: "object", properties: { a } }))],
    ["240 levels of allOf", { type: "object", allOf: [nested(110, (inner) => ({ allOf: [inner] }))] }],
    ["200 levels of lists", nested(110, (items) => ({ type: "array", items }))],
    [
      "thousands of properties",
      {
        type: "object",
        properties: Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`p${i}`, { type: "string" }])),
      },
    ],
    ["a default of a megabyte", text({ default: "x".repeat(1_000_000) })],
    ["thousands of allOf", { type: "object", allOf: Array.from({ length: 5_000 }, () => ({ required: ["a"] })) }],
  ])("with %s is answered, and taken or not", async (_, schema) => {
    const { status, text } = await victim.admin.post(path, definitionOf("absurds", schema));
    expect([201, 400, 422], text.slice(0, 300)).toContain(status);
    if (status !== 201) return;
    const made = await victim.admin.post(objects("absurds"), {
      apiVersion: "attack.io/v1",
      kind: "Absurd",
      metadata: { name: "a" },
    });
    expect([201, 422], made.text.slice(0, 300)).toContain(made.status);
    expect((await victim.admin.get("/openapi/v3/apis/attack.io/v1")).status).toBe(200);
    expect((await victim.admin.delete(`${path}/absurds.attack.io`)).status).toBe(200);
    expect((await victim.admin.get(`${path}/absurds.attack.io`)).status).toBe(404);
  });

  it.each([
    ["another name", { metadata: { name: "others.attack.io" } }],
    ["a built-in group", { spec: { group: "apps" } }],
    ["no group", { spec: { group: "" } }],
    ["a group with dots only", { spec: { group: "..." } }],
    ["an unknown scope", { spec: { scope: "__proto__" } }],
    ["no names", { spec: { names: null } }],
    ["no versions", { spec: { versions: [] } }],
    ["versions that are none", { spec: { versions: "v1" } }],
    ["names that are a list", { spec: { names: [] } }],
    ["a plural in capitals", { spec: { names: { plural: "REFUSEDS", kind: "X" } } }],
    ["a plural with a slash", { spec: { names: { plural: "a/b", kind: "X" } } }],
    ["a plural like Object's own", { spec: { names: { plural: "__proto__", kind: "X" } } }],
  ])("with %s is refused", async (_, change) => {
    const definition = structuredClone(definitionOf("refuseds", { type: "object" })) as {
      metadata: object;
      spec: object;
    };
    const { metadata = {}, spec = {} } = change as { metadata?: object; spec?: object };
    const body = {
      ...definition,
      metadata: { ...definition.metadata, ...metadata },
      spec: { ...definition.spec, ...spec },
    };
    const received = await victim.admin.post(path, body);
    expect([400, 422]).toContain(received.status);
    expectStatus(received, received.status);
  });

  it("cannot take the place of a built-in kind", async () => {
    const taken = { ...definitionOf("pods", { type: "object" }), metadata: { name: "pods." } };
    expectStatus(await victim.admin.post(path, taken), 422);
    expect((await victim.admin.get("/api/v1/namespaces/default/pods")).json.kind).toBe("PodList");
  });
});

describe("an object against its schema", () => {
  it("a pattern with catastrophic backtracking in JavaScript terminates", async () => {
    await victim.admin.post(path, definitionOf("slows", text({ pattern: "^(a+)+$" })));
    const body = { apiVersion: "attack.io/v1", kind: "Slow", metadata: { name: "a" }, s: `${"a".repeat(200_000)}b` };
    expectStatus(await victim.admin.post(objects("slows"), body), 422, "Invalid");
  });

  it("defaults for every item of a long list are refused before they exhaust memory", async () => {
    const item = { type: "object", properties: { d: { type: "string", default: "x".repeat(20_000) } } };
    const schema = { type: "object", properties: { l: { type: "array", items: item } } };
    expect((await victim.admin.post(path, definitionOf("manys", schema))).status).toBe(201);
    const l = Array.from({ length: 200_000 }, () => ({}));
    const body = { apiVersion: "attack.io/v1", kind: "Many", metadata: { name: "a" }, l };
    expectStatus(await victim.admin.post(objects("manys"), body), 413);
    expectStatus(await victim.admin.patch("apply", `${objects("manys")}/a?fieldManager=m`, body), 413);
  });

  it("a set of 20,000 items is checked for duplicates in reasonable time", async () => {
    const schema = {
      type: "object",
      properties: { l: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" } },
    };
    await victim.admin.post(path, definitionOf("sets", schema));
    const l = Array.from({ length: 20_000 }, (_, i) => `item-${i}`);
    const body = { apiVersion: "attack.io/v1", kind: "Set", metadata: { name: "a" }, l };
    expect((await victim.admin.post(objects("sets"), body)).status).toBe(201);
    const applied = await victim.admin.patch("apply", `${objects("sets")}/a?fieldManager=m&force=true`, {
      ...body,
      l: l.toReversed(),
    });
    expect(applied.status).toBe(200);
    expectStatus(
      await victim.admin.put(`${objects("sets")}/a`, {
        ...body,
        metadata: { name: "a", resourceVersion: applied.json.metadata.resourceVersion },
        l: [...l, "item-1"],
      }),
      422,
    );
  });

  it.each([
    ["counts to a billion", "self.l.all(a, self.l.all(b, self.l.all(c, self.l.all(d, a + b + c + d < 0 || true))))"],
    [
      "doubles a text",
      `${"self.s.replace('a', 'aaaaaaaaaa').".repeat(1)}replace('a', 'aaaaaaaaaa').replace('a', 'aaaaaaaaaa').replace('a', 'aaaaaaaaaa').replace('a', 'aaaaaaaaaa').replace('a', 'aaaaaaaaaa').replace('a', 'aaaaaaaaaa').replace('a', 'aaaaaaaaaa').size() >= 0`,
    ],
    ["multiplies lists", "self.l.map(a, self.l.map(b, self.l.map(c, self.l))).size() >= 0"],
    ["matches long texts", "self.l.all(a, self.s.matches('(a*)*(b|a)*$'))"],
  ])("a rule that %s is refused or cut short", async (_, rule) => {
    const schema = {
      type: "object",
      properties: { l: { type: "array", items: { type: "integer" } }, s: { type: "string" } },
      "x-kubernetes-validations": [{ rule }],
    };
    const defined = await victim.admin.post(path, definitionOf("rules", schema));
    expect([201, 422], defined.text).toContain(defined.status);
    if (defined.status === 422) return;
    const body = {
      apiVersion: "attack.io/v1",
      kind: "Rule",
      metadata: { name: "a" },
      l: Array.from({ length: 500 }, (_, i) => i),
      s: "a".repeat(10_000),
    };
    const { status } = await victim.admin.post(objects("rules"), body);
    expect([201, 422]).toContain(status);
    await victim.admin.delete(`${path}/rules.attack.io`);
  });
});

describe("a definition that changes while it has objects", () => {
  it("never makes them unreadable, and does not break watches", async () => {
    const loose = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    const columns = {
      additionalPrinterColumns: [
        { name: "A", type: "date", jsonPath: ".a" },
        { name: "B", type: "integer", jsonPath: ".b[*].c" },
      ],
    };
    expect((await victim.admin.post(path, definitionOf("shifts", loose, columns))).status).toBe(201);
    for (const [name, a] of Object.entries({ one: 1, two: "x", three: { d: [1] }, four: [[{}]], five: null }))
      await victim.admin.post(objects("shifts"), {
        apiVersion: "attack.io/v1",
        kind: "Shift",
        metadata: { name },
        a,
        b: a,
      });
    const table = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
    const watching = victim.admin.get(`${objects("shifts")}?watch=true`, {
      headers: table,
      until: (text) => text.split("\n").length > 20,
    });
    for (const schema of [
      { type: "object", properties: { a: { type: "string" }, b: { type: "array", items: { type: "object" } } } },
      { type: "object", properties: { a: { type: "object", properties: { d: { type: "integer" } } } } },
      { type: "object", properties: { a: { type: "integer", default: 7 } } },
      loose,
    ]) {
      const { json } = await victim.admin.get(`${path}/shifts.attack.io`);
      const changed = {
        ...definitionOf("shifts", schema, columns),
        metadata: { name: "shifts.attack.io", resourceVersion: json.metadata.resourceVersion },
      };
      expect((await victim.admin.put(`${path}/shifts.attack.io`, changed)).status).toBe(200);
      for (const headers of [{}, table, { accept: "application/yaml" }])
        expect((await victim.admin.get(objects("shifts"), { headers })).status).toBe(200);
      for (const name of ["one", "two", "three", "four", "five"])
        expect(
          (
            await victim.admin.patch("merge", `${objects("shifts")}/${name}`, {
              metadata: { labels: { l: String(Math.random()).slice(2, 9) } },
            })
          ).status,
        ).toBeLessThan(500);
    }
    await watching;
  });
});

describe("random definitions", () => {
  const word = fc.constantFrom(
    "type",
    "properties",
    "items",
    "allOf",
    "not",
    "default",
    "pattern",
    "format",
    "enum",
    "nullable",
    "required",
    "additionalProperties",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-int-or-string",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-validations",
    "maxLength",
    "minimum",
    "multipleOf",
    "__proto__",
    "$ref",
    "description",
  );
  const scalar = fc.oneof(
    fc.constantFrom<unknown>(
      "object",
      "array",
      "string",
      "integer",
      "map",
      "set",
      "atomic",
      true,
      false,
      null,
      0,
      -1,
      1.5,
      "",
      "(",
      "self",
      [],
    ),
    fc.string({ maxLength: 5 }),
  );
  const { schema } = fc.letrec((tie) => ({
    schema: fc.dictionary(word, tie("value"), { maxKeys: 5 }),
    value: fc.oneof(
      { depthSize: "small" },
      scalar,
      tie("schema"),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.string({ maxLength: 3 }), tie("schema"), { maxKeys: 3 }),
    ),
  }));

  it("are accepted or refused, and accepted ones serve objects", async () => {
    await fc.assert(
      fc.asyncProperty(schema, fc.jsonValue({ maxDepth: 4 }), async (inner, value) => {
        const whole = { type: "object", properties: { spec: inner } };
        const { status, text } = await victim.admin.post(path, definitionOf("fuzzes", whole));
        expect([201, 400, 422], text).toContain(status);
        if (status !== 201) return;
        const body = { apiVersion: "attack.io/v1", kind: "Fuzze", metadata: { name: "a" }, spec: value };
        for (const answer of [
          await victim.admin.post(objects("fuzzes"), body),
          await victim.admin.patch("merge", `${objects("fuzzes")}/a`, { spec: value }),
          await victim.admin.patch("apply", `${objects("fuzzes")}/a?fieldManager=m&force=true`, body),
          await victim.admin.get(objects("fuzzes"), {
            headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
          }),
          await victim.admin.get("/openapi/v3/apis/attack.io/v1"),
        ])
          if (answer.status >= 500) expect(answer.text).toContain("failed to create typed patch object");
        expect((await victim.admin.delete(`${path}/fuzzes.attack.io`)).status).toBe(200);
        expect((await victim.admin.get(objects("fuzzes"))).status).toBe(404);
      }),
      { numRuns },
    );
  });
});
