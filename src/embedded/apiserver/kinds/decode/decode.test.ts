import { describe, expect, it } from "vitest";
import { clone, deepFreeze } from "../../../../language/object/json.ts";
import { decodeBuiltin } from "./decode.ts";
import { definitionOf } from "../definitions.ts";

const decode = (group: string, kind: string, body: unknown) =>
  decodeBuiltin(deepFreeze(body), definitionOf(group, "v1", kind));
const pod = (spec: unknown) => decode("", "Pod", { spec });
const container = (fields: object) => pod({ containers: [{ name: "a", ...fields }] });

describe("a value of the wrong type is rejected with Go's message", () => {
  it.each([
    [decode, "ConfigMap", { data: { k: 1 } }, "number into Go struct field ConfigMap.data of type string"],
    [decode, "ConfigMap", { data: [] }, "array into Go struct field ConfigMap.data of type map[string]string"],
    [decode, "ConfigMap", { metadata: 5 }, "number into Go struct field ConfigMap.metadata of type v1.ObjectMeta"],
    [
      decode,
      "ConfigMap",
      { metadata: { labels: { a: true } } },
      "bool into Go struct field ObjectMeta.metadata.labels of type string",
    ],
    [
      decode,
      "ConfigMap",
      { metadata: { generation: "x" } },
      "string into Go struct field ObjectMeta.metadata.generation of type int64",
    ],
    [
      decode,
      "ConfigMap",
      { metadata: { creationTimestamp: 5 } },
      "number into Go struct field ObjectMeta.metadata.creationTimestamp of type string",
    ],
    [
      decode,
      "ConfigMap",
      { metadata: { ownerReferences: [{ controller: "x" }] } },
      "string into Go struct field OwnerReference.metadata.ownerReferences.controller of type bool",
    ],
    [decode, "Secret", { data: { a: 5 } }, "number into Go struct field Secret.data of type []uint8"],
    [decode, "Pod", { spec: "x" }, "string into Go struct field Pod.spec of type v1.PodSpec"],
    [
      decode,
      "Pod",
      { spec: { dnsPolicy: 5 } },
      "number into Go struct field PodSpec.spec.dnsPolicy of type v1.DNSPolicy",
    ],
    [
      decode,
      "Pod",
      { spec: { containers: {} } },
      "object into Go struct field PodSpec.spec.containers of type []v1.Container",
    ],
    [
      decode,
      "Pod",
      { spec: { containers: [{ ports: [{ containerPort: "x" }] }] } },
      "string into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32",
    ],
    [
      decode,
      "Pod",
      { spec: { containers: [{ ports: [{ containerPort: 1.5 }] }] } },
      "number 1.5 into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32",
    ],
    [
      decode,
      "Pod",
      { spec: { containers: [{ ports: [{ containerPort: 3e9 }] }] } },
      "number 3000000000 into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32",
    ],
    [
      decode,
      "Pod",
      { spec: { containers: [{ livenessProbe: { httpGet: { port: true } } }] } },
      "bool into Go struct field HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32",
    ],
    [
      decode,
      "Pod",
      { spec: { containers: [{ resources: { limits: [] } }] } },
      "array into Go struct field ResourceRequirements.spec.containers.resources.limits of type v1.ResourceList",
    ],
  ])("%#: %2$j", (run, kind, body, message) => {
    expect(() => run("", kind, body)).toThrow(`json: cannot unmarshal ${message}`);
  });

  it("names the kind where the body itself is not an object", () => {
    expect(() => decode("", "Pod", [])).toThrow("json: cannot unmarshal array into Go value of type v1.Pod");
  });
});

describe("an invalid quantity, time or base64 is rejected", () => {
  it.each([
    [
      "coordination.k8s.io",
      "Lease",
      { spec: { renewTime: "yesterday" } },
      'parsing time "yesterday" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "yesterday" as "2006"',
    ],
    [
      "",
      "Event",
      { firstTimestamp: "x" },
      'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    ],
    ["", "Secret", { data: { a: "%%" } }, "illegal base64 data at input byte 0"],
    [
      "",
      "Node",
      { status: { capacity: { cpu: "four" } } },
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      "",
      "Node",
      { status: { capacity: { cpu: [] } } },
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
  ])("%s %s %j", (group, kind, body, message) => {
    expect(() => decode(group, kind, body)).toThrow(message);
  });
});

describe("fields the kind does not have", () => {
  it.each<[unknown, string[]]>([
    [{ dta: { a: "b" }, metadata: { nme: "x" } }, ["dta", "metadata.nme"]],
    [
      { spec: { foo: 1, containers: [{ bar: 1 }, { ports: [{ baz: 1 }] }] } },
      ["spec.foo", "spec.containers[0].bar", "spec.containers[1].ports[0].baz"],
    ],
    [{ Spec: {}, spec: { Containers: [] } }, ["Spec", "spec.Containers"]],
    [
      JSON.parse('{"__proto__": {"a": 1}, "constructor": 1, "metadata": {"toString": 1}}'),
      ["__proto__", "constructor", "metadata.toString"],
    ],
  ])("are dropped and reported by path: %j", (body, unknown) => {
    const decoded = decode("", "Pod", body);
    expect(decoded.unknown).toEqual(unknown);
    expect(Object.keys(decoded.object)).toEqual(
      expect.not.arrayContaining(["dta", "Spec", "__proto__", "constructor"]),
    );
  });

  it("name the key of a map of structs", () => {
    const schema = { properties: { a: { items: [] } } };
    expect(() =>
      decode("apiextensions.k8s.io", "CustomResourceDefinition", {
        spec: { versions: [{ schema: { openAPIV3Schema: schema } }] },
      }),
    ).not.toThrow();
    const { unknown } = decode("apiextensions.k8s.io", "CustomResourceDefinition", {
      spec: { versions: [{ schema: { openAPIV3Schema: { properties: { a: { typo: 1, items: { typo: 2 } } } } } }] },
    });
    expect(unknown).toEqual([
      "spec.versions[0].schema.openAPIV3Schema.properties.a.typo",
      "spec.versions[0].schema.openAPIV3Schema.properties.a.items.typo",
    ]);
  });
});

describe("encoding as Go does", () => {
  it("drops zero values of fields with omitempty, and null with them", () => {
    const body = { metadata: { name: "", labels: {}, finalizers: [], annotations: null }, data: null, immutable: null };
    expect(decode("", "ConfigMap", body).object).toEqual({ metadata: {} });
  });

  it("keeps an explicit zero behind a pointer", () => {
    const { object } = pod({ containers: [], hostPID: false, shareProcessNamespace: false, priority: 0, hostname: "" });
    expect(object.spec).toEqual({ containers: null, shareProcessNamespace: false, priority: 0 });
    expect(container({ env: [{ name: "A", value: "" }] }).object.spec).toEqual({
      containers: [{ name: "a", env: [{ name: "A" }], resources: {} }],
    });
  });

  it("keeps a zero that may be a number or a text", () => {
    const rollingUpdate = { maxUnavailable: 0, maxSurge: "10%" };
    const { object } = decode("apps", "DaemonSet", { spec: { updateStrategy: { rollingUpdate } } });
    expect(object.spec).toMatchObject({ updateStrategy: { rollingUpdate } });
  });

  it("adds the fields that are always written, whole structs too", () => {
    expect(decode("", "Event", { involvedObject: { kind: "Pod" } }).object).toEqual({
      metadata: {},
      involvedObject: { kind: "Pod" },
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: null,
      reportingComponent: "",
      reportingInstance: "",
    });
    const node = decode("", "Node", { status: { conditions: [{ type: "Ready", status: "True" }] } }).object;
    expect(node.status).toMatchObject({
      conditions: [{ type: "Ready", status: "True", lastHeartbeatTime: null, lastTransitionTime: null }],
      daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
      nodeInfo: { machineID: "", kubeletVersion: "" },
    });
  });

  it("does not share zero values between objects", () => {
    const schema = definitionOf("", "v1", "Node");
    const [a, b] = [decodeBuiltin({}, schema).object, decodeBuiltin({}, schema).object];
    expect(a.status).toEqual(b.status);
    expect(a.status).not.toBe(b.status);
  });

  it("keeps what it shares with an object that is decoded already, and decodes the rest", () => {
    const schema = definitionOf("", "v1", "Pod");
    const asks = (name: string) => ({ name, resources: { requests: { cpu: "0.5" } } });
    const before = deepFreeze(pod({ containers: [asks("a")], nodeSelector: { x: "y" } }).object);
    const spec = before.spec as { containers: [object]; nodeSelector: object };
    const [first] = spec.containers;
    // A part of another place and type is no part of this one.
    const changed = { ...spec, containers: [first, asks("b"), first], nodeSelector: { y: null }, tolerations: [] };
    const { object } = decodeBuiltin(deepFreeze({ ...before, spec: changed }), schema, before);
    expect(object).toEqual(decodeBuiltin({ ...before, spec: changed }, schema).object);
    const { containers } = object.spec as { containers: object[] };
    expect(containers.map((one) => one === first)).toEqual([true, false, false]);
    expect(object.metadata).toBe(before.metadata);
    expect(object.spec).toMatchObject({ nodeSelector: { y: "" } });
  });

  it("writes an empty list without omitempty as null", () => {
    expect(decode("rbac.authorization.k8s.io", "Role", { rules: [] }).object).toEqual({ metadata: {}, rules: null });
  });

  it("decodes null in a map or list as the zero value of its elements", () => {
    expect(decode("", "ConfigMap", { data: { a: null }, binaryData: { b: null } }).object).toMatchObject({
      data: { a: "" },
      binaryData: { b: "" },
    });
    expect(pod({ containers: [null] }).object.spec).toEqual({ containers: [{ name: "", resources: {} }] });
  });

  it("makes quantities, times and base64 canonical", () => {
    const { object } = container({
      resources: { limits: { cpu: 0.1, memory: "1024Mi" }, requests: { memory: "0.5Gi" } },
    });
    expect(object.spec).toMatchObject({
      containers: [{ resources: { limits: { cpu: "100m", memory: "1Gi" }, requests: { memory: "512Mi" } } }],
    });
    expect(decode("", "Secret", { data: { a: "YWJj\nZGVm", b: "YR==" } }).object.data).toEqual({
      a: "YWJjZGVm",
      b: "YQ==",
    });
    const lease = decode("coordination.k8s.io", "Lease", { spec: { renewTime: "2026-01-01T00:00:00.123456+02:00" } });
    expect(lease.object.spec).toEqual({ renewTime: "2025-12-31T22:00:00.123456Z" });
  });

  it("keeps free-form JSON unchanged", () => {
    const fieldsV1 = { "f:metadata": { "f:labels": { ".": {}, "f:a": {} } } };
    const { object, unknown } = decode("", "ConfigMap", { metadata: { managedFields: [{ manager: "m", fieldsV1 }] } });
    expect(object.metadata.managedFields).toEqual([{ manager: "m", fieldsV1 }]);
    expect(unknown).toEqual([]);
  });
});

describe("hostile input", () => {
  it("does not change the body and shares nothing with it", () => {
    const body = { metadata: { labels: { a: "b" } }, data: { k: "v" } };
    const before = clone(body);
    const { object } = decode("", "ConfigMap", body);
    (object.data as Record<string, string>).k = "changed";
    expect(body).toEqual(before);
  });

  it("treats __proto__ as an ordinary key of a map", () => {
    const { object } = decode("", "ConfigMap", JSON.parse('{"data": {"__proto__": "x", "constructor": "y"}}'));
    expect(Object.getPrototypeOf(object.data)).toBe(Object.prototype);
    expect(JSON.stringify(object.data)).toBe('{"__proto__":"x","constructor":"y"}');
  });

  it.each(["items", "not", "default"])("refuses nesting without end through %s", (field) => {
    let schema: Record<string, unknown> = {};
    for (let i = 0; i < 20_000; i++) schema = { [field]: schema };
    const body = { spec: { versions: [{ schema: { openAPIV3Schema: schema } }] } };
    expect(() => decodeBuiltin(body, definitionOf("apiextensions.k8s.io", "v1", "CustomResourceDefinition"))).toThrow(
      "exceeded max depth",
    );
  });
});
