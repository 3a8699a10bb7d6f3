import { expect, it } from "vitest";
import type { ConfigMap } from "../envelope/read-manifests.ts";
import { keys } from "../protocol.ts";
import { type Member, memberNotes } from "./pool-members.ts";

const namespace = "clusters-demo";

function configMap(name: string, nodePool: string): ConfigMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace, labels: { [keys.nodePool]: nodePool } } };
}

it("users of the hosted cluster write no ConfigMaps by labels of NodePools that do not exist, and keep none from being written", () => {
  const forged = Array.from({ length: 5000 }, (_, i): [string, Member] => [`n${i}`, { uid: "u", nodePool: `No_${i}` }]);
  const members = new Map<string, Member>([...forged, ["real", { uid: "r", nodePool: "np1" }]]);
  const { wanted, orphaned } = memberNotes(members, [configMap("pool-order-np1", "np1")], namespace);
  expect(wanted.map(({ metadata, data }) => [metadata.name, data])).toEqual([["nodes-np1", { nodes: "real r\n" }]]);
  expect(orphaned).toEqual([]);
});

it("a note stays while the NodePool has nodes, although nothing else is about it", () => {
  const members = new Map<string, Member>([["real", { uid: "r", nodePool: "np1" }]]);
  const [note] = memberNotes(members, [configMap("tuned-np1", "np1")], namespace).wanted;
  expect(memberNotes(members, [note!], namespace)).toEqual({ wanted: [note], orphaned: [] });
  expect(memberNotes(new Map(), [note!], namespace).orphaned).toHaveLength(1);
});
