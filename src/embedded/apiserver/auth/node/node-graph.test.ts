import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { NodeGraph } from "./node-graph.ts";

const pod = (node: string | undefined, spec: object = {}, metadata: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { ...metadata },
  spec: { containers: [], ...(node ? { nodeName: node } : {}), ...spec },
});
const volume = (spec: object): KubeObject => ({ apiVersion: "v1", kind: "PersistentVolume", metadata: {}, spec });
const pulling = (name: string): object => ({ imagePullSecrets: [{ name }] });

const reference = { name: "x" };
const references: [Parameters<NodeGraph["relates"]>[1], object][] = [
  ["serviceaccounts", { serviceAccountName: "x" }],
  ["secrets", pulling("x")],
  ["secrets", { containers: [{ envFrom: [{ secretRef: reference }] }] }],
  ["secrets", { initContainers: [{ env: [{ name: "E", valueFrom: { secretKeyRef: reference } }] }] }],
  ["secrets", { ephemeralContainers: [{ envFrom: [{ secretRef: reference }] }] }],
  ["secrets", { volumes: [{ name: "v", secret: { secretName: "x" } }] }],
  ["secrets", { volumes: [{ name: "v", projected: { sources: [{ secret: reference }] } }] }],
  ["secrets", { volumes: [{ name: "v", csi: { nodePublishSecretRef: reference } }] }],
  ["secrets", { volumes: [{ name: "v", azureFile: { secretName: "x" } }] }],
  ["secrets", { volumes: [{ name: "v", iscsi: { secretRef: reference } }] }],
  ["configmaps", { containers: [{ envFrom: [{ configMapRef: reference }] }] }],
  ["configmaps", { containers: [{ env: [{ name: "E", valueFrom: { configMapKeyRef: reference } }] }] }],
  ["configmaps", { volumes: [{ name: "v", configMap: reference }] }],
  ["configmaps", { volumes: [{ name: "v", projected: { sources: [{ configMap: reference }] } }] }],
  ["persistentvolumeclaims", { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "x" } }] }],
];

describe("NodeGraph", () => {
  it.each(references)("relates %s of the pod's own namespace to its node: %j", (kind, spec) => {
    const graph = new NodeGraph();
    graph.setPod("ns/p", pod("a", spec));
    expect(graph.relates("a", kind, "ns/x")).toBe(true);
    expect(graph.relates("b", kind, "ns/x")).toBe(false);
    expect(graph.relates("a", kind, "other/x")).toBe(false);
    expect(graph.relates("a", kind, "ns/y")).toBe(false);
    graph.removePod("ns/p");
    expect(graph.relates("a", kind, "ns/x")).toBe(false);
  });

  it("relates the claim of an ephemeral volume", () => {
    const graph = new NodeGraph();
    graph.setPod("ns/p", pod("a", { volumes: [{ name: "v", ephemeral: {} }] }));
    expect(graph.relates("a", "persistentvolumeclaims", "ns/p-v")).toBe(true);
  });

  it("relates shared objects until the last pod of the node is gone", () => {
    const graph = new NodeGraph();
    graph.setPod("ns/p", pod("a", { ...pulling("x"), serviceAccountName: "s" }));
    graph.setPod("ns/q", pod("a", pulling("x")));
    graph.setPod("ns/r", pod("b", pulling("x")));
    graph.removePod("ns/p");
    expect(graph.relates("a", "secrets", "ns/x")).toBe(true);
    expect(graph.relates("a", "serviceaccounts", "ns/s")).toBe(false);
    graph.removePod("ns/q");
    expect(graph.relates("a", "secrets", "ns/x")).toBe(false);
    expect(graph.relates("b", "secrets", "ns/x")).toBe(true);
  });

  it("replaces the references of a recreated pod", () => {
    const graph = new NodeGraph();
    graph.setPod("ns/p", pod("a", pulling("x")));
    graph.setPod("ns/p", pod("b", pulling("y")));
    expect(graph.relates("a", "secrets", "ns/x")).toBe(false);
    expect(graph.relates("a", "pods", "ns/p")).toBe(false);
    expect(graph.relates("b", "pods", "ns/p")).toBe(true);
  });

  it("relates nothing for an unscheduled pod or a mirror pod", () => {
    const graph = new NodeGraph();
    graph.setPod("ns/p", pod(undefined, pulling("x")));
    expect(graph.hasPod("ns/p")).toBe(false);
    graph.setPod("ns/m", pod("a", pulling("x"), { annotations: { "kubernetes.io/config.mirror": "" } }));
    expect(graph.relates("a", "pods", "ns/m")).toBe(true);
    expect(graph.relates("a", "secrets", "ns/x")).toBe(false);
  });

  it("follows claims to volumes and their secrets in any order, without secrets of controllers", () => {
    const graph = new NodeGraph();
    const csi = {
      nodeStageSecretRef: { namespace: "vault", name: "n" },
      controllerPublishSecretRef: { namespace: "vault", name: "c" },
    };
    graph.setVolume("pv", volume({ claimRef: { namespace: "ns", name: "x" }, csi }));
    expect(graph.relates("a", "persistentvolumes", "pv")).toBe(false);
    graph.setPod("ns/p", pod("a", { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "x" } }] }));
    expect(graph.relates("a", "persistentvolumes", "pv")).toBe(true);
    expect(graph.relates("a", "secrets", "vault/n")).toBe(true);
    expect(graph.relates("a", "secrets", "vault/c")).toBe(false);
    graph.setVolume("pv", volume({ claimRef: { namespace: "ns", name: "other" }, csi }));
    expect(graph.relates("a", "secrets", "vault/n")).toBe(false);
    graph.setVolume("pv", volume({ claimRef: { namespace: "ns", name: "x" }, rbd: { secretRef: { name: "old" } } }));
    expect(graph.relates("a", "secrets", "ns/old")).toBe(true);
    graph.removeVolume("pv");
    expect(graph.relates("a", "secrets", "ns/old")).toBe(false);
    expect(graph.relates("a", "persistentvolumes", "pv")).toBe(false);
  });

  it("handles names like __proto__", () => {
    const graph = new NodeGraph();
    graph.setPod("__proto__/constructor", pod("__proto__", pulling("toString")));
    expect(graph.relates("__proto__", "secrets", "__proto__/toString")).toBe(true);
    expect(graph.relates("constructor", "secrets", "__proto__/toString")).toBe(false);
  });
});
