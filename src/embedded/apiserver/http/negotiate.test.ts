import { describe, expect, it } from "vitest";
import { mediaType } from "../body/body.ts";
import { negotiate } from "./negotiate.ts";

const offered = ["Table", "PartialObjectMetadata"];
const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
const cases: [string | undefined, [string, string] | undefined][] = [
  [undefined, ["json", "object"]],
  ["*/*", ["json", "object"]],
  ["application/json", ["json", "object"]],
  ["application/yaml", ["yaml", "object"]],
  ["application/vnd.kubernetes.protobuf,application/json", ["json", "object"]],
  ["application/vnd.kubernetes.protobuf", undefined],
  ["text/html", undefined],
  ["text/html;q=0.9,*/*;q=0.1", ["json", "object"]],
  [`${table},application/json`, ["json", "Table"]],
  ["application/json;as=Table;v=v1;g=other.io,application/json", ["json", "object"]],
  ["application/json;as=Nothing;v=v1;g=meta.k8s.io", undefined],
  ["application/json;q=0.1,application/yaml", ["yaml", "object"]],
  ["application/json;as=Table;v=v9;g=meta.k8s.io,application/json", ["json", "object"]],
  ["application/*", undefined],
  ["application/json;q=0", undefined],
  ["application/json;__proto__=x", ["json", "object"]],
];

describe("negotiation", () => {
  it.each(cases)("Accept: %s", (accept, expected) => {
    const found = negotiate(accept, offered);
    expect(found && [found.format, found.as]).toEqual(expected);
  });

  it("reads the media type of a content type", () => {
    expect(mediaType("Application/JSON; charset=utf-8")).toBe("application/json");
    expect(mediaType(undefined)).toBe("");
  });
});
