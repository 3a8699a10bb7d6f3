import { describe, expect, it } from "vitest";
import { definition, definitionName, definitionOf } from "./definitions.ts";

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
  it("contains merge keys, formats and Go's encoding", () => {
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
