import { describe, expect, it } from "vitest";
import { at } from "../../../language/object/json.ts";
import { builtinResources } from "../kinds/builtin-resources.ts";
import { definitions } from "../kinds/definitions.ts";
import { WireReader } from "../protobuf/wire-reader.ts";
import type { Resource } from "../resource.ts";
import { openapiV2Protobuf } from "./openapi-v2-protobuf.ts";
import { openapiV2 } from "./openapi-v2.ts";

const dialWith = (schema: object): Resource => ({
  ...(builtinResources()[0] as Resource),
  group: "rec.example.com",
  version: "v1",
  kind: "Dial",
  listKind: "DialList",
  plural: "dials",
  origin: "custom",
  schema,
});
const shownAs = (schema: object) =>
  openapiV2([dialWith(schema)], definitions()).definitions["com.example.rec.v1.Dial"] as Record<string, object>;
const dialKind = [{ group: "rec.example.com", version: "v1", kind: "Dial" }];

describe("/openapi/v2", () => {
  it("has every kind once, with references into definitions and typed parameters", () => {
    const { definitions: kinds, paths } = openapiV2(builtinResources(), definitions());
    expect(at(kinds, "io.k8s.api.core.v1.Pod", "properties", "spec")).toMatchObject({
      $ref: "#/definitions/io.k8s.api.core.v1.PodSpec",
    });
    expect(kinds["io.k8s.apimachinery.pkg.api.resource.Quantity"]).toMatchObject({ type: "string" });
    expect(kinds["io.k8s.apimachinery.pkg.util.intstr.IntOrString"]).toMatchObject({ type: "string" });
    expect(JSON.stringify({ kinds, paths })).not.toMatch(/#\/components|"(oneOf|anyOf|nullable)":/);
    const references = new Set(JSON.stringify({ kinds, paths }).match(/#\/definitions\/[^"]+/g));
    for (const reference of references) expect(kinds).toHaveProperty([reference.slice("#/definitions/".length)]);
    const patch = at(paths, "/api/v1/namespaces/{namespace}/configmaps/{name}", "patch") as Record<string, unknown>;
    expect(patch["consumes"]).toContain("application/apply-patch+yaml");
    expect(patch["parameters"]).toContainEqual(
      expect.objectContaining({ in: "query", name: "dryRun", type: "string" }) as object,
    );
    expect(at(patch, "responses", "200", "schema")).toEqual({ $ref: "#/definitions/io.k8s.api.core.v1.ConfigMap" });
  });

  it("describes a custom kind by its schema", () => {
    const spec = { type: "object", required: ["mode"], properties: { mode: { type: "string", enum: ["a"] } } };
    const shown = shownAs({ type: "object", description: "Turns.", properties: { spec } });
    expect(shown).toMatchObject({ description: "Turns.", "x-kubernetes-group-version-kind": dialKind });
    expect(shown["properties"]).toMatchObject({
      spec,
      metadata: { $ref: expect.stringContaining("ObjectMeta") as string },
    });
  });

  it.each([
    [{ type: "object", nullable: true, properties: { a: {} } }, {}],
    [
      { type: "array", "x-kubernetes-preserve-unknown-fields": true, items: {} },
      { "x-kubernetes-preserve-unknown-fields": true },
    ],
    [{ "x-kubernetes-int-or-string": true }, { "x-kubernetes-int-or-string": true }],
    [
      { type: "object", required: ["a", "b"], properties: { a: { type: "string", nullable: true }, b: {} } },
      { type: "object", required: ["b"], properties: { a: {}, b: {} } },
    ],
  ])("leaves open what version 2 cannot express: %j is shown as %j", (schema, shown) => {
    expect(shownAs({ type: "object", properties: { spec: schema } })["properties"]).toMatchObject({ spec: shown });
    expect(at(shownAs({ type: "object", properties: { spec: schema } }), "properties", "spec")).toEqual(shown);
  });

  it("describes no fields of a kind that keeps unknown ones", () => {
    expect(shownAs({ type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { a: {} } })).toEqual({
      type: "object",
      "x-kubernetes-group-version-kind": dialKind,
    });
  });

  it("has its definitions in protobuf too", () => {
    const document = openapiV2(
      [dialWith({ type: "object", properties: { spec: { type: "integer", minimum: 3 } } })],
      definitions(),
    );
    const names: string[] = [];
    const reader = new WireReader(openapiV2Protobuf(document));
    expect([reader.tag().field, reader.text()]).toEqual([1, "2.0"]);
    expect(reader.tag().field).toBe(2);
    reader.message();
    expect(reader.tag().field).toBe(9);
    for (const kinds = reader.message(); !kinds.done;) {
      kinds.tag();
      const entry = kinds.message();
      expect(entry.tag().field).toBe(1);
      names.push(entry.text());
      expect(entry.tag().field).toBe(2);
      if (names.at(-1) === "com.example.rec.v1.Dial") expect(fieldsIn(entry.message())).toEqual([22, 25, 31]);
      else entry.message();
    }
    expect(names).toEqual(Object.keys(document.definitions));
    expect(reader.done).toBe(true);
  });
});

function fieldsIn(reader: WireReader): number[] {
  const found: number[] = [];
  while (!reader.done) {
    const { field, wireType } = reader.tag();
    found.push(field);
    reader.skip(wireType);
  }
  return found;
}
