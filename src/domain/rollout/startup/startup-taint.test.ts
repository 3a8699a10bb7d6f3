import { expect, test } from "vitest";
import { agentAnnotations } from "../node-annotations.ts";
import { judgeNode } from "../node-state.ts";
import type { RolloutNode } from "../rollout-node.ts";
import { isUntuned, notTuned, startupTaint } from "./startup-taint.ts";

const node = (ready: string, bootID: string | undefined, tunedBoot: string | undefined): RolloutNode => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "a", annotations: tunedBoot === undefined ? {} : { [agentAnnotations.tunedBoot]: tunedBoot } },
  status: { conditions: [{ type: "Ready", status: ready }], ...(bootID === undefined ? {} : { nodeInfo: { bootID } }) },
});

const tainted: RolloutNode = { ...node("True", "3", undefined), spec: { taints: [startupTaint] } };

test.each([
  ["tuned in this boot", node("True", "2", "2"), false, "False"],
  ["not ready, so that it may be restarting", node("Unknown", "2", "2"), true, "False"],
  ["restarted", node("False", "3", "2"), true, "False"],
  ["back, without its agent", node("True", "3", "2"), true, "True"],
  ["never tuned", node("False", "3", undefined), false, "False"],
  ["never tuned, and has joined with the taint", tainted, true, "True"],
  ["of a kubelet that reports no boot", node("True", undefined, "2"), false, "False"],
])("a node that is %s", (_, of, isTainted, condition) => {
  expect(isUntuned(of)).toBe(isTainted);
  expect(notTuned([{ state: judgeNode(of) }])).toMatchObject({ status: condition });
});
