import { describe, expect, it } from "vitest";
import { definitionResource } from "../custom/definition-resource.ts";
import { builtinResources } from "../kinds/builtin-resources.ts";
import { definitionName, definitions } from "../kinds/definitions.ts";
import { specials } from "./decode-protobuf.ts";
import fieldNumbers from "./field-numbers.json" with { type: "json" };

const rows = fieldNumbers as Readonly<Record<string, string>>;
const inlined = new Set(
  Object.values(rows).flatMap((row) =>
    row
      .split(" ")
      .filter((field) => field.startsWith("+"))
      .map((field) => field.slice(1)),
  ),
);

/** The fields of a row, those of inlined messages included. */
function fieldsIn(name: string): string[] {
  return (rows[name] ?? "").split(" ").flatMap((field) => {
    if (field.startsWith("+")) return fieldsIn(field.slice(1));
    return field === "-" || field === "" ? [] : [field];
  });
}

/** `apiVersion` and `kind` of an object are in the envelope, not in its message. */
function fieldsExpected(name: string): string[] {
  const fields = Object.keys(definitions()[name]?.properties ?? {});
  const isKind = fields.includes("metadata") || name.endsWith(".DeleteOptions");
  return fields.filter((field) => !isKind || (field !== "apiVersion" && field !== "kind"));
}

const isSpecial = (name: string) => Object.hasOwn(specials, name.slice(name.lastIndexOf(".") + 1));

describe("the table of protobuf field numbers", () => {
  it("has a row for every built-in kind that is served", () => {
    const kinds = [...builtinResources(), definitionResource].map(({ group, version, kind }) =>
      definitionName(group, version, kind),
    );
    expect(kinds.filter((name) => !Object.hasOwn(rows, name))).toEqual([]);
  });

  it("names the fields of every definition that a body can contain, and no others", () => {
    const expected: Record<string, string[]> = {};
    const actual: Record<string, string[]> = {};
    for (const name of Object.keys(definitions())) {
      if (isSpecial(name)) continue;
      expected[name] = fieldsExpected(name).sort();
      actual[name] = Object.hasOwn(rows, name) ? fieldsIn(name).sort() : ["no row"];
    }
    expect(actual).toEqual(expected);
  });

  it("has rows of definitions and of messages inlined in them, and no others", () => {
    expect(Object.keys(rows).filter((name) => !Object.hasOwn(definitions(), name) && !inlined.has(name))).toEqual([]);
  });
});
