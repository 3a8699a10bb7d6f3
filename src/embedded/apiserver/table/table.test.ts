import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../language/object/meta.ts";
import { builtinResources } from "../kinds/builtin-resources.ts";
import type { Column, Resource } from "../resource.ts";
import { partialMetadata, partialMetadataList } from "./partial-metadata.ts";
import { toTable, toTableEvent, type IncludeObject } from "./table.ts";

const columns: Column[] = [
  { name: "Name", type: "string", format: "name", description: "Its name.", priority: 0, cell: (o) => o.metadata.name },
  { name: "Data", type: "string", priority: 0, cell: (o) => Object.keys(o["data"] ?? {}).length },
  { name: "Note", type: "string", priority: 1, cell: () => undefined },
  { name: "Age", type: "string", priority: 0, cell: (_, now) => `${now / 1000}s` },
];
const resource = { columns, origin: "builtin", schema: {} } as const;
const l1: KubeObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "l1", namespace: "rec", resourceVersion: "7", labels: { l: "yes" } },
  data: { i: "1" },
};
const definitions = [
  { name: "Name", type: "string", format: "name", description: "Its name.", priority: 0 },
  { name: "Data", type: "string", format: "", description: "", priority: 0 },
  { name: "Note", type: "string", format: "", description: "", priority: 1 },
  { name: "Age", type: "string", format: "", description: "", priority: 0 },
];
const cells = ["l1", 1, null, "3s"];
const metadataOnly = { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: l1.metadata };

describe("toTable", () => {
  const cases: [IncludeObject, unknown][] = [
    ["None", null],
    ["Metadata", metadataOnly],
    ["Object", l1],
  ];
  it.each(cases)("with includeObject %s puts that much of the object into a row", (includeObject, object) => {
    const listMeta = { resourceVersion: "9", continue: "token" };
    expect(toTable({ resource, objects: [l1], listMeta, includeObject, now: 3000 })).toEqual({
      kind: "Table",
      apiVersion: "meta.k8s.io/v1",
      metadata: listMeta,
      columnDefinitions: definitions,
      rows: [{ cells, object }],
    });
  });

  it("has columns and no rows when nothing was found", () => {
    const table = toTable({ resource, objects: [], listMeta: {}, includeObject: "Metadata", now: 0 });
    expect(table.columnDefinitions).toEqual(definitions);
    expect(table.rows).toEqual([]);
  });
});

describe("toTableEvent", () => {
  const event = { resource, object: l1, includeObject: "None", now: 3000 } as const;

  it("carries the columns in the first event only", () => {
    expect(toTableEvent({ ...event, isFirst: true }).columnDefinitions).toEqual(definitions);
    expect(toTableEvent({ ...event, isFirst: false })).toEqual({
      kind: "Table",
      apiVersion: "meta.k8s.io/v1",
      metadata: { resourceVersion: "7" },
      columnDefinitions: null,
      rows: [{ cells, object: null }],
    });
  });

  it("keeps the metadata of a bookmark and prints it as an empty object", () => {
    const object: KubeObject = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { resourceVersion: "8", annotations: { "k8s.io/initial-events-end": "true" } },
    };
    const bookmark = { ...event, object, isFirst: false, isBookmark: true };
    const partial = { ...metadataOnly, metadata: object.metadata };
    expect(toTableEvent(bookmark).rows).toEqual([{ cells: ["", 0, "", "3s"], object: partial }]);
    expect(toTableEvent({ ...bookmark, includeObject: "Object" }).rows).toMatchObject([{ object }]);
    const custom = { ...resource, origin: "custom" } as const;
    expect(toTableEvent({ ...bookmark, resource: custom }).rows).toMatchObject([{ cells: ["", 0, null, "3s"] }]);
  });

  it.each([
    ["services", ["", "", "<none>", "<unknown>", "<none>", "<unknown>", "<none>"]],
    ["daemonsets", ["", 0, 0, 0, 0, 0, "<none>", "<unknown>", "", "", "<none>"]],
    ["deployments", ["", "0/0", 0, 0, "<unknown>", "", "", ""]],
    ["replicasets", ["", 0, 0, 0, "<unknown>", "", "", "<none>"]],
    ["cronjobs", ["", "", "<none>", "<unset>", 0, "<none>", "<unknown>", "", "", "<none>"]],
    ["jobs", ["", "Running", "0/1", "", "<unknown>", "", "", "<none>"]],
  ])("prints a bookmark of %s as a real server does", (plural, cells) => {
    const kind = builtinResources().find((found) => found.plural === plural) as Resource;
    const bare: KubeObject = { apiVersion: "", kind: kind.kind, metadata: {} };
    const bookmark = { ...event, resource: kind, object: bare, isFirst: false, isBookmark: true };
    expect(toTableEvent(bookmark).rows).toMatchObject([{ cells }]);
  });

  it("prints a bookmark although its columns need a valid object", () => {
    const count: Column = { name: "N", type: "integer", priority: 0, cell: (o) => (o["spec"] as { n: number }).n };
    const bare: KubeObject = { apiVersion: "v1", kind: "ConfigMap", metadata: {} };
    const table = toTableEvent({
      ...event,
      resource: { ...resource, columns: [count] },
      object: bare,
      isFirst: false,
      isBookmark: true,
    });
    expect(table.rows).toMatchObject([{ cells: [0] }]);
  });
});

describe("partialMetadata", () => {
  it("keeps metadata alone, of one object and of a list", () => {
    expect(partialMetadata(l1)).toEqual(metadataOnly);
    expect(partialMetadataList([l1], { resourceVersion: "9" })).toEqual({
      kind: "PartialObjectMetadataList",
      apiVersion: "meta.k8s.io/v1",
      metadata: { resourceVersion: "9" },
      items: [metadataOnly],
    });
  });
});
