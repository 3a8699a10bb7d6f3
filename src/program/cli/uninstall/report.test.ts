import { expect, it } from "vitest";
import type { KubeObject } from "../../../language/object/meta.ts";
import { tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { reportData, reportText } from "./report.ts";

const none = { dryRun: false, nodes: [], scyllaNodes: [], deleted: [], kept: [] };
const namespace: KubeObject = { apiVersion: "v1", kind: "Namespace", metadata: { name: tuningNamespace } };
const away = { node: "node-1", state: "away", because: "the node is not ready" } as const;

it("says so where there is nothing to do", () => {
  expect(reportText(none, undefined)).toBe("Nothing to do: the cluster has no objects of Attune\n");
});

it("tells nodes that a dry run names from nodes that were rolled back", () => {
  const nodes = [{ node: "node-1", state: "rolled back" } as const];
  expect(reportText({ ...none, nodes }, undefined)).toBe("1 node rolled back; nothing of Attune remains on it\n");
  expect(reportText({ ...none, nodes, dryRun: true }, undefined)).toBe("1 node rolled back (dry run)\n");
});

it("names a command that rolls back a node as root, whatever user the image has", () => {
  expect(reportText({ ...none, nodes: [away] }, "localhost/attune:1")).toBe(
    "Node node-1 not rolled back: the node is not ready\n" +
      "To roll back such a node when it is ready, in bash:\n" +
      "  kubectl debug node/node-1 -it --profile=sysadmin --image=localhost/attune:1 " +
      `--custom=<(echo '{"securityContext":{"runAsUser":0}}') -- attune tuned rollback --root /host\n`,
  );
});

it("announces the end of the agents' namespace only where it is deleted", () => {
  const text = `Namespace ${tuningNamespace} is gone when the pods on these nodes have ended`;
  expect(reportText({ ...none, nodes: [away], deleted: [namespace] }, undefined)).toContain(text);
  const kept = [{ object: namespace, because: "it contains Tuned mine" }];
  expect(reportText({ ...none, nodes: [away], kept }, undefined)).not.toContain("is gone");
});

it("says which nodes keep what was tuned for Scylla, and names ten of many", () => {
  expect(reportText({ ...none, scyllaNodes: ["a", "b"] }, undefined)).toContain(
    "What was tuned for Scylla stays on 2 nodes (a, b): on each, attune perftune --undo puts back what the engine native has changed\n",
  );
  const scyllaNodes = Array.from({ length: 1000 }, (_, index) => `n${index}`);
  expect(reportText({ ...none, scyllaNodes }, undefined)).toContain(
    "on 1000 nodes (n0, n1, n2, n3, n4, n5, n6, n7, n8, n9 and 990 more): ",
  );
});

it("lists these nodes as data, only where there are some", async () => {
  expect(await reportData({ ...none, scyllaNodes: ["a"] }, "json")).toContain("scyllaNodes");
  expect(await reportData(none, "json")).not.toContain("scyllaNodes");
});
