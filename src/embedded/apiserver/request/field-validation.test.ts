import { describe, expect, it } from "vitest";
import { SmallServer } from "../testing/small-server.ts";
import { patch } from "./patch.ts";

const repeated = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  a: first\n  a: second\n";
const message = 'error converting YAML to JSON: yaml: unmarshal errors:\n  line 6: key "a" already set in map';

async function serverWith(text: string, type: string, fieldValidation: string) {
  const server = new SmallServer();
  await server.createNamespaces("n");
  await server.create("configmaps", { metadata: { name: "c", namespace: "n" } });
  const query = { fieldValidation, ...(type === "application/apply-patch+yaml" ? { fieldManager: "m" } : {}) };
  const context = server.context("configmaps", { namespace: "n", name: "c", query });
  await patch(context, text, type);
  return server;
}

describe("field validation of patches", () => {
  it("refuses, warns about or ignores repeated keys of an applied configuration", async () => {
    const sent = (mode: string) => serverWith(repeated, "application/apply-patch+yaml", mode);
    await expect(sent("Strict")).rejects.toMatchObject({
      code: 400,
      message: `error strict decoding YAML: ${message}`,
    });
    expect((await sent("Warn")).warnings).toEqual([message]);
    const server = await sent("Ignore");
    expect(server.warnings).toEqual([]);
    expect(server.get("configmaps", { namespace: "n", name: "c" }).data).toEqual({ a: "second" });
  });

  it.each(["application/merge-patch+json", "application/strategic-merge-patch+json"])(
    "does the same for repeated and unknown fields of a patch of type %s",
    async (type) => {
      const sent = (mode: string) => serverWith('{"data":{"a":"1","a":"2"},"more":1}', type, mode);
      const complaints = ['duplicate field "data.a"', 'unknown field "more"'];
      await expect(sent("Strict")).rejects.toMatchObject({
        code: 422,
        details: { causes: [{ message: `Invalid value: strict decoding error: ${complaints.join(", ")}` }] },
      });
      expect((await sent("Warn")).warnings).toEqual(complaints);
    },
  );
});
