import { beforeEach, describe, expect, it } from "vitest";
import { builtinResources } from "./kinds/builtin-resources.ts";
import { apiVersion, collectionOf, Registry } from "./registry.ts";
import type { Resource } from "./resource.ts";

let registry: Registry;
beforeEach(() => {
  registry = new Registry(builtinResources());
});

const widgets = (version: string): Resource => ({
  ...(builtinResources()[0] as Resource),
  group: "x.io",
  version,
  plural: "widgets",
  origin: "custom",
});

describe("the registry", () => {
  it("finds resources by group, version and plural", () => {
    expect(registry.find("apps", "v1", "daemonsets")?.kind).toBe("DaemonSet");
    expect(registry.find("", "v1", "pods")?.kind).toBe("Pod");
    for (const [group, version, plural] of [
      ["apps", "v2", "daemonsets"],
      ["", "v1", "daemonsets"],
      ["", "v1", "constructor"],
      ["apps/v1", "", "daemonsets"],
    ] as const)
      expect(registry.find(group, version, plural)).toBeUndefined();
  });

  it("replaces and removes the resources of a definition", () => {
    registry.setCustom("widgets.x.io", [widgets("v1"), widgets("v2")]);
    expect(registry.hasGroupVersion("x.io", "v2")).toBe(true);
    registry.setCustom("widgets.x.io", [widgets("v1")]);
    expect(registry.find("x.io", "v2", "widgets")).toBeUndefined();
    expect(registry.hasGroupVersion("x.io", "v2")).toBe(false);
    registry.setCustom("widgets.x.io", []);
    expect(registry.hasGroup("x.io")).toBe(false);
    expect(registry.all()).toEqual(registry.builtin);
  });

  it("moves its generation with every change", () => {
    const before = registry.generation;
    registry.setCustom("widgets.x.io", [widgets("v1")]);
    expect(registry.generation).toBe(before + 1);
    registry.setCustom("widgets.x.io", []);
    expect(registry.generation).toBe(before + 2);
  });

  it("keeps the collection of a kind the same in every version", () => {
    expect(collectionOf(widgets("v1"))).toBe("widgets.x.io");
    expect(collectionOf(widgets("v2"))).toBe("widgets.x.io");
    expect([apiVersion(widgets("v1")), apiVersion({ group: "", version: "v1" })]).toEqual(["x.io/v1", "v1"]);
  });
});
