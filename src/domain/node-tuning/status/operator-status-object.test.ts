import { expect, test } from "vitest";
import { statusBefore } from "./operator-status-object.ts";

const of = (text: string) =>
  statusBefore({
    type: "ConfigMap",
    observed: { apiVersion: "v1", kind: "ConfigMap", metadata: {}, ...{ data: { "status.json": text } } },
  });

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
