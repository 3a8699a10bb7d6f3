import { describe, expect, it } from "vitest";
import { clone, deepFreeze } from "../../../language/object/json.ts";
import type { FieldError } from "../../../language/schema/field-error.ts";
import type { Definition, DefinitionVersion } from "./definition.ts";
import { definitionResource } from "./definition-resource.ts";

const { strategy } = definitionResource;

const base: Definition = deepFreeze({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "gizmos.probe.example.com" },
  spec: {
    group: "probe.example.com",
    names: { kind: "Gizmo", plural: "gizmos" },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: { a: { type: "string" }, o: { type: "object", properties: { x: { type: "string" } } } },
              },
            },
          },
        },
      },
    ],
  },
});

type Change = (definition: Definition, version: DefinitionVersion) => void;

function changed(change: Change): Definition {
  const definition = clone(base);
  change(definition, definition.spec.versions?.[0] ?? {});
  return definition;
}

const shown = (errors: readonly FieldError[] = []) => errors.map(({ field, message }) => `${field}: ${message}`);

/** As a POST goes: defaults, preparation, validation. */
function created(change: Change = () => {}): Definition {
  const definition = changed(change);
  strategy.defaults?.(definition);
  strategy.prepareForCreate?.(definition, 0, { name: "", groups: [] });
  return definition;
}

const faults = (change: Change) => shown(strategy.validate?.(created(change)));

const LABEL =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const internal = (name: string, storage: boolean) =>
  `{"Name":"${name}","Served":true,"Storage":${storage},"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}`;

describe("a new definition", () => {
  it("gets its other names, a conversion and an empty status", () => {
    const definition = created();
    expect(definition.spec.names).toEqual({
      kind: "Gizmo",
      plural: "gizmos",
      singular: "gizmo",
      listKind: "GizmoList",
    });
    expect(definition.spec.conversion).toEqual({ strategy: "None" });
    expect(definition.status).toEqual({
      conditions: null,
      acceptedNames: { plural: "", kind: "" },
      storedVersions: ["v1"],
    });
    expect(strategy.validate?.(definition)).toEqual([]);
  });

  it("cannot set its status", () => {
    const status = { conditions: [], acceptedNames: { plural: "q", kind: "q" }, storedVersions: ["v9"] };
    expect(created((d) => (d.status = status)).status).toEqual(created().status);
  });

  it.each<[string, Change, string[]]>([
    [
      "has another name",
      (d) => (d.metadata.name = "wrong.probe.example.com"),
      ['metadata.name: Invalid value: "wrong.probe.example.com": must be spec.names.plural+"."+spec.group'],
    ],
    [
      "has no group",
      (d) => (d.spec.group = ""),
      [
        'metadata.name: Invalid value: "gizmos.probe.example.com": must be spec.names.plural+"."+spec.group',
        "spec.group: Required value",
      ],
    ],
    [
      "has a group without a dot",
      (d) => {
        d.spec.group = "probe";
        d.metadata.name = "gizmos.probe";
      },
      ['spec.group: Invalid value: "probe": should be a domain with at least one dot'],
    ],
    ["has no scope", (d) => delete d.spec.scope, ["spec.scope: Required value"]],
    [
      "has an unknown scope",
      (d) => (d.spec.scope = "Foo"),
      ['spec.scope: Unsupported value: "Foo": supported values: "Cluster", "Namespaced"'],
    ],
    [
      "has no versions",
      (d) => (d.spec.versions = null),
      [
        "spec.versions: Invalid value: null: must have exactly one version marked as storage version",
        "status.storedVersions: Invalid value: null: must have at least one stored version",
      ],
    ],
    [
      "stores no version",
      (_, v) => (v.storage = false),
      [
        `spec.versions: Invalid value: [${internal("v1", false)}]: must have exactly one version marked as storage version`,
        "status.storedVersions: Invalid value: null: must have at least one stored version",
      ],
    ],
    [
      "stores two versions",
      (d, v) => d.spec.versions?.push({ ...v, name: "v2" }),
      [
        `spec.versions: Invalid value: [${internal("v1", true)},${internal("v2", true)}]: must have exactly one version marked as storage version`,
        'status.storedVersions: Invalid value: ["v1"]: must have the storage version v2',
      ],
    ],
    [
      "names a version twice",
      (d, v) => d.spec.versions?.push({ ...v, storage: false }),
      [
        `spec.versions: Invalid value: [${internal("v1", true)},${internal("v1", false)}]: must contain unique version names`,
      ],
    ],
    ["has no schema", (_, v) => delete v.schema, ["spec.versions[0].schema.openAPIV3Schema: Required value"]],
    [
      "has a bad version name",
      (_, v) => (v.name = "V_1"),
      [`spec.versions[0].name: Invalid value: "V_1": ${LABEL}`, `spec.version: Invalid value: "V_1": ${LABEL}`],
    ],
    [
      "has no kind",
      (d) => delete d.spec.names?.kind,
      ["spec.names.singular: Required value", "spec.names.kind: Required value", "spec.names.listKind: Required value"],
    ],
    [
      "has bad names",
      (d) => Object.assign(d.spec.names ?? {}, { listKind: "Gi_", shortNames: ["ok", "A_"], categories: ["B_"] }),
      [
        `spec.names.listKind: Invalid value: "Gi_": may have mixed case, but should otherwise match: ${LABEL}`,
        `spec.names.shortNames[1]: Invalid value: "A_": ${LABEL}`,
        `spec.names.categories[0]: Invalid value: "B_": ${LABEL}`,
      ],
    ],
    [
      "has the same kind and listKind",
      (d) => Object.assign(d.spec.names ?? {}, { listKind: "Gizmo" }),
      ['spec.names.listKind: Invalid value: "Gizmo": kind and listKind may not be the same'],
    ],
    [
      "sets preserveUnknownFields",
      (d) => (d.spec.preserveUnknownFields = true),
      [
        "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
      ],
    ],
    [
      "is in a group of Kubernetes without approval",
      (d) => {
        d.spec.group = "x.k8s.io";
        d.metadata.name = "gizmos.x.k8s.io";
      },
      [
        'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
      ],
    ],
    [
      "warns of a version that is not deprecated",
      (_, v) => (v.deprecationWarning = "x"),
      ['spec.versions[0].deprecationWarning: Invalid value: "x": can only be set for deprecated versions'],
    ],
    [
      "is not structural",
      (_, v) => (v.schema = { openAPIV3Schema: { properties: { spec: { properties: { a: {} } } } } }),
      [
        "spec.validation.openAPIV3Schema.properties[spec].properties[a].type: Required value: must not be empty for specified object fields",
        "spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields",
        "spec.validation.openAPIV3Schema.type: Required value: must not be empty at the root",
      ],
    ],
    [
      "has a rule about an unknown field",
      (_, v) =>
        (v.schema = {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                "x-kubernetes-validations": [{ rule: "self.nope > 1" }],
                properties: { a: { type: "integer" } },
              },
            },
          },
        }),
      [
        `spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.nope \\u003e 1","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:5: undefined field 'nope'\n | self.nope > 1\n | ....^`,
      ],
    ],
    [
      "is not structural in a version of its own",
      (d) =>
        d.spec.versions?.push({
          name: "v2",
          served: true,
          schema: { openAPIV3Schema: { type: "object", properties: { b: {} } } },
        }),
      [
        "spec.versions[1].schema.openAPIV3Schema.properties[b].type: Required value: must not be empty for specified object fields",
      ],
    ],
  ])("that %s is refused", (_, change, expected) => {
    expect(faults(change)).toEqual(expected);
  });

  it("with a schema that nests too deeply is rejected", () => {
    const errors = faults((_, v) => {
      let schema: object = { type: "object" };
      for (let i = 0; i < 600; i++) schema = { type: "object", properties: { a: schema } };
      v.schema = { openAPIV3Schema: schema };
    });
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain("exceeded max depth");
  });

  const column =
    (given: object): Change =>
    (_, v) =>
      (v.additionalPrinterColumns = [given as never]);
  const scale =
    (given: object): Change =>
    (_, v) =>
      (v.subresources = { status: {}, scale: given });
  const select =
    (...paths: string[]): Change =>
    (_, v) =>
      (v.selectableFields = paths.map((jsonPath) => ({ jsonPath })));
  const C = "spec.additionalPrinterColumns[0]";
  const S = "spec.subresources.scale";
  const F = "spec.selectableFields[0].jsonPath";
  it.each<[string, Change, string[]]>([
    [
      "an empty column",
      column({}),
      [
        `${C}.name: Required value`,
        `${C}.type: Required value: must be one of boolean,date,integer,number,string`,
        `${C}.JSONPath: Required value`,
      ],
    ],
    [
      "a column of unknown type and format",
      column({ name: "A", type: "foo", format: "zz", jsonPath: "a" }),
      [
        `${C}.type: Invalid value: "foo": must be one of boolean,date,integer,number,string`,
        `${C}.format: Invalid value: "zz": must be one of byte,date,date-time,double,float,int32,int64,password`,
        `${C}.JSONPath: Invalid value: "a": must be a simple json path starting with .`,
      ],
    ],
    ["a valid column", column({ name: "A", type: "date", jsonPath: '.a[?(@.b=="c")]' }), []],
    ["an empty scale", scale({}), [`${S}.specReplicasPath: Required value`, `${S}.statusReplicasPath: Required value`]],
    [
      "a scale with paths outside of spec and status",
      scale({ specReplicasPath: ".status.x", statusReplicasPath: "status.x", labelSelectorPath: ".foo" }),
      [
        `${S}.specReplicasPath: Invalid value: ".status.x": should be a json path under .spec`,
        `${S}.statusReplicasPath: Invalid value: "status.x": must be a simple json path starting with .`,
        `${S}.labelSelectorPath: Invalid value: ".foo": should be a json path under either .spec or .status`,
      ],
    ],
    ["a valid scale", scale({ specReplicasPath: ".spec.x", statusReplicasPath: ".status.x" }), []],
    ["sound selectable fields", select(".spec.a", ".spec.o.x"), []],
    ["a selectable field without a path", select(""), [`${F}: Required value`]],
    [
      "a selectable field without a dot",
      select("spec.a"),
      [`${F}: Invalid value: "spec.a": is an invalid path: expected [ or . but got: spec`],
    ],
    [
      "an unknown selectable field",
      select(".spec.nope"),
      [`${F}: Invalid value: ".spec.nope": is an invalid path: does not refer to a valid field`],
    ],
    [
      "a selectable item",
      select(".spec.a[0]"),
      [`${F}: Invalid value: ".spec.a[0]": is an invalid path: array notation is not allowed`],
    ],
    [
      "a selectable object",
      select(".spec.o"),
      [
        `${F}: Invalid value: ".spec.o": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.`,
      ],
    ],
    [
      "a field selectable twice",
      select(".spec.a", ".spec.a"),
      ['spec.selectableFields[1].jsonPath: Duplicate value: ".spec.a"'],
    ],
  ])("with %s", (_, change, expected) => {
    expect(faults(change)).toEqual(expected);
  });

  const convert =
    (conversion: object): Change =>
    (d) =>
      (d.spec.conversion = conversion);
  const webhook = (clientConfig: object, versions = ["v1"]): Change =>
    convert({ strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: versions } });
  const W = "spec.conversion.webhookClientConfig";
  const R = "spec.conversion.conversionReviewVersions";
  it.each<[string, Change, string[]]>([
    [
      "by an unknown strategy",
      convert({ strategy: "Foo" }),
      ['spec.conversion.strategy: Unsupported value: "Foo": supported values: "None", "Webhook"'],
    ],
    [
      "without a webhook",
      convert({ strategy: "Webhook" }),
      [`${W}: Required value: required when strategy is set to Webhook`, `${R}: Required value`],
    ],
    [
      "by an empty webhook",
      convert({ strategy: "Webhook", webhook: { conversionReviewVersions: null } }),
      [`${W}: Required value: required when strategy is set to Webhook`, `${R}: Required value`],
    ],
    [
      "by a webhook without address, in an unsupported version",
      webhook({}, ["v2"]),
      [
        `${W}: Required value: exactly one of url or service is required`,
        `${R}: Invalid value: ["v2"]: must include at least one of v1, v1beta1`,
      ],
    ],
    [
      "at a bad URL",
      webhook({ url: "http://a/b?c#d" }, ["v1", "v1", "A"]),
      [
        `${W}.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
        `${W}.url: Invalid value: "d": fragments are not permitted in the URL`,
        `${W}.url: Invalid value: "c": query parameters are not permitted in the URL`,
        `${R}[1]: Invalid value: "v1": duplicate version`,
        `${R}[2]: Invalid value: "A": ${LABEL}`,
      ],
    ],
    [
      "at a bad service",
      webhook({ service: { path: "x", port: 0 } }),
      [
        `${W}.service.name: Required value`,
        `${W}.service.namespace: Required value`,
        `${W}.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive`,
        `${W}.service.path: Invalid value: "x": must start with a '/'`,
        `${W}.service.path: Invalid value: "x": segment[0] may not be empty`,
      ],
    ],
    [
      "at a service without name, which is reported as its namespace",
      webhook({ service: { namespace: "b" } }),
      [`${W}.service.namespace: Required value`],
    ],
    [
      "by a webhook, though unknown fields are preserved",
      (d, v) => {
        d.spec.preserveUnknownFields = true;
        webhook({ url: "https://a" })(d, v);
      },
      [
        'spec.conversion.strategy: Invalid value: "Webhook": must be None if spec.preserveUnknownFields is true',
        "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
      ],
    ],
    ["with an invalid CA bundle", webhook({ url: "https://a", caBundle: "aGVsbG8=" }), []],
    ["at a valid service", webhook({ service: { name: "a", namespace: "b", path: "/convert" } }), []],
    [
      "by strategy None, with a webhook",
      convert({ strategy: "None", webhook: { clientConfig: { url: "https://a" }, conversionReviewVersions: ["v1"] } }),
      [
        `${W}: Forbidden: should not be set when strategy is not set to Webhook`,
        `${R}: Forbidden: should not be set when strategy is not set to Webhook`,
      ],
    ],
  ])("that converts %s", (_, change, expected) => {
    expect(faults(change)).toEqual(expected);
  });
});

describe("a changed definition", () => {
  const old = created();
  old.metadata.resourceVersion = "7";
  const established = clone(old);
  if (established.status)
    established.status.conditions = [{ type: "Established", status: "True", reason: "", message: "" }];

  /** As a PUT goes, through both checks. */
  function updated(change: Change, before: Definition = established): { definition: Definition; faults: string[] } {
    const definition = clone(before);
    change(definition, definition.spec.versions?.[0] ?? {});
    strategy.defaults?.(definition);
    strategy.prepareForUpdate?.(definition, before);
    const errors = [
      ...(strategy.validate?.(definition) ?? []),
      ...(strategy.validateUpdate?.(definition, before) ?? []),
    ];
    return { definition, faults: shown(errors) };
  }

  it.each<[string, Change, string[]]>([
    ["nothing", () => {}, []],
    ["its scope", (d) => (d.spec.scope = "Cluster"), ['spec.scope: Invalid value: "Cluster": field is immutable']],
    [
      "its kind",
      (d) => Object.assign(d.spec.names ?? {}, { kind: "Giz" }),
      ['spec.names.kind: Invalid value: "Giz": field is immutable'],
    ],
    [
      "its plural",
      (d) => Object.assign(d.spec.names ?? {}, { plural: "gizs" }),
      ['spec.names.plural: Invalid value: "gizs": field is immutable'],
    ],
    [
      "its group",
      (d) => (d.spec.group = "x.example.com"),
      ['spec.group: Invalid value: "x.example.com": field is immutable'],
    ],
    ["its singular", (d) => Object.assign(d.spec.names ?? {}, { singular: "giz" }), []],
    [
      "without a stored version",
      (_, v) => (v.name = "v2"),
      [
        'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions',
      ],
    ],
  ])("may or may not change %s once established", (_, change, expected) => {
    expect(updated(change).faults).toEqual(expected);
  });

  const trusting =
    (caBundle: string): Change =>
    (d) =>
      (d.spec.conversion = {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://a", caBundle }, conversionReviewVersions: ["v1"] },
      });

  it("must not get an invalid CA bundle once established, unless it has one", () => {
    expect(updated(trusting("aGVsbG8=")).faults).toEqual([
      'spec.conversion.webhookClientConfig.caBundle: Invalid value: "aGVsbG8=": unable to load root certificates: unable to parse bytes as PEM block',
    ]);
    expect(updated(trusting("aGVsbG8="), old).faults).toEqual([]);
    const unreadable = clone(established);
    trusting("eHl6")(unreadable, {});
    expect(updated(trusting("aGVsbG8="), unreadable).faults).toEqual([]);
  });

  it("may still change scope and kind before it is established", () => {
    const change: Change = (d) => {
      d.spec.scope = "Cluster";
      Object.assign(d.spec.names ?? {}, { kind: "Giz" });
    };
    expect(updated(change, old).faults).toEqual([]);
  });

  it("records every version in which objects were stored", () => {
    const { definition, faults: found } = updated((d, v) => {
      d.spec.versions?.push({ ...v, name: "v2" });
      v.storage = false;
    });
    expect(found).toEqual([]);
    expect(definition.status?.storedVersions).toEqual(["v1", "v2"]);
    expect(established.status?.storedVersions).toEqual(["v1"]);
  });
});

describe("the table of definitions", () => {
  it("shows names and creation times", () => {
    const object = { ...base, metadata: { ...base.metadata, creationTimestamp: "2026-11-15T04:55:28Z" } };
    expect(definitionResource.columns.map(({ name, type }) => [name, type])).toEqual([
      ["Name", "string"],
      ["Created At", "date"],
    ]);
    expect(definitionResource.columns.map(({ cell }) => cell(object, 0))).toEqual([
      "gizmos.probe.example.com",
      "2026-11-15T04:55:28Z",
    ]);
  });
});
