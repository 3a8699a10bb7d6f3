import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../language/object/meta.ts";
import type { PrinterColumn } from "./definition.ts";
import { columnsOf } from "./printer-columns.ts";

const now = Date.parse("2026-11-15T04:57:46Z");
const object: KubeObject = {
  apiVersion: "rec.example.com/v1",
  kind: "Dial",
  metadata: { name: "one", creationTimestamp: "2026-11-15T04:57:45Z" },
  spec: { n: 1.5, i: 7, b: true, a: "hello", t: "2020-01-01T00:00:00Z", m: { z: 1, a: ["x"] }, nul: null },
};

function cell(type: PrinterColumn["type"], jsonPath: string): unknown {
  return columnsOf([{ name: "C", type, jsonPath }])[1]?.cell(object, now);
}

describe("columnsOf", () => {
  it.each<[PrinterColumn["type"], string, unknown]>([
    ["string", ".spec.a", "hello"],
    ["string", ".spec.n", "1.5"],
    ["string", ".spec.b", "true"],
    ["string", ".spec.m", '{"a":["x"],"z":1}'],
    ["string", ".spec.nope", null],
    ["string", ".spec.nul", null],
    ["integer", ".spec.n", 1],
    ["integer", ".spec.i", 7],
    ["integer", ".spec.a", null],
    ["number", ".spec.n", 1.5],
    ["boolean", ".spec.b", true],
    ["boolean", ".spec.a", null],
    ["date", ".spec.t", "6y320d"],
    ["date", ".metadata.creationTimestamp", "1s"],
    ["date", ".spec.a", "<invalid>"],
    ["date", ".spec.i", null],
  ])("shows as %s what %s finds: %j", (type, path, shown) => {
    expect(cell(type, path)).toBe(shown);
  });

  it("puts the name first and describes a column by its path unless the definition does", () => {
    const columns = columnsOf([
      { name: "Level", type: "integer", jsonPath: ".spec.i" },
      { name: "Wide", type: "number", format: "double", jsonPath: ".spec.n", priority: 1, description: "How wide." },
    ]);
    expect(columns.map(({ name, type, format, priority }) => [name, type, format, priority])).toEqual([
      ["Name", "string", "name", 0],
      ["Level", "integer", undefined, 0],
      ["Wide", "number", "double", 1],
    ]);
    expect(columns[0]?.cell(object, now)).toBe("one");
    expect(columns[1]?.description).toContain(".spec.i");
    expect(columns[2]?.description).toBe("How wide.");
  });

  it("shows the age of a kind without columns", () => {
    const columns = columnsOf();
    expect(columns.map(({ name, type }) => [name, type])).toEqual([
      ["Name", "string"],
      ["Age", "date"],
    ]);
    expect(columns[1]?.cell(object, now)).toBe("1s");
  });

  it("stops at an invalid path", () => {
    const columns = columnsOf([
      { name: "Good", type: "string", jsonPath: ".spec.a" },
      { name: "Bad", type: "string", jsonPath: '.spec["a"]' },
      { name: "After", type: "string", jsonPath: ".spec.a" },
    ]);
    expect(columns.map(({ name }) => name)).toEqual(["Name", "Good"]);
  });
});
