import { describe, expect, test } from "vitest";
import { apiVersion, type MachineConfigPool } from "./api.ts";
import type { LabelSelectorObject } from "../../language/object/label-selector.ts";
import { isSameSelection, Pools } from "./pools.ts";

const role = (name: string): Record<string, string> => ({ [`role/${name}`]: "" });

function pool(name: string, nodes?: LabelSelectorObject, configs?: LabelSelectorObject): MachineConfigPool {
  return {
    apiVersion,
    kind: "MachineConfigPool",
    metadata: { name },
    spec: {
      nodeSelector: nodes ?? { matchLabels: role(name) },
      machineConfigSelector: configs ?? { matchLabels: { role: name } },
    },
  };
}

const inheriting: LabelSelectorObject = {
  matchExpressions: [{ key: "role", operator: "In", values: ["worker", "rt"] }],
};
const pools = new Pools([pool("worker"), pool("master"), pool("rt", undefined, inheriting), pool("x")]);

describe("the pools of a node", () => {
  test.each<[string[], string[]]>([
    [[], []],
    [["worker"], ["worker"]],
    [["master"], ["master"]],
    [["master", "worker"], ["master"]],
    [["rt"], ["rt"]],
    [
      ["rt", "worker"],
      ["rt", "worker"],
    ],
    [["rt", "master"], ["master"]],
    [
      ["rt", "master", "worker"],
      ["master", "worker"],
    ],
    [["rt", "x"], []],
    [["rt", "x", "master", "worker"], []],
  ])("with the roles %j are %j", (roles, expected) => {
    expect(pools.ofNode(Object.assign({}, ...roles.map(role)) as Record<string, string>)).toEqual(expected);
  });
});

test.each<[Record<string, string>, string[]]>([
  [{ role: "worker" }, ["rt", "worker"]],
  [{ role: "rt" }, ["rt"]],
  [{ role: "master", more: "x" }, ["master"]],
  [{ other: "worker" }, []],
  [{}, []],
])("labels %j select the pools %j", (labels, expected) => {
  expect(pools.selecting(labels)).toEqual(expected);
});

describe("a pool", () => {
  test("without selectors has no nodes and no configuration", () => {
    const bare = new Pools([
      { apiVersion, kind: "MachineConfigPool", metadata: { name: "bare" } },
      pool("empty", {}, {}),
    ]);
    expect(bare.ofNode(role("worker"))).toEqual([]);
    expect(bare.selecting({ role: "worker" })).toEqual([]);
    expect(bare.problems).toEqual([]);
  });

  test("with an invalid selector has a problem, and does not affect other pools (W-10)", () => {
    const bogus: LabelSelectorObject = { matchExpressions: [{ key: "k", operator: "Bogus" }] };
    const some = new Pools([pool("bad", bogus, bogus), pool("worker")]);
    expect(some.problems).toEqual([
      expect.stringMatching(/^MachineConfigPool bad nodeSelector: /),
      expect.stringMatching(/^MachineConfigPool bad machineConfigSelector: /),
    ]);
    expect(some.ofNode(role("worker"))).toEqual(["worker"]);
    expect(some.selecting({ role: "worker" })).toEqual(["worker"]);
  });
});

test("a rollout writes pools without changing what they select", () => {
  const pool = {
    apiVersion: "",
    kind: "MachineConfigPool",
    metadata: { name: "rt", resourceVersion: "1", labels: { a: "" } },
    spec: { nodeSelector: { matchLabels: { rt: "" } } },
  };
  const told = { ...pool, metadata: { ...pool.metadata, resourceVersion: "2" }, status: { machineCount: 1 } };
  expect(isSameSelection(pool, { ...told, spec: { ...pool.spec, configuration: { name: "x" } } })).toBe(true);
  expect(isSameSelection(pool, { ...pool, metadata: { name: "rt" } })).toBe(false);
  expect(isSameSelection(pool, { ...pool, spec: { nodeSelector: { matchLabels: { other: "" } } } })).toBe(false);
  expect(isSameSelection(pool, { ...pool, spec: { ...pool.spec, machineConfigSelector: {} } })).toBe(false);
});
