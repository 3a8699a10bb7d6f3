import { describe, expect, test } from "vitest";
import { agentAnnotations } from "./node-annotations.ts";
import { nodeFindings } from "./node-findings.ts";
import { judgeNode, type NodeState } from "./node-state.ts";

function stateOf(name: string, findings: readonly string[]): { state: NodeState } {
  const annotations = { [agentAnnotations.findings]: JSON.stringify(findings) };
  return { state: judgeNode({ apiVersion: "v1", kind: "Node", metadata: { name, annotations } }) };
}

describe("findings of the nodes of a pool", () => {
  test("name the first nodes by name, whatever their order, and count the others", () => {
    const names = ["n9", "n2", "n7", "n4", "n1", "n8", "n3", "n6", "n5"];
    const members = names.map((name) => stateOf(name, name === "n4" ? ["a", "b"] : ["a"]));
    for (const inOrder of [members, members.toReversed()])
      expect(nodeFindings(inOrder).message).toBe('"a" (n1, n2, n3, n4, n5, and 4 more); "b" (n4)');
  });

  test("are none where no node has one", () => {
    expect(nodeFindings([stateOf("n", [])])).toEqual({ status: "False" });
  });
});
