import { describe, expect, it } from "vitest";
import { WireReader } from "../protobuf/wire-reader.ts";
import { openapiV2 } from "./openapi-v2.ts";

describe("/openapi/v2", () => {
  it("is JSON without kinds", () => {
    const { contentType, body } = openapiV2("application/json");
    expect(contentType).toBe("application/json");
    expect(JSON.parse(body.toString())).toMatchObject({ swagger: "2.0", definitions: {} });
  });

  it.each([
    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
    "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
  ])("is protobuf for the media type %s", (accept) => {
    const { contentType, body } = openapiV2(accept);
    expect(contentType).toBe("application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
    const document = new WireReader(body);
    expect([document.tag().field, document.text()]).toEqual([1, "2.0"]);
    expect(document.tag().field).toBe(2);
    const info = document.message();
    expect([info.tag().field, info.text(), info.tag().field, info.text()]).toEqual([1, "Kubernetes", 2, "unversioned"]);
    expect(document.done && info.done).toBe(true);
  });
});
