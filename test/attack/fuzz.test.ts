import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { builtinResources } from "../../src/embedded/apiserver/kinds/builtin-resources.ts";
import { apiVersion } from "../../src/embedded/apiserver/registry.ts";
import type { Resource } from "../../src/embedded/apiserver/resource.ts";
import type { Schema } from "../../src/language/schema/schema.ts";
import type { Client } from "./client.ts";
import { expectUnharmed } from "./survival.ts";
import { startVictim, type Victim } from "./victim.ts";

const numRuns = process.env.ATTUNE_LONG ? 500 : 20;

let victim: Victim;
beforeAll(async () => {
  victim = await startVictim({ housekeeping: false });
});
afterAll(() => victim.close());

/** Values that break code which only handles expected ones. */
const oddity = fc.oneof(
  fc.constantFrom(
    null,
    true,
    false,
    0,
    -1,
    1.5,
    1e21,
    2 ** 53,
    -(2 ** 63),
    "",
    "x",
    "\u0000",
    "__proto__",
    "-",
    "1",
    " ",
  ),
  fc.constantFrom<unknown>([], {}, [null], [[]], [{}], { "": "" }, { a: null }, "2020-01-01T00:00:00Z", "1Gi", "100%"),
  fc.string({ maxLength: 8 }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** An object of the schema with odd values of the right type; with `wild` some have another type. */
function likely(schema: Schema, wild: boolean, depth = 7): fc.Arbitrary<unknown> {
  if (depth <= 0) return wild ? oddity : fc.constant(undefined);
  const right = fc.constant(null).chain(() => typed(schema, wild, depth));
  return wild ? fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: oddity }) : right;
}

function typed(schema: Schema, wild: boolean, depth: number): fc.Arbitrary<unknown> {
  const { properties, items, additionalProperties } = schema;
  if (properties) {
    const names = Object.keys(properties);
    return fc
      .subarray(names, { maxLength: Math.min(names.length, 6) })
      .chain((chosen) =>
        fc.record(
          Object.fromEntries(chosen.map((name) => [name, likely(properties[name] as Schema, wild, depth - 1)])),
        ),
      );
  }
  if (items) return fc.array(likely(items, wild, depth - 1), { maxLength: 3 });
  if (typeof additionalProperties === "object")
    return fc.dictionary(fc.string({ maxLength: 4 }), likely(additionalProperties, wild, depth - 1), { maxKeys: 3 });
  switch (schema.type) {
    case "integer":
    case "number":
      return fc.constantFrom(0, 1, 5, 80, -3, 65_536, 2 ** 31 - 1, -(2 ** 31));
    case "boolean":
      return fc.boolean();
    case "string":
      return fc.constantFrom(
        "a",
        "b",
        "Always",
        "2020-01-01T00:00:00Z",
        "1",
        "a/b",
        "",
        "\u0000",
        "9".repeat(30),
        "-1e9",
      );
    default:
      return oddity;
  }
}

const pathOf = ({ group, version, plural, namespaced }: Resource): string =>
  `${group === "" ? "/api" : `/apis/${group}`}/${version}${namespaced ? "/namespaces/default" : ""}/${plural}`;

/** The server never fails, and stored objects can be read in every representation. */
async function expectAnswer(answer: ReturnType<Client["get"]>): Promise<number> {
  const { status, text } = await answer;
  // Like kube-apiserver, the server refuses some patches with 500, with a message and without logging a failure.
  if (status >= 500) expect(JSON.parse(text)).not.toHaveProperty("reason");
  else if (status >= 400) expect(JSON.parse(text)).toMatchObject({ kind: "Status", code: status });
  return status;
}

async function expectReadable(admin: Client, path: string): Promise<void> {
  for (const accept of [
    "application/json",
    "application/yaml",
    "application/json;as=Table;v=v1;g=meta.k8s.io",
    "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
  ]) {
    const { status, text } = await admin.get(path, { headers: { accept } });
    expect({ accept, status, text: status === 200 ? "" : text }).toEqual({ accept, status: 200, text: "" });
  }
}

const name = "fuzzed";

describe.each(builtinResources().map((resource) => [resource.kind, resource] as const))("%s", (_, resource) => {
  const path = pathOf(resource);
  const whole = fc.boolean().chain((wild) => likely(resource.schema, wild));

  it("survives random creates, updates, patches and applies", async () => {
    const { admin } = victim;
    await fc.assert(
      fc.asyncProperty(whole, oddity, fc.boolean(), async (value, oddValue, named) => {
        const object =
          named && typeof value === "object" && value !== null && !Array.isArray(value) ? sound(value) : value;
        const created = await expectAnswer(admin.post(path, object));
        if (created === 201) await expectReadable(admin, path);
        await expectAnswer(admin.put(`${path}/${name}`, object));
        await expectAnswer(admin.put(`${path}/${name}/status`, object));
        await expectAnswer(admin.patch("merge", `${path}/${name}`, value));
        await expectAnswer(admin.patch("strategic", `${path}/${name}`, value));
        await expectAnswer(admin.patch("strategic", `${path}/${name}/status`, oddValue));
        await expectAnswer(admin.patch("json", `${path}/${name}`, [{ op: "add", path: "/spec", value: oddValue }]));
        await expectAnswer(admin.patch("apply", `${path}/${name}?fieldManager=f&force=true`, object));
        await expectAnswer(
          admin.patch("apply", `${path}/${name}?fieldManager=g&force=true`, sound({ spec: oddValue })),
        );
        await expectReadable(admin, path);
        await expectAnswer(admin.delete(`${path}/${name}?gracePeriodSeconds=0`, oddValue ?? undefined));
        await expectAnswer(admin.delete(`${path}/${name}?gracePeriodSeconds=0`));
      }),
      { numRuns },
    );
    await expectUnharmed(victim);
  });

  function sound(value: object): object {
    const metadata = (value as { metadata?: object }).metadata;
    return {
      ...value,
      kind: resource.kind,
      apiVersion: apiVersion(resource),
      metadata: { ...(typeof metadata === "object" ? metadata : {}), name },
    };
  }
});
