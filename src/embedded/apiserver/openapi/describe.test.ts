import { describe, expect, it } from "vitest";
import { at } from "../../../language/object/json.ts";
import { builtinResources } from "../kinds/builtin-resources.ts";
import { definitions } from "../kinds/definitions.ts";
import { described } from "./describe.ts";
import texts from "./descriptions.json" with { type: "json" };
import { openapiDocument } from "./document.ts";

const core = openapiDocument(builtinResources(), "", "v1", definitions())?.components.schemas;

describe("descriptions of built-in kinds", () => {
  it("explain every stored kind, and every field of a pod's spec", () => {
    const silent = builtinResources()
      .map(({ kind }) => kind)
      .filter((kind) => !(kind in texts));
    expect(silent).toEqual([]);
    const spec = at(core, "io.k8s.api.core.v1.PodSpec", "properties") as Record<string, { description?: string }>;
    expect(Object.keys(spec).filter((field) => !spec[field]?.description)).toEqual([]);
    expect(spec["securityContext"]).toMatchObject({
      description: "Security settings of the whole pod. Containers can override some.",
      allOf: [{ $ref: "#/components/schemas/io.k8s.api.core.v1.PodSecurityContext" }],
    });
  });

  it("name only fields that exist", () => {
    const fields = new Map<string, Set<string>>();
    for (const [name, { properties = {} }] of Object.entries(definitions())) {
      const kind = name.slice(name.lastIndexOf(".") + 1);
      fields.set(kind, new Set([...(fields.get(kind) ?? []), ...Object.keys(properties)]));
    }
    const unknown = Object.entries(texts as Record<string, object>)
      .filter(([kind]) => kind !== "*")
      .flatMap(([kind, of]) => Object.keys(of).filter((field) => field !== "" && !fields.get(kind)?.has(field)));
    expect(unknown).toEqual([]);
  });

  it("leave a component without texts as it is, but for fields that mean the same everywhere", () => {
    const component = { type: "object", properties: { metadata: {}, other: { type: "string" } } };
    expect(described("a.b.Unheard", component)).toEqual({
      type: "object",
      properties: { metadata: { description: expect.any(String) as string }, other: { type: "string" } },
    });
  });
});
