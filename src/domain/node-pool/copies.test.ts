import { expect, it } from "vitest";
import type { ConfigMap } from "../hosted/envelope/read-manifests.ts";
import { keys } from "../hosted/protocol.ts";
import { kubeletConfigKind } from "../machine-config/api.ts";
import { planCopies } from "./copies.ts";

const namespace = "clusters-demo";

it("keeps the copy of a ConfigMap that has a second KubeletConfig now, and writes none where there was none", () => {
  const metadata = { labels: { [keys.nodePool]: "np1", [keys.mirroredConfig]: "true", [keys.kubeletConfig]: "true" } };
  const copy: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { ...metadata, name: "k-np1", namespace } };
  const { apiVersion, kind } = kubeletConfigKind;
  const given = ["a", "b"].map((name, index) => ({
    object: { apiVersion, kind, metadata: { name } },
    place: { configMap: "k", key: "config", document: index + 1 },
  }));
  const nodePool = { apiVersion: "", kind: "NodePool", metadata: { name: "np1" }, spec: { clusterName: "demo" } };
  const input = { nodePool, given, configMap: () => copy, namespace, planned: new Set<string>() };
  for (const observed of [[copy], []])
    expect(planCopies({ ...input, observed })).toEqual({ objects: [], prunes: [], problems: [] });
  const [one] = given;
  expect(planCopies({ ...input, given: one ? [one] : [], observed: [] }).objects).toHaveLength(1);
});
