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

  test("of one node do not hide those of others: the first of each node come before its others, the most frequent first", () => {
    const liar = stateOf("a", ["l1", "l2", "l3", "l4", "l5", "l6"]);
    const members = [liar, stateOf("b", ["x", "y"]), stateOf("c", ["z"]), stateOf("d", ["z"])];
    expect(nodeFindings(members).message).toBe('"z" (c, d); "l1" (a); "x" (b); "l2" (a); "y" (b); and 4 more findings');
  });

  test("are none where no node has one", () => {
    expect(nodeFindings([stateOf("n", [])])).toEqual({ status: "False" });
  });
});
