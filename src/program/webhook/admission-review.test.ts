import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../language/object/meta.ts";
import { type AdmissionHandler, BadReviewError, type Decision } from "./handler.ts";
import { answerAdmission } from "./admission-review.ts";

const object: KubeObject = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: { a: "1" } };
const request = {
  uid: "u-1",
  kind: { group: "", version: "v1", kind: "ConfigMap" },
  resource: { group: "", version: "v1", resource: "configmaps" },
  operation: "CREATE",
  userInfo: { username: "jane" },
  object,
  oldObject: null,
};
const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request };

function deciding(decision: Decision): AdmissionHandler {
  return { name: "h", type: "mutating", rules: [], entries: [{ failurePolicy: "Fail" }], review: () => decision };
}

interface Response {
  response: { uid: string; allowed: boolean; patch?: string; patchType?: string; status?: object; warnings?: string[] };
}

async function response(decision: Decision, body: unknown = review): Promise<Response["response"]> {
  return ((await answerAdmission(deciding(decision), body)).review as Response).response;
}

describe("an admission review", () => {
  test("is answered in its own version, with its own uid", async () => {
    const body = { ...review, apiVersion: "admission.k8s.io/v1beta1" };
    const { review: answer } = await answerAdmission(deciding({ type: "allow" }), body);
    expect(answer).toEqual({
      apiVersion: "admission.k8s.io/v1beta1",
      kind: "AdmissionReview",
      response: { uid: "u-1", allowed: true },
    });
  });

  test("is denied with a code and warnings", async () => {
    const refused = await response({ type: "deny", message: "no", code: 422, reason: "Invalid", warnings: ["w"] });
    expect(refused).toEqual({
      uid: "u-1",
      allowed: false,
      status: { status: "Failure", message: "no", reason: "Invalid", code: 422 },
      warnings: ["w"],
    });
    expect(await response({ type: "deny", message: "no" })).toMatchObject({
      status: { code: 403, reason: "Forbidden" },
    });
  });

  test("gets changes as a patch, and no patch without changes", async () => {
    expect(await response({ type: "allow", object })).not.toHaveProperty("patch");
    const { patch = "", patchType } = await response({ type: "allow", object: { ...object, data: { a: "2" } } });
    expect(patchType).toBe("JSONPatch");
    expect(JSON.parse(Buffer.from(patch, "base64").toString())).toEqual([
      { op: "replace", path: "/data/a", value: "2" },
    ]);
  });

  test.each<[string, unknown]>([
    ["is null", null],
    ["is a list", []],
    ["is of another kind", { ...review, kind: "ConversionReview" }],
    ["is of another version", { ...review, apiVersion: "admission.k8s.io/v2" }],
    ["has no request", { ...review, request: undefined }],
    ["has no uid", { ...review, request: { ...request, uid: "" } }],
    ["has no kind", { ...review, request: { ...request, kind: "ConfigMap" } }],
    ["has a text for an object", { ...review, request: { ...request, object: "x" } }],
    ["has an object with a text for metadata", { ...review, request: { ...request, object: { metadata: "x" } } }],
  ])("that %s is a BadReviewError", async (_, body) => {
    await expect(response({ type: "allow" }, body)).rejects.toThrow(BadReviewError);
  });
});
