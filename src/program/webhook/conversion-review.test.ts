import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../language/object/meta.ts";
import { BadReviewError, type ConversionHandler } from "./handler.ts";
import { answerConversion } from "./conversion-review.ts";

const handler: ConversionHandler = {
  definition: "widgets.example.com",
  convert({ spec, ...rest }, apiVersion) {
    if ((spec as { broken?: boolean }).broken) throw new Error("it is broken");
    return { ...rest, spec: { to: apiVersion } };
  },
};

const widget = (name: string, spec = {}): KubeObject => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name, namespace: "ns" },
  spec,
});

function review(objects: unknown, more: object = {}): object {
  const request = { uid: "u-1", desiredAPIVersion: "example.com/v2", objects, ...more };
  return { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", request };
}

describe("a conversion review", () => {
  test("is answered with all objects in order; objects in the desired version are unchanged", () => {
    const done = { ...widget("b"), apiVersion: "example.com/v2" };
    expect(answerConversion(handler, review([widget("a"), done, widget("c")])).review).toEqual({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "ConversionReview",
      response: {
        uid: "u-1",
        result: { status: "Success" },
        convertedObjects: [
          { ...widget("a", { to: "example.com/v2" }), apiVersion: "example.com/v2" },
          done,
          { ...widget("c", { to: "example.com/v2" }), apiVersion: "example.com/v2" },
        ],
      },
    });
  });

  test("fails as a whole if one object fails, and names it", () => {
    const { review: answer, failure } = answerConversion(handler, review([widget("a"), widget("b", { broken: true })]));
    expect(failure).toBe("convert Widget ns/b from example.com/v1 to example.com/v2: it is broken");
    expect(answer).toMatchObject({
      response: { convertedObjects: [], result: { status: "Failure", message: failure } },
    });
  });

  test.each<[string, unknown]>([
    ["of another kind", { ...review([]), kind: "AdmissionReview" }],
    ["without a request", { ...review([]), request: null }],
    ["without objects", review(undefined)],
    ["with a text among the objects", review(["x"])],
    ["without a version to become", review([], { desiredAPIVersion: undefined })],
  ])("%s is a BadReviewError", (_, body) => {
    expect(() => answerConversion(handler, body)).toThrow(BadReviewError);
  });
});
