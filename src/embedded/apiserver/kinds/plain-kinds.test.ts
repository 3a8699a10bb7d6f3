import { describe, expect, it } from "vitest";
import { certificateSigningRequest } from "./certificate-signing-request.ts";
import { podTemplate } from "./core/pod-template-kind.ts";
import { resourceQuota } from "./core/resource-quota.ts";
import { ingressClass } from "./network/ingress-class.ts";
import { ingress } from "./network/ingress.ts";
import { create, row, update } from "./testing/run-strategy.ts";

const backend = { service: { name: "web", port: { number: 80 } } };
const path = { path: "/", pathType: "Prefix", backend };
const ruleWith = (part: object) => ({ spec: { rules: [{ host: "a.b", http: { paths: [{ ...path, ...part }] } }] } });
const at = "spec.rules[0].http.paths[0]";

describe("Ingress", () => {
  it.each([
    [ruleWith({}), []],
    [{ spec: { defaultBackend: backend } }, []],
    [{ spec: {} }, ["spec: Invalid value: []: either `defaultBackend` or `rules` must be specified"]],
    [ruleWith({ pathType: undefined }), [`${at}.pathType: Required value: pathType must be specified`]],
    [
      ruleWith({ pathType: "Regex" }),
      [`${at}.pathType: Unsupported value: "Regex": supported values: "Exact", "ImplementationSpecific", "Prefix"`],
    ],
    [ruleWith({ path: "x" }), [`${at}.path: Invalid value: "x": must be an absolute path`]],
    [{ spec: { rules: [{ http: { paths: null } }] } }, ["spec.rules[0].http.paths: Required value"]],
    [ruleWith({ backend: {} }), [`${at}.backend: Invalid value: "": resource or service backend is required`]],
    [
      ruleWith({ backend: { service: { name: "web" } } }),
      [`${at}.backend: Required value: port name or number is required`],
    ],
  ])("%j has the faults %j", (body, faults) => {
    expect(create(ingress, body).faults).toEqual(faults);
  });

  it("is listed with its class, hosts and ports", () => {
    const { object } = create(ingress, { spec: { ...ruleWith({}).spec, ingressClassName: "nginx", tls: [{}] } });
    expect(row(ingress, object)).toMatchObject({ Class: "nginx", Hosts: "a.b", Address: "", Ports: "80, 443" });
  });
});

describe("IngressClass", () => {
  it("requires a controller, which never changes", () => {
    expect(create(ingressClass, {}).faults).toEqual(["spec.controller: Required value"]);
    const { object } = create(ingressClass, { spec: { controller: "a.b/c", parameters: { kind: "P", name: "p" } } });
    expect(object.spec).toMatchObject({ parameters: { scope: "Cluster" } });
    expect(row(ingressClass, object)).toMatchObject({ Controller: "a.b/c", Parameters: "P/p" });
    expect(update(ingressClass, object, { spec: { controller: "d" } }).faults).toHaveLength(1);
  });
});

describe("PodTemplate", () => {
  const template = { metadata: { labels: { b: "2", a: "1" } }, spec: { containers: [{ name: "c", image: "i" }] } };

  it("has a checked template with the defaults of a pod", () => {
    const { object, faults } = create(podTemplate, { template });
    expect(faults).toEqual([]);
    expect(object.template).toMatchObject({ spec: { restartPolicy: "Always", dnsPolicy: "ClusterFirst" } });
    expect(row(podTemplate, object)).toMatchObject({ Containers: "c", Images: "i", "Pod Labels": "a=1,b=2" });
    expect(create(podTemplate, { template: { spec: { containers: [] } } }).faults).toHaveLength(1);
  });
});

describe("CertificateSigningRequest", () => {
  const request = Buffer.from("-----BEGIN CERTIFICATE REQUEST-----\n").toString("base64");
  const spec = { request, signerName: "a.b/c", usages: ["client auth"], expirationSeconds: 3600 };

  it("records the authenticated requester, whatever the body claims", () => {
    const { object, faults } = create(certificateSigningRequest, {
      spec: { ...spec, username: "system:admin", uid: "1", groups: ["system:masters"], extra: { a: ["b"] } },
    });
    expect(faults).toEqual([]);
    expect(object.spec).toEqual({ ...spec, username: "tester", groups: ["testers"] });
  });

  it("cannot be changed after its creation, except for its status", () => {
    const { object } = create(certificateSigningRequest, { spec });
    expect(update(certificateSigningRequest, object, { spec: { username: "root" } }).object.spec).toEqual(object.spec);
    const approved = { status: { conditions: [{ type: "Approved", status: "True" }] } };
    const after = update(certificateSigningRequest, object, approved, "approval").object;
    expect(row(certificateSigningRequest, object)).toMatchObject({ Condition: "Pending", RequestedDuration: "60m" });
    expect(row(certificateSigningRequest, after)).toMatchObject({ Condition: "Approved", Requestor: "tester" });
  });

  it("requires a request, a signer and usages", () => {
    expect(create(certificateSigningRequest, { spec: {} }).faults).toEqual([
      "spec.request: Invalid value: null: PEM block type must be CERTIFICATE REQUEST",
      "spec.usages: Required value",
      "spec.signerName: Required value",
    ]);
  });
});

describe("ResourceQuota", () => {
  it.each([
    [{ hard: { pods: "5", "requests.example.com/dongle": "3", "count/replicasets.apps": "1" } }, []],
    [{ hard: { pods: "-1" } }, ['spec.hard[pods]: Invalid value: "-1": must be greater than or equal to 0']],
    [{ scopes: ["Best"] }, ['spec.scopes: Invalid value: ["Best"]: unsupported scope']],
  ])("%j has the faults %j", (spec, faults) => {
    expect(create(resourceQuota, { spec }).faults).toEqual(faults);
  });

  it("shows used and allowed amounts", () => {
    const status = { hard: { pods: "5", "limits.cpu": "2" }, used: { pods: "1", "limits.cpu": "1500m" } };
    const { object } = create(resourceQuota, { spec: { hard: status.hard } });
    const cells = row(resourceQuota, { ...object, status });
    expect(cells).toMatchObject({ Request: "pods: 1/5", Limit: "limits.cpu: 1500m/2" });
  });

  it("keeps its scopes", () => {
    const { object } = create(resourceQuota, { spec: { scopes: ["BestEffort"] } });
    expect(update(resourceQuota, object, { spec: { scopes: ["NotBestEffort"] } }).faults).toHaveLength(1);
  });
});
