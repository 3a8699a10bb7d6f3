import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../language/object/meta.ts";
import type { AdmissionRequest, Decision } from "../handler.ts";
import { admissionConfigurations } from "../registration.ts";
import { scyllaHandler } from "./scylla-handler.ts";

const handler = scyllaHandler({ namespace: "attune-system", image: "example.com/attune:1" });

async function review(labels: Record<string, string>, annotations: Record<string, string> = {}): Promise<Decision> {
  const object: KubeObject = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { generateName: "scylla-", namespace: "db", labels, annotations },
    spec: { containers: [{ name: "scylla", image: "scylla" }] },
  };
  const kind = { group: "", version: "v1", kind: "Pod" };
  const resource = { group: "", version: "v1", resource: "pods" };
  const request = { uid: "1", kind, resource, namespace: "db", operation: "CREATE", userInfo: {}, oldObject: null };
  return handler.review({ ...request, object } as AdmissionRequest);
}

const database = { "scylla-operator.scylladb.com/pod-type": "scylladb-node" };

describe("the handler of databases' pods", () => {
  it("is called for pods with the label of databases alone, and for none that a cluster needs to start", () => {
    const [configuration] = admissionConfigurations([handler], { type: "url", base: "https://x" }, "");
    expect(configuration?.["webhooks"]).toEqual([
      {
        name: "pods-scylla.attune.dev",
        clientConfig: { url: "https://x/admit/pods-scylla" },
        rules: [
          { apiGroups: [""], apiVersions: ["v1"], resources: ["pods"], operations: ["CREATE"], scope: "Namespaced" },
        ],
        failurePolicy: "Fail",
        timeoutSeconds: 3,
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        matchPolicy: "Equivalent",
        reinvocationPolicy: "IfNeeded",
        objectSelector: { matchLabels: database },
        namespaceSelector: {
          matchExpressions: [
            {
              key: "kubernetes.io/metadata.name",
              operator: "NotIn",
              values: ["kube-system", "kube-public", "kube-node-lease", "attune-system", "scylla-operator-node-tuning"],
            },
          ],
        },
      },
    ]);
  });

  it("adds the gate", async () => {
    expect(await review(database)).toMatchObject({
      type: "allow",
      object: {
        spec: { containers: [{ name: "scylla" }, { name: "attune-scylla-gate", image: "example.com/attune:1" }] },
      },
      verdict: { outcome: "added" },
    });
  });

  it("says which annotation is wrong", async () => {
    expect(await review(database, { "scylla.attune.dev/gate-timeout": "soon" })).toMatchObject({
      type: "deny",
      code: 422,
      message:
        'Pod "scylla-" is invalid: metadata.annotations[scylla.attune.dev/gate-timeout]: "soon" is not a duration such as 30s, 10m or 1h',
    });
  });

  it("leaves other pods alone", async () => {
    expect(await review({})).toEqual({
      type: "allow",
      verdict: { rule: "scylla-gate", outcome: "has no container scylla" },
    });
  });
});
