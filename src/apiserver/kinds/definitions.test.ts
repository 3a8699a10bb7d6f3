import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isObject } from "../../object/json.ts";
import { definition, definitionName, definitionOf, definitions } from "./definitions.ts";

describe("definitionName", () => {
  it.each([
    ["", "v1", "Pod", "io.k8s.api.core.v1.Pod"],
    ["apps", "v1", "DaemonSet", "io.k8s.api.apps.v1.DaemonSet"],
    ["rbac.authorization.k8s.io", "v1", "Role", "io.k8s.api.rbac.v1.Role"],
    ["meta.k8s.io", "v1", "DeleteOptions", "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"],
    [
      "apiextensions.k8s.io",
      "v1",
      "CustomResourceDefinition",
      "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition",
    ],
  ])("of %j %s %s is %s", (group, version, kind, name) => {
    expect(definitionName(group, version, kind)).toBe(name);
    expect(definition(name).type).toBe("object");
  });
});

describe("a linked schema", () => {
  it("says how lists merge, what values mean and what Go writes", () => {
    const spec = definitionOf("", "v1", "Pod").properties?.spec;
    expect(spec?.properties?.containers).toMatchObject({
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      "x-kubernetes-patch-strategy": "merge",
      "x-kubernetes-patch-merge-key": "name",
    });
    const container = spec?.properties?.containers?.items;
    expect(container?.properties?.resources?.properties?.limits?.additionalProperties).toMatchObject({
      format: "quantity",
    });
    expect(container?.properties?.ports?.items?.properties?.protocol?.default).toBe("TCP");
    expect(spec?.go?.pointers).toContain("terminationGracePeriodSeconds");
    expect(definitionOf("", "v1", "Secret").properties?.data?.additionalProperties).toMatchObject({ format: "byte" });
  });

  it("contains itself where Go's type does", () => {
    const schema = definition("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps");
    expect(schema.properties?.not).toBe(schema);
    expect(schema.properties?.["$ref"]).toEqual({ type: "string" });
  });

  it("is refused for a name that is not generated", () => {
    expect(() => definition("constructor")).toThrow("find schema definition constructor: not generated");
  });
});

const directory = process.env.ATTUNE_OPENAPI_DIR;
if (!directory) console.log("not run: comparison with a real /openapi/v3 (ATTUNE_OPENAPI_DIR is not set)");

describe.skipIf(!directory)("the generated components", () => {
  it("agree with those a real server publishes", () => {
    const real = readReal(directory ?? "");
    const ours = definitions();
    const differences: string[] = [];
    for (const [name, component] of Object.entries(ours)) {
      const other = real.get(name);
      if (!other) differences.push(`${name}: not published`);
      else if (JSON.stringify(comparable(component)) !== JSON.stringify(comparable(other)))
        differences.push(
          `${name}:\n ours ${JSON.stringify(comparable(component))}\n real ${JSON.stringify(comparable(other))}`,
        );
    }
    expect(differences).toEqual([]);
  });
});

function readReal(folder: string): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
    const document = JSON.parse(readFileSync(join(folder, file), "utf8")) as { components?: { schemas?: object } };
    for (const [name, component] of Object.entries(document.components?.schemas ?? {})) found.set(name, component);
  }
  return found;
}

const ownWords = new Set([
  "go",
  "description",
  "x-kubernetes-group-version-kind",
  "x-kubernetes-unions",
  "x-kubernetes-int-or-string",
  "x-kubernetes-preserve-unknown-fields",
]);

/** Both sides in one form: no descriptions, no zero defaults, references unwrapped, keys sorted. */
function comparable(value: unknown, names = false): unknown {
  if (Array.isArray(value)) return value.map((item) => comparable(item));
  if (!isObject(value)) return value;
  const { allOf, ...rest } = value;
  const source = !names && Array.isArray(allOf) && allOf.length === 1 ? { ...rest, ...(allOf[0] as object) } : value;
  const entries = Object.entries(source)
    .filter(
      ([key, child]) =>
        names ||
        !(ownWords.has(key) || ((key === "default" || key === "properties") && isZero(child)) || child === "quantity"),
    )
    .map(([key, child]) => [key, comparable(child, !names && key === "properties")] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const isZero = (value: unknown): boolean =>
  value === "" || value === 0 || value === false || (isObject(value) && Object.keys(value).length === 0);
