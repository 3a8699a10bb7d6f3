import { expect, test } from "vitest";
import type { KubeObject } from "../../../language/object/meta.ts";
import { statusBefore } from "./operator-status-object.ts";

const of = (text: string) => {
  const observed: KubeObject = { apiVersion: "v1", kind: "ConfigMap", metadata: {}, data: { "status.json": text } };
  return statusBefore({ type: "ConfigMap", observed });
};

test("the status that was written last is read back", () => {
  const status = { conditions: [{ type: "Available", status: "True" }], versions: [] };
  expect(of(JSON.stringify(status))).toEqual(status);
});

test.each(["", "null", "[]", "{}", '{"conditions":5,"versions":[]}', '{"conditions":[null],"versions":[]}'])(
  "a status %j of another client counts as none",
  (text) => {
    expect(of(text)).toEqual({});
  },
);
