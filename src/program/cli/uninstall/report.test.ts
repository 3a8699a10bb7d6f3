import { expect, it } from "vitest";
import type { KubeObject } from "../../../language/object/meta.ts";
import { tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { reportText } from "./report.ts";

const none = { dryRun: false, nodes: [], deleted: [], kept: [] };
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
