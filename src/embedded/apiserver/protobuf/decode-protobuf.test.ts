import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../language/object/json.ts";
import { decodeProtobuf } from "./decode-protobuf.ts";
import { WireError } from "./wire-reader.ts";

/** Just enough of a writer to say by hand what Go clients send. */
const varint = (value: bigint | number): number[] => {
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes: number[] = [];
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return [...bytes, Number(rest)];
};
type Field = [number: number, value: string | number | bigint | boolean | Buffer | Field[]];
const message = (fields: Field[]): Buffer => Buffer.from(fields.flatMap(([number, value]) => field(number, value)));
const field = (number: number, value: Field[1]): number[] => {
  if (typeof value === "boolean") return [...varint(number * 8), value ? 1 : 0];
  if (typeof value === "number" || typeof value === "bigint") return [...varint(number * 8), ...varint(value)];
  const bytes = typeof value === "string" ? Buffer.from(value) : Buffer.isBuffer(value) ? value : message(value);
  return [...varint(number * 8 + 2), ...varint(bytes.length), ...bytes];
};
const envelope = (apiVersion: string, kind: string, fields: Field[]): Buffer =>
  Buffer.concat([
    Buffer.from("k8s\0"),
    message([
      [
        1,
        [
          [1, apiVersion],
          [2, kind],
        ],
      ],
      [2, fields],
      [3, ""],
      [4, ""],
    ]),
  ]);

const typed = (type: string): Field[] => [[5, type]];
const openApiSchema: Field[] = [
  [5, "object"],
  [8, [[1, '[1,"a"]']]],
  [20, [[1, '"x"']]],
  [20, [[1, "5"]]],
  [20, []],
  [24, [[1, typed("string")]]],
  [33, [[1, false]]],
  [
    30,
    [
      [1, true],
      [2, typed("integer")],
    ],
  ],
  [
    32,
    [
      [1, "a"],
      [
        2,
        [
          [2, "b"],
          [2, "c"],
        ],
      ],
    ],
  ],
  [
    32,
    [
      [1, "d"],
      [2, [[1, typed("object")]]],
    ],
  ],
  [
    28,
    [
      [
        24,
        [
          [2, typed("string")],
          [2, typed("integer")],
        ],
      ],
      [30, [[1, true]]],
    ],
  ],
];

const cases: [string, Buffer, JsonObject][] = [
  [
    "maps and metadata of a ConfigMap",
    envelope("v1", "ConfigMap", [
      [
        1,
        [
          [1, "a"],
          [3, "ns"],
          [
            11,
            [
              [1, "app"],
              [2, "x"],
            ],
          ],
        ],
      ],
      [
        2,
        [
          [1, "k"],
          [2, "v"],
        ],
      ],
      [2, [[1, "empty"]]],
    ]),
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a", namespace: "ns", labels: { app: "x" } },
      data: { k: "v", empty: "" },
    },
  ],
  [
    "bytes of a Secret",
    envelope("v1", "Secret", [
      [
        2,
        [
          [1, "key"],
          [2, Buffer.from([0, 255, 128])],
        ],
      ],
    ]),
    { apiVersion: "v1", kind: "Secret", data: { key: "AP+A" } },
  ],
  [
    "a Pod's volumes, whose source is an inlined message",
    envelope("v1", "Pod", [
      [
        2,
        [
          [
            1,
            [
              [1, "v"],
              [2, [[1, [[1, "/dev"]]]]],
            ],
          ],
          [
            2,
            [
              [1, "c"],
              [
                8,
                [
                  [
                    1,
                    [
                      [1, "cpu"],
                      [2, [[1, "100m"]]],
                    ],
                  ],
                ],
              ],
            ],
          ],
          [4, -5],
          [11, true],
        ],
      ],
    ]),
    {
      apiVersion: "v1",
      kind: "Pod",
      spec: {
        volumes: [{ name: "v", hostPath: { path: "/dev" } }],
        containers: [{ name: "c", resources: { limits: { cpu: "100m" } } }],
        terminationGracePeriodSeconds: -5,
        hostNetwork: true,
      },
    },
  ],
  [
    "the two shapes of a DaemonSet's maxUnavailable",
    envelope("apps/v1", "DaemonSet", [
      [
        2,
        [
          [
            3,
            [
              [1, "RollingUpdate"],
              [
                2,
                [
                  [
                    1,
                    [
                      [1, 1],
                      [2, 0],
                      [3, "10%"],
                    ],
                  ],
                  [
                    2,
                    [
                      [1, 0],
                      [2, 3],
                      [3, ""],
                    ],
                  ],
                ],
              ],
            ],
          ],
        ],
      ],
    ]),
    {
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      spec: { updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "10%", maxSurge: 3 } } },
    },
  ],
  [
    "a Lease's time, to the microsecond",
    envelope("coordination.k8s.io/v1", "Lease", [
      [
        2,
        [
          [1, "me"],
          [
            4,
            [
              [1, 1_767_225_600],
              [2, 123_456_000],
            ],
          ],
        ],
      ],
    ]),
    {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      spec: { holderIdentity: "me", renewTime: "2026-01-01T00:00:00.123456Z" },
    },
  ],
  [
    "lists inside a map, which are wrapped in a message",
    envelope("authorization.k8s.io/v1", "SubjectAccessReview", [
      [
        2,
        [
          [3, "jane"],
          [
            5,
            [
              [1, "scopes"],
              [
                2,
                [
                  [1, "a"],
                  [1, "b"],
                ],
              ],
            ],
          ],
        ],
      ],
    ]),
    {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      spec: { user: "jane", extra: { scopes: ["a", "b"] } },
    },
  ],
  [
    "the unions and free JSON in a CustomResourceDefinition's schema",
    envelope("apiextensions.k8s.io/v1", "CustomResourceDefinition", [
      [
        2,
        [
          [
            7,
            [
              [1, "v1"],
              [4, [[1, openApiSchema]]],
              [5, [[1, []]]],
            ],
          ],
        ],
      ],
    ]),
    {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      spec: {
        versions: [
          {
            name: "v1",
            schema: {
              openAPIV3Schema: {
                type: "object",
                default: [1, "a"],
                enum: ["x", 5, null],
                items: { type: "string" },
                additionalItems: false,
                additionalProperties: { type: "integer" },
                dependencies: { a: ["b", "c"], d: { type: "object" } },
                not: { items: [{ type: "string" }, { type: "integer" }], additionalProperties: true },
              },
            },
            subresources: { status: {} },
          },
        ],
      },
    },
  ],
  [
    "an APIService, whose numbers have a gap",
    envelope("apiregistration.k8s.io/v1", "APIService", [
      [
        2,
        [
          [
            1,
            [
              [1, "kube-system"],
              [2, "metrics"],
              [3, 443],
            ],
          ],
          [2, "metrics.k8s.io"],
          [3, "v1beta1"],
          [4, true],
          [5, Buffer.from("ca")],
          [7, 100],
          [8, 10],
        ],
      ],
    ]),
    {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      spec: {
        service: { namespace: "kube-system", name: "metrics", port: 443 },
        group: "metrics.k8s.io",
        version: "v1beta1",
        insecureSkipTLSVerify: true,
        caBundle: "Y2E=",
        groupPriorityMinimum: 100,
        versionPriority: 10,
      },
    },
  ],
  [
    "a zero time as null, and ignores unknown fields",
    envelope("v1", "ConfigMap", [
      [
        1,
        [
          [1, "a"],
          [8, []],
          [900, "later"],
        ],
      ],
    ]),
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", creationTimestamp: null } },
  ],
];

describe("a protobuf body", () => {
  it.each(cases)("carries %s", (_, bytes, expected) => {
    expect(decodeProtobuf(bytes)).toEqual(expected);
  });

  it.each([
    ["no magic", Buffer.from("{}")],
    ["nothing", Buffer.alloc(0)],
    ["a kind without protobuf", envelope("example.com/v1", "Dial", [])],
    [
      "a truncated message",
      envelope("v1", "ConfigMap", [
        [
          2,
          [
            [1, "k"],
            [2, "v"],
          ],
        ],
      ]).subarray(0, -9),
    ],
    ["a length beyond the end", Buffer.from([...Buffer.from("k8s\0"), 0x12, 0xff, 0xff, 0xff, 0x7f])],
    ["a group, which Kubernetes does not use", Buffer.from([...Buffer.from("k8s\0"), 0x0b])],
    ["an endless number", Buffer.from([...Buffer.from("k8s\0"), ...Array.from({ length: 12 }, () => 0xff)])],
  ])("with %s is refused", (_, bytes) => {
    expect(() => decodeProtobuf(bytes)).toThrow(WireError);
  });

  it("of random bytes is decoded or throws a WireError", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
        const bytes = envelope("v1", "Pod", []);
        try {
          decodeProtobuf(
            Buffer.concat([bytes.subarray(0, -4), Buffer.from([0x12, ...varint(noise.length), ...noise])]),
          );
        } catch (error) {
          expect(error).toBeInstanceOf(WireError);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("cannot reach a prototype through the keys of a map", () => {
    const { data } = decodeProtobuf(
      envelope("v1", "ConfigMap", [
        [
          2,
          [
            [1, "__proto__"],
            [2, "x"],
          ],
        ],
      ]),
    );
    expect(Object.keys(data as JsonObject)).toEqual(["__proto__"]);
    expect(({} as JsonObject)["x"]).toBeUndefined();
  });
});

it.each([30, 9007199254740993n, 2n ** 63n - 1n, -(2n ** 63n)])("an int64 of %s has all its digits", (seconds) => {
  // metadata.deletionGracePeriodSeconds
  const pod = decodeProtobuf(envelope("v1", "Pod", [[1, [[10, seconds]]]])) as { metadata: JsonObject };
  expect(pod.metadata.deletionGracePeriodSeconds).toBe(seconds);
});
