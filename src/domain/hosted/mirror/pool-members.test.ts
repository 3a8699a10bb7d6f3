import { expect, it } from "vitest";
import type { ConfigMap } from "../envelope/read-manifests.ts";
import { orderMark } from "../handover/pool-order.ts";
import { keys } from "../protocol.ts";
import { memberNotes, PoolMembers } from "./pool-members.ts";

const namespace = "clusters-demo";
const none = { provided: new Map<string, string>(), namespace };

function configMap(name: string, nodePool: string): ConfigMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace, labels: { [keys.nodePool]: nodePool } } };
}

/** The names in the only note. */
function names(
  members: ReadonlyMap<string, string>,
  configMaps: readonly ConfigMap[],
  provided = none.provided,
): string {
  const { wanted } = memberNotes(members, { configMaps, provided, namespace });
  expect(wanted.length).toBeLessThanOrEqual(1);
  return wanted[0]?.data?.["nodes"] ?? "";
}

const unmarked = configMap("pool-order-np1", "np1");
const marks = { ...unmarked.metadata.labels, [orderMark]: "true" };
const order = { ...unmarked, metadata: { ...unmarked.metadata, labels: marks } };
const real = new Map([["real", "np1"]]);
const [note] = memberNotes(real, { ...none, configMaps: [order] }).wanted as [ConfigMap];

it("users of the hosted cluster write no ConfigMaps by labels of NodePools that do not exist, and keep none from being written", () => {
  const forged = Array.from({ length: 5000 }, (_, i): [string, string] => [`n${i}`, `No_${i}`]);
  const { wanted, orphaned } = memberNotes(new Map([...forged, ...real]), { ...none, configMaps: [order] });
  expect(wanted.map(({ metadata, data }) => [metadata.name, data])).toEqual([["nodes-np1", { nodes: "real\n" }]]);
  expect(orphaned).toEqual([]);
});

it("users who create more Nodes than a ConfigMap has room for keep no note from being written, and push no node out of it", () => {
  const forged = Array.from({ length: 20_000 }, (_, i): [string, string] => [`${"n".repeat(200)}${i}`, "np1"]);
  const text = names(new Map([...forged, ...real]), [order, note]);
  expect(text.length).toBeLessThan(1024 * 1024);
  expect(text.endsWith("real\n")).toBe(true);
});

it("a note stays while the NodePool has nodes, although nothing else is about it", () => {
  expect(memberNotes(real, { ...none, configMaps: [note] })).toEqual({ wanted: [note], orphaned: [] });
  expect(memberNotes(new Map(), { ...none, configMaps: [note] }).orphaned).toHaveLength(1);
});

it("the name of a Node that is gone stays noted while its NodePool exists, unless a machine provider knows the nodes", () => {
  expect(names(new Map(), [order, note])).toBe("real\n");
  expect(names(new Map(), [unmarked, note])).toBe("");
  expect(names(new Map([["new", "np1"]]), [order, note], new Map([["new", "np1"]]))).toBe("new\n");
});

it("a Node that is created anew is in the NodePool of its name, until an administrator takes the name out of the note", () => {
  const metadata = { name: "real", labels: { [keys.nodePool]: "np2" } };
  const input = { nodes: [{ apiVersion: "v1", kind: "Node", metadata }], provided: none.provided };
  expect(new PoolMembers().of({ ...input, configMaps: [order, note] })).toEqual(real);
  const without = { ...note, data: { nodes: "" } };
  expect(new PoolMembers().of({ ...input, configMaps: [order, without] })).toEqual(new Map([["real", "np2"]]));
});

it("a note of an earlier version is read: it has the uid of each Node", () => {
  const earlier = { ...note, data: { nodes: "real 7f3e\n" } };
  expect(names(new Map(), [order, earlier])).toBe("real\n");
});
