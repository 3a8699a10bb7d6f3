import { describe, expect, test } from "vitest";
import {
  apiVersion as machineConfiguration,
  type MachineConfig,
  type MachineConfigPool,
} from "../../machine-config/api.ts";
import { apiVersion, generatedAnnotation, type Profile, type Protocol } from "../api.ts";
import { type ChosenNode, type PoolOutcome, poolArguments } from "./boot-arguments.ts";
import { bootConditions } from "./boot-conditions.ts";
import { inputsOf } from "../inputs.ts";
import { forsaken, poolMachineConfig } from "./machine-configs.ts";
import { Pools } from "../pools.ts";
import type { Rule } from "../rule.ts";

const labels = { role: "worker" };
const rule: Rule = {
  tuned: "t",
  index: 0,
  recommend: { profile: "p", priority: 20, machineConfigLabels: labels },
  usesPods: false,
};

const pool = (name: string, selects = name): MachineConfigPool => ({
  apiVersion: machineConfiguration,
  kind: "MachineConfigPool",
  metadata: { name },
  spec: {
    nodeSelector: { matchLabels: { [name]: "" } },
    machineConfigSelector: { matchLabels: { role: selects } },
  },
});
const pools = new Pools([pool("worker"), pool("rt")]);

interface Told {
  line?: string;
  /** Default: for what the node is to have. */
  inputs?: string;
  applied?: boolean;
  ready?: "True" | "False" | "Unknown";
  in?: string[];
  via?: "match" | "pool";
}

function node(name: string, told: Told = {}): ChosenNode {
  const { line, applied = true, ready, via = "pool" } = told;
  const wanted: Profile = { apiVersion, kind: "Profile", metadata: { name }, spec: { config: { tunedProfile: "p" } } };
  const inputs = told.inputs ?? inputsOf(wanted.spec);
  return {
    node: {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name, labels: Object.fromEntries((told.in ?? ["worker"]).map((pool) => [pool, ""])) },
      ...(ready ? { status: { conditions: [{ type: "Ready", status: ready }] } } : {}),
    },
    choice: { rule, via: via === "match" ? { type: "match" } : { type: "pool", pool: "worker" }, ties: [] },
    wanted,
    observed: {
      ...wanted,
      status: {
        tunedProfile: "p",
        ...(line === undefined ? {} : { bootcmdline: line, bootcmdlineInputs: inputs }),
        conditions: [{ type: "Applied", status: applied ? "True" : "False", reason: "AsExpected", message: "" }],
      },
    },
  };
}

function outcome(nodes: ChosenNode[], protocol: Protocol = "documented"): PoolOutcome | undefined {
  return poolArguments(nodes, pools, protocol).find(({ pool }) => pool === "worker")?.outcome;
}

const a = { line: "a=1" };

describe("what a pool's nodes want of their boot loaders", () => {
  test.each<[string, ChosenNode[], PoolOutcome]>([
    ["all the same", [node("n1", a), node("n2", a)], { type: "agreed", arguments: ["a=1"] }],
    ["nothing", [node("n1", { line: "" })], { type: "agreed", arguments: [] }],
    [
      "the same, spaced otherwise",
      [node("n1", a), node("n2", { line: " a=1 " })],
      { type: "agreed", arguments: ["a=1"] },
    ],
    ["one has not reported", [node("n1", a), node("n2")], { type: "waiting", nodes: ["n2"] }],
    ["one reported for another profile", [node("n1", { ...a, inputs: "old" })], { type: "waiting", nodes: ["n1"] }],
    [
      "different things",
      [node("n1", a), node("n2", { line: "a=2" }), node("n3", a)],
      {
        type: "conflict",
        values: new Map([
          ["a=1", ["n1", "n3"]],
          ["a=2", ["n2"]],
        ]),
      },
    ],
    ["none has applied its profile", [node("n1", { ...a, applied: false })], { type: "unapplied" }],
    [
      "one has applied, which is enough",
      [node("n1", a), node("n2", { ...a, applied: false })],
      { type: "agreed", arguments: ["a=1"] },
    ],
    ["one is away", [node("n1", a), node("n2", { ready: "Unknown" })], { type: "agreed", arguments: ["a=1"] }],
    [
      "all are away, and said the same before",
      [node("n1", { ...a, ready: "False" }), node("n2", { ...a, ready: "Unknown" })],
      { type: "agreed", arguments: ["a=1"] },
    ],
    [
      "all are away, and one never said anything",
      [node("n1", { ...a, ready: "False" }), node("n2", { ready: "Unknown" })],
      { type: "waiting", nodes: ["n2"] },
    ],
    [
      "the only one that the rule is for is away",
      [node("n1", { ...a, ready: "False" }), node("n2", { line: "", via: "match" })],
      {
        type: "conflict",
        values: new Map([
          ["a=1", ["n1"]],
          ["", ["n2"]],
        ]),
      },
    ],
    [
      "a node of another pool that wins through this one counts",
      [node("n1", a), node("n2", { line: "a=2", in: ["rt", "worker"] })],
      {
        type: "conflict",
        values: new Map([
          ["a=1", ["n1"]],
          ["a=2", ["n2"]],
        ]),
      },
    ],
    [
      "a node of this pool that won otherwise counts",
      [node("n1", a), node("n2", { line: "", via: "match" })],
      {
        type: "conflict",
        values: new Map([
          ["a=1", ["n1"]],
          ["", ["n2"]],
        ]),
      },
    ],
  ])("%s", (_, nodes, expected) => {
    expect(outcome(nodes)).toEqual(expected);
  });

  test("is nobody's question where no rule wins through a pool", () => {
    expect(outcome([node("n1", { ...a, via: "match" })])).toBeUndefined();
  });
});

describe("the MachineConfig", () => {
  const agreed = (words: string[]): Parameters<typeof poolMachineConfig>[0] => ({
    pool: "worker",
    rule,
    outcome: { type: "agreed", arguments: words },
  });
  const there: MachineConfig = {
    apiVersion: machineConfiguration,
    kind: "MachineConfig",
    metadata: { name: "50-nto-worker", annotations: { [generatedAnnotation]: "1.0" } },
  };

  test("has the arguments and the rule's labels", () => {
    expect(poolMachineConfig(agreed(["a", "b"]), undefined, "2.0")).toMatchObject({
      metadata: { name: "50-nto-worker", labels, annotations: { [generatedAnnotation]: "2.0" } },
      spec: { kernelArguments: ["a", "b"] },
    });
  });

  test("is not made for nothing, and stays where there was one", () => {
    expect(poolMachineConfig(agreed([]), undefined, "2.0")).toBeUndefined();
    expect(poolMachineConfig(agreed([]), there, "2.0")?.spec).toEqual({});
  });

  test("is not changed by an upgrade of the operator", () => {
    expect(poolMachineConfig(agreed(["a"]), there, "2.0")?.metadata.annotations).toEqual(there.metadata.annotations);
  });

  test.each<PoolOutcome>([
    { type: "unapplied" },
    { type: "waiting", nodes: [] },
    { type: "conflict", values: new Map() },
  ])("stays as it is while $type", (outcome) => {
    expect(poolMachineConfig({ ...agreed([]), outcome }, there, "2.0")).toBeUndefined();
  });

  test("goes when no rule speaks of its pool any more, and never one of somebody else", () => {
    const foreign = { ...there, metadata: { name: "50-nto-rt" } };
    const old = { ...there, metadata: { ...there.metadata, name: "50-nto-old" } };
    expect(forsaken([there, foreign, old], [rule], pools)).toEqual([old]);
    expect(forsaken([there, foreign], [], pools)).toEqual([there]);
  });
});

describe("a Tuned is told of its boot arguments", () => {
  const found = (nodes: ChosenNode[], known = pools): object | undefined =>
    bootConditions(nodes, poolArguments(nodes, known, "documented"), known, "documented").get("t");

  test.each<[string, ChosenNode[], object | undefined]>([
    [
      "that they were agreed on",
      [node("n1", a)],
      { status: "True", reason: "Agreed", message: "MachineConfig 50-nto-worker: a=1" },
    ],
    ["nothing where there are none", [node("n1", { line: "" })], undefined],
    [
      "which nodes are waited for",
      [node("n1", a), node("n2"), node("n3")],
      {
        status: "False",
        reason: "WaitingForNodes",
        message: "The pool worker waits for node n2 and 1 more: no boot arguments reported for the current profile.",
      },
    ],
    [
      "who wants what, where nodes disagree",
      [node("n1", a), node("n2", { line: "b" })],
      {
        status: "False",
        reason: "ProfileConflict",
        message:
          'Nodes of the pool worker want different boot arguments: "a=1" on n1; "b" on n2. The MachineConfig stays as it is until they agree.',
      },
    ],
    [
      "that a rule which won through match brings none to any machine",
      [node("n1", { ...a, via: "match" }), node("n2", { ...a, via: "match" })],
      {
        status: "False",
        reason: "WonThroughMatch",
        message:
          'Tuned t recommend[0] (profile p, priority 20) holds through match for node n1 and 1 more, so the boot arguments "a=1" reach no machine: only rules with machineConfigLabels and no match are for a whole pool.',
      },
    ],
  ])("%s", (_, nodes, expected) => {
    expect(found(nodes)).toEqual(expected);
  });

  test("that its labels select several pools", () => {
    const several = new Pools([pool("worker"), pool("rt", "worker")]);
    expect(found([node("n1", a)], several)).toMatchObject({ reason: "MCLabelsAcrossMCPs" });
    expect(found([node("n1", { ...a, applied: false })], several)).toBeUndefined();
  });
});
