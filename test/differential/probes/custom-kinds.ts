import type { Probe, Step } from "../probe.ts";
import { apply, get, merge, namespace, patch, post, put, remove, table } from "./wire.ts";

const group = "differential.example.com";
const space = "custom";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const all = `/apis/${group}/v1/namespaces/${space}/dials`;
const text = { type: "string" };
const whole = { type: "integer" };

const spec = {
  type: "object",
  properties: {
    replicas: { ...whole, default: 1, minimum: 0, maximum: 10 },
    size: { ...text, enum: ["s", "m", "l"], default: "m" },
    port: { "x-kubernetes-int-or-string": true },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    nullable: { ...text, nullable: true },
    filled: { ...text, default: "f" },
    embedded: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
    set: { type: "array", items: text, "x-kubernetes-list-type": "set" },
    items: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name", "proto"],
      items: {
        type: "object",
        required: ["name"],
        properties: { name: text, proto: { ...text, default: "TCP" }, value: whole },
      },
    },
    fixed: { ...text, "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "is fixed" }] },
  },
  "x-kubernetes-validations": [{ rule: "self.replicas < 9 || self.size == 'l'", fieldPath: ".replicas" }],
};
const status = {
  type: "object",
  properties: { replicas: whole, selector: text, phase: { ...text, default: "New" } },
};
const definition = (name: string, schema: object): object => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${name}.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural: name, singular: name.slice(0, -1), kind: "Dial", listKind: "DialList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: schema },
        subresources: {
          status: {},
          scale: {
            specReplicasPath: ".spec.replicas",
            statusReplicasPath: ".status.replicas",
            labelSelectorPath: ".status.selector",
          },
        },
        additionalPrinterColumns: [{ name: "Size", type: "string", jsonPath: ".spec.size" }],
        selectableFields: [{ jsonPath: ".spec.size" }],
      },
    ],
  },
});
const dial = (name: string, content: unknown, more: object = {}): object => ({
  apiVersion: `${group}/v1`,
  kind: "Dial",
  metadata: { name },
  spec: content,
  ...more,
});

const contents: readonly unknown[] = [
  { replicas: -1 },
  { replicas: "x" },
  { replicas: 9 },
  { replicas: 9, size: "l" },
  { size: "xl" },
  { port: true },
  { free: 3 },
  { nullable: null, filled: null },
  { embedded: {} },
  { embedded: { apiVersion: "v1", kind: "K", metadata: { name: "n", bogus: 1 }, more: 1 } },
  { set: ["a", "a"] },
  { items: [{ name: "x" }, { name: "x", proto: "TCP" }] },
  { items: [{}] },
  { unknown: 1 },
  null,
];
const schemas: readonly object[] = [
  {},
  { type: "foo" },
  { type: "array" },
  { ...whole, default: "x" },
  { ...text, pattern: "(" },
  { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "map" },
  { ...text, "x-kubernetes-validations": [{ rule: "self >" }] },
  { ...text, "x-kubernetes-validations": [{ rule: "true", reason: "Foo" }] },
  { type: "object", "x-kubernetes-embedded-resource": true },
];

const one = `${all}/one`;
const owners: readonly Step[] = [
  apply(`${all}/two`, "a", dial("two", { items: [{ name: "x", value: 1 }], set: ["a"] })),
  apply(`${all}/two`, "b", dial("two", { items: [{ name: "x", proto: "UDP" }], set: ["b"] })),
  apply(`${all}/two`, "b", dial("two", { items: [{ name: "x", value: 2 }] })),
  apply(`${all}/two`, "b", dial("two", { items: [{ name: "x", value: 2 }] }), true),
  apply(`${all}/two`, "c", dial("two", { unknown: 1 })),
  apply(`${all}/two`, "c", dial("two", { replicas: "x" })),
  apply(`${all}/two`, "c", dial("two", { replicas: 3, port: null })),
  apply(`${all}/two/status`, "d", dial("two", {}, { status: { phase: "Up" } })),
  apply(`${all}/two/status`, "e", dial("two", {}, { status: { phase: "Down" } })),
];

/** A kind whose schema becomes stricter. */
const knobPath = `/apis/${group}/v1/namespaces/ratcheted/knobs`;
const knobSchema = (text: object, value: object, rule: object): object => ({
  type: "object",
  properties: {
    text: { type: "string", ...text },
    other: { type: "string" },
    list: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: {
        type: "object",
        required: ["name"],
        properties: { name: { type: "string" }, value: { type: "integer", ...value } },
      },
    },
    rule: { type: "integer", ...rule },
  },
});
const loose = knobSchema({}, {}, {});
const tight = knobSchema(
  { maxLength: 2 },
  { maximum: 5 },
  { "x-kubernetes-validations": [{ rule: "self < 2", message: "is too much" }] },
);
const versionsOf = (schema: object): object[] => [
  {
    name: "v1",
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: "object", properties: { spec: schema } } },
  },
];
const knobs = (schema: object): object => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `knobs.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural: "knobs", singular: "knob", kind: "Knob", listKind: "KnobList" },
    versions: versionsOf(schema),
  },
});
const knob = (name: string, content: object): object => ({
  apiVersion: `${group}/v1`,
  kind: "Knob",
  metadata: { name },
  spec: content,
});

export const customKinds: readonly Probe[] = [
  {
    name: "custom kinds",
    steps: [
      namespace(space),
      post(definitions, definition("dials", { type: "object", properties: { spec, status } })),
      get(all, { until: "DialList", aside: "waits until the kind is served" }),
      get(`/apis/${group}`),
      get(`/apis/${group}/v1`),
      ...contents.map((content) => post(`${all}?dryRun=All`, dial("bad", content))),
      post(`${all}?fieldValidation=Strict`, dial("bad", { unknown: 1 })),
      post(all, dial("one", { fixed: "i", free: { x: { y: 1 } } }, { status: { phase: "Mine" } }), { as: "first" }),
      get(all),
      get(all, { accept: table }),
      get(`${all}?fieldSelector=spec.size%3Dm`),
      get(`${all}?fieldSelector=spec.port%3Dm`),
      merge(one, { spec: { fixed: "j" } }),
      merge(one, { kind: "Other" }),
      merge(one, { metadata: { uid: "other" } }),
      merge(one, { metadata: { finalizers: ["plain"] } }),
      patch("strategic", one, {}),
      put(one, dial("one", {})),
      put(`${all}/absent`, dial("absent", {})),
      merge(`${one}/status?fieldManager=st`, {
        spec: { size: "s" },
        status: { replicas: 4, selector: "a=b" },
        metadata: { labels: { x: "y" } },
      }),
      get(`${one}/scale`),
      merge(`${one}/scale?fieldManager=sc`, { spec: { replicas: 7 } }),
      merge(`${one}/scale`, { spec: { replicas: 99 } }),
      get(one),
      ...owners,
      get(`${all}?watch=true&timeoutSeconds=1&resourceVersion={{first.metadata.resourceVersion}}`),
      remove(all),
    ],
  },
  {
    name: "values that a later schema forbids",
    steps: [
      namespace("ratcheted"),
      post(definitions, knobs(loose), { aside: "the definition itself is compared above" }),
      get(knobPath, { until: "KnobList", aside: "waits until the kind is served" }),
      post(knobPath, knob("one", { text: "long", other: "a", list: [{ name: "x", value: 7 }], rule: 3 })),
      { ...merge(`${definitions}/knobs.${group}`, { spec: { versions: versionsOf(tight) } }), aside: "as above" },
      post(`${knobPath}?dryRun=All`, knob("two", { text: "long" }), {
        until: "Invalid",
        aside: "waits for the schema",
      }),
      merge(`${knobPath}/one`, { spec: { other: "b" } }),
      merge(`${knobPath}/one`, { metadata: { labels: { a: "b" } } }),
      merge(`${knobPath}/one`, {
        spec: {
          list: [
            { name: "x", value: 7 },
            { name: "y", value: 1 },
          ],
        },
      }),
      merge(`${knobPath}/one`, { spec: { text: "longer" } }),
      merge(`${knobPath}/one`, { spec: { rule: 4 } }),
      merge(`${knobPath}/one`, { spec: { list: [{ name: "x", value: 8 }] } }),
      get(`${knobPath}/one`),
    ],
  },
  {
    name: "invalid definitions",
    steps: schemas.map((schema) =>
      post(`${definitions}?dryRun=All`, definition("keys", { type: "object", properties: { spec: schema } })),
    ),
  },
];
