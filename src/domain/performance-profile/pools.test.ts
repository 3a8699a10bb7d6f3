import { describe, expect, it } from "vitest";
import type { MachineConfigPool } from "../machine-config/api.ts";
import { defaultPools, poolFor } from "./pools.ts";

function pool(name: string, nodeSelector?: unknown): MachineConfigPool {
  const spec = nodeSelector === undefined ? {} : { nodeSelector };
  return { apiVersion: "", kind: "", metadata: { name }, spec };
}

const label = "node-role.kubernetes.io/worker-cnf";
const selector = { matchLabels: { [label]: "" } };
const wanted = { [label]: "" };

function found(...pools: MachineConfigPool[]): string | readonly string[] {
  const result = poolFor(wanted, pools);
  return result.type === "several" ? result.names : result.type === "none" ? "none" : (result.pool.metadata.name ?? "");
}

describe("the pool for a node selector", () => {
  it.each<[string, string | string[], MachineConfigPool[]]>([
    ["the one that selects its label", "cnf", [pool("worker", { matchLabels: { other: "" } }), pool("cnf", selector)]],
    ["by an expression too", "cnf", [pool("cnf", { matchExpressions: [{ key: label, operator: "Exists" }] })]],
    ["none", "none", []],
    ["not one that wants another label besides", "none", [pool("cnf", { matchLabels: { [label]: "", more: "" } })]],
    ["several, by name", ["a", "b"], [pool("b", selector), pool("a", selector)]],
    ["one that is given twice", "cnf", [pool("cnf", selector), pool("cnf", selector)]],
    [
      "the first of two with the same name",
      "none",
      [pool("cnf", { matchLabels: { other: "" } }), pool("cnf", selector)],
    ],
  ])("is %s", (_, expected, pools) => {
    expect(found(...pools)).toEqual(expected);
  });

  it.each([
    undefined,
    null,
    {},
    { matchLabels: {} },
    { matchLabels: null, matchExpressions: null },
    { matchLabels: { [label]: true } },
    { matchLabels: "text" },
    { matchLabels: { [label]: "not a value!" } },
    { matchExpressions: [null] },
    { matchExpressions: "text" },
    { matchExpressions: [{ key: label, operator: "Like" }] },
    { matchExpressions: [{ key: label, operator: "In", values: label }] },
    "text",
    [],
  ])("is none whose selector is %j", (nodeSelector) => {
    expect(found(pool("odd", nodeSelector), pool("cnf", selector))).toBe("cnf");
  });
});

describe("the pools that every cluster has", () => {
  it("are master and worker", () => {
    const [master, worker, ...others] = defaultPools([pool("cnf", selector)]);
    expect(others).toEqual([]);
    expect(worker?.metadata.name).toBe("worker");
    expect(master).toEqual({
      apiVersion: "machineconfiguration.openshift.io/v1",
      kind: "MachineConfigPool",
      metadata: { name: "master", labels: { "pools.operator.machineconfiguration.openshift.io/master": "" } },
      spec: {
        machineConfigSelector: { matchLabels: { "machineconfiguration.openshift.io/role": "master" } },
        nodeSelector: { matchLabels: { "node-role.kubernetes.io/master": "" } },
      },
    });
  });

  it("are not added if they exist, in any case of letters", () => {
    expect(defaultPools([pool("Master"), pool("worker")])).toEqual([]);
  });
});
