import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { at } from "../../src/language/object/json.ts";
import { readYaml } from "../../src/language/object/yaml.ts";
import { performanceProfileCrds } from "../../src/domain/performance-profile/crds.ts";
import type { Schema } from "../../src/language/schema/schema.ts";
import { checkStructural } from "../../src/language/schema/structural.ts";

interface Served {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: boolean;
  schema: { openAPIV3Schema: Schema };
}

const file = new URL("../fixtures/performance-profile/versions.yaml", import.meta.url);
const fixture = readYaml(readFileSync(file, "utf8")) as Record<string, Record<string, string>>;
const versions = at(performanceProfileCrds[0], "spec", "versions") as Served[];

/** Every field by its path, in the notation of the fixture. */
function fieldsOf(schema: Schema, path = "", isRequired = false): Record<string, string> {
  const { type, format, properties = {}, required = [], items, additionalProperties } = schema;
  const words = [
    type,
    format,
    isRequired && "required",
    "default" in schema && `default ${JSON.stringify(schema.default)}`,
  ];
  return {
    [path]: words.filter(Boolean).join(" "),
    ...Object.assign(
      {},
      ...Object.entries(properties).map(([name, field]) =>
        fieldsOf(field, path === "" ? name : `${path}.${name}`, required.includes(name)),
      ),
    ),
    ...(items ? fieldsOf(items, `${path}[]`) : {}),
    ...(typeof additionalProperties === "object" ? fieldsOf(additionalProperties, `${path}{}`) : {}),
  };
}

describe.each(versions)("version $name of PerformanceProfiles", ({ name, served, storage, deprecated, schema }) => {
  it("has all fields of the fixture, and the generation that a status belongs to", () => {
    const added = { "status.observedGeneration": "integer int64" };
    expect(fieldsOf(schema.openAPIV3Schema)).toEqual({ ...fixture["all"], ...fixture[name], ...added });
  });

  it("has a schema that servers accept", () => {
    expect(checkStructural(schema.openAPIV3Schema, "schema")).toEqual([]);
  });

  it("is served, and stored and current if it is the newest", () => {
    const isNewest = name === "v2";
    expect({ served, storage, deprecated: deprecated ?? false }).toEqual({
      served: true,
      storage: isNewest,
      deprecated: !isNewest,
    });
  });
});

it("has every version of the fixture", () => {
  expect(versions.map(({ name }) => name).toSorted()).toEqual(
    Object.keys(fixture)
      .filter((key) => key !== "all")
      .toSorted(),
  );
});
