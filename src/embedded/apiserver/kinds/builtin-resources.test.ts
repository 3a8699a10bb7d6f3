import { describe, expect, it } from "vitest";
import { builtinResources } from "./builtin-resources.ts";

const names = (field: "shortNames" | "categories") =>
  Object.fromEntries(
    builtinResources()
      .filter((resource) => resource[field].length > 0)
      .map((resource) => [resource.plural, resource[field]]),
  );

describe("builtinResources", () => {
  it("have a collection each, unless they are stored as another kind, and a schema with metadata", () => {
    const all = builtinResources();
    const keepers = all.filter(({ storedAs }) => !storedAs);
    expect(new Set(keepers.map(({ group, plural }) => `${plural}.${group}`)).size).toBe(keepers.length);
    for (const { schema, kind } of all)
      expect([kind, schema.go?.name, typeof schema.properties?.metadata]).toEqual([kind, kind, "object"]);
  });

  it("are known to kubectl by their short names", () => {
    expect(names("shortNames")).toEqual({
      certificatesigningrequests: ["csr"],
      configmaps: ["cm"],
      cronjobs: ["cj"],
      daemonsets: ["ds"],
      deployments: ["deploy"],
      endpoints: ["ep"],
      events: ["ev"],
      horizontalpodautoscalers: ["hpa"],
      ingresses: ["ing"],
      namespaces: ["ns"],
      networkpolicies: ["netpol"],
      nodes: ["no"],
      persistentvolumeclaims: ["pvc"],
      persistentvolumes: ["pv"],
      poddisruptionbudgets: ["pdb"],
      pods: ["po"],
      priorityclasses: ["pc"],
      replicasets: ["rs"],
      replicationcontrollers: ["rc"],
      resourcequotas: ["quota"],
      serviceaccounts: ["sa"],
      services: ["svc"],
      statefulsets: ["sts"],
      storageclasses: ["sc"],
      volumeattributesclasses: ["vac"],
    });
    expect(names("categories")).toEqual({
      apiservices: ["api-extensions"],
      cronjobs: ["all"],
      daemonsets: ["all"],
      deployments: ["all"],
      horizontalpodautoscalers: ["all"],
      jobs: ["all"],
      mutatingwebhookconfigurations: ["api-extensions"],
      pods: ["all"],
      replicasets: ["all"],
      replicationcontrollers: ["all"],
      services: ["all"],
      statefulsets: ["all"],
      validatingadmissionpolicies: ["api-extensions"],
      validatingadmissionpolicybindings: ["api-extensions"],
      validatingwebhookconfigurations: ["api-extensions"],
    });
  });

  it("are created by an update and returned by a delete as in kube-apiserver", () => {
    const having = (flag: "createOnUpdate" | "returnDeleted") =>
      builtinResources()
        .filter(({ strategy }) => strategy[flag])
        .map(({ kind }) => kind);
    expect(having("createOnUpdate")).toEqual([
      "Endpoints",
      "Event",
      "Service",
      "Lease",
      "Event",
      "RuntimeClass",
      "Role",
      "RoleBinding",
      "ClusterRole",
      "ClusterRoleBinding",
    ]);
    expect(having("returnDeleted")).toEqual([
      "Namespace",
      "PersistentVolume",
      "PersistentVolumeClaim",
      "Pod",
      "PodTemplate",
      "ResourceQuota",
      "Service",
      "ServiceAccount",
      "CSIDriver",
      "CSINode",
      "StorageClass",
      "VolumeAttachment",
      "VolumeAttributesClass",
    ]);
  });

  it("support deletecollection, except namespaces", () => {
    const without = builtinResources().filter(({ verbs }) => !verbs.includes("deletecollection"));
    expect(without.map(({ kind }) => kind)).toEqual(["Namespace"]);
  });
});
