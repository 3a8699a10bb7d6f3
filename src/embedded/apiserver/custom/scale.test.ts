import { describe, expect, it } from "vitest";
import { deepFreeze } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { StatusError } from "../status-error.ts";
import { applyScale, readScale, scaleToPatch, toScale, validateScale } from "./scale.ts";

const subresource = {
  type: "scale",
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".status.selector",
} as const;

function dial(spec: object, status?: object): KubeObject {
  const metadata = {
    name: "one",
    namespace: "rec",
    uid: "u",
    resourceVersion: "7",
    creationTimestamp: "2026-11-15T04:57:45Z",
    generation: 2,
    labels: { a: "b" },
  };
  return deepFreeze({ apiVersion: "rec.example.com/v1", kind: "Dial", metadata, spec, ...(status ? { status } : {}) });
}

function refusal(deed: () => unknown): unknown {
  try {
    return deed();
  } catch (error) {
    return error instanceof StatusError ? [error.code, error.message] : error;
  }
}

describe("reading a scale", () => {
  it("shows replicas, observed replicas and the selector, under the object's identity", () => {
    expect(readScale(dial({ replicas: 4 }, { replicas: 3, selector: "a=b" }), subresource)).toEqual({
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      metadata: {
        name: "one",
        namespace: "rec",
        uid: "u",
        resourceVersion: "7",
        creationTimestamp: "2026-11-15T04:57:45Z",
      },
      spec: { replicas: 4 },
      status: { replicas: 3, selector: "a=b" },
    });
  });

  it("leaves zero replicas out of the spec and writes them in the status", () => {
    const scale = readScale(dial({ replicas: 0 }), subresource);
    expect(scale["spec"]).toEqual({});
    expect(scale["status"]).toEqual({ replicas: 0 });
  });

  it("fails if the object has no replicas", () => {
    expect(refusal(() => readScale(dial({}), subresource))).toEqual([
      500,
      'Internal error occurred: the spec replicas field ".spec.replicas" does not exist',
    ]);
  });

  it("fails if replicas is not a number", () => {
    expect(refusal(() => toScale(dial({ replicas: "x" }), subresource))).toEqual([
      500,
      "Internal error occurred: .spec.replicas accessor error: x is of the type string, expected int64",
    ]);
  });
});

describe("applyScale", () => {
  it("sets the replicas of a copy, making the objects on the way to them", () => {
    const deep = { ...subresource, specReplicasPath: ".spec.pool.replicas" };
    const object = dial({ level: 4 });
    const scale = scaleToPatch(object, deep);
    expect(applyScale(object, { ...scale, spec: { replicas: 4 } }, deep)["spec"]).toEqual({
      level: 4,
      pool: { replicas: 4 },
    });
    expect(object["spec"]).toEqual({ level: 4 });
  });

  it("treats missing replicas as 0, and keeps the resourceVersion", () => {
    const object = dial({ replicas: 4 });
    const scaled = applyScale(
      object,
      { ...toScale(object, subresource), spec: {}, metadata: { resourceVersion: "6" } },
      subresource,
    );
    expect(scaled["spec"]).toEqual({ replicas: 0 });
    expect(scaled.metadata.resourceVersion).toBe("6");
  });

  it("rejects a patch that leaves replicas unset", () => {
    const object = dial({});
    expect(refusal(() => applyScale(object, scaleToPatch(object, subresource), subresource))).toEqual([
      400,
      'the spec replicas field ".spec.replicas" cannot be empty',
    ]);
  });
});

describe("validateScale", () => {
  it.each<[string, object, object | undefined, string[]]>([
    ["a valid scale", { replicas: 4 }, { replicas: 0, selector: "a" }, []],
    ["no replicas", {}, undefined, []],
    [
      "negative replicas",
      { replicas: -5 },
      undefined,
      [".spec.replicas: Invalid value: -5: should be a non-negative integer"],
    ],
    [
      "more than an int32",
      { replicas: 3000000000 },
      undefined,
      [".spec.replicas: Invalid value: 3000000000: should be less than or equal to 2147483647"],
    ],
    [
      "other types",
      {},
      { replicas: "x", selector: 3 },
      [
        ".status.replicas: Invalid value: 0: .status.replicas accessor error: x is of the type string, expected int64",
        '.status.selector: Invalid value: "": .status.selector accessor error: 3 is of the type int64, expected string',
      ],
    ],
  ])("%s", (_, spec, status, expected) => {
    const errors = validateScale(dial(spec, status), subresource, ["spec", "status"]);
    expect(errors.map(({ field, message }) => `${field}: ${message}`)).toEqual(expected);
  });

  it("checks only the part that is written", () => {
    expect(validateScale(dial({ replicas: -1 }), subresource, ["status"])).toEqual([]);
  });
});
