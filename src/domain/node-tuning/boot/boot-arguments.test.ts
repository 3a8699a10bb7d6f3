import { describe, expect, test } from "vitest";
import {
  apiVersion as machineConfiguration,
  type MachineConfig,
  type MachineConfigPool,
} from "../../machine-config/api.ts";
import { apiVersion, generatedAnnotation, type Profile, type Protocol } from "../api.ts";
import { splitArguments } from "../../../language/tuned/boot-arguments.ts";
import { type ChosenNode, type PoolOutcome, poolArguments } from "./boot-arguments.ts";
import { bootConditions } from "./boot-conditions.ts";
import { inputsOf } from "../node-profile.ts";
import type { PossibleArguments } from "./possible-arguments.ts";
import { orphaned, poolMachineConfig } from "./machine-configs.ts";
import { Pools } from "../../machine-config/pools.ts";
import type { Rule } from "../rule.ts";

const labels = { role: "worker" };
const rule: Rule = {
  tuned: "t",
  index: 0,
  recommend: { profile: "p", priority: 20, machineConfigLabels: labels },
  usesPods: false,
  unusableOn: () => undefined,
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

interface Given {
  line?: string;
  /** Default: of the Profile that the node should have. */
  inputs?: string;
  applied?: boolean;
  ready?: "True" | "False" | "Unknown";
  in?: string[];
  via?: "match" | "pool";
}

function node(name: string, given: Given = {}): ChosenNode {
  const { line, applied = true, ready, via = "pool" } = given;
  const wanted: Profile = { apiVersion, kind: "Profile", metadata: { name }, spec: { config: { tunedProfile: "p" } } };
  const inputs = given.inputs ?? inputsOf(wanted.spec);
  return {
    node: {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name, labels: Object.fromEntries((given.in ?? ["worker"]).map((pool) => [pool, ""])) },
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

describe("boot arguments of a pool", () => {
  test.each<[string, ChosenNode[], PoolOutcome]>([
    ["all the same", [node("n1", a), node("n2", a)], { type: "agreed", arguments: ["a=1"] }],
    ["nothing", [node("n1", { line: "" })], { type: "agreed", arguments: [] }],
    [
      "the same, with other spaces",
      [node("n1", a), node("n2", { line: " a=1 " })],
      { type: "agreed", arguments: ["a=1"] },
    ],
    ["one has not reported", [node("n1", a), node("n2")], { type: "waiting", nodes: ["n2"] }],
    ["one reported for another profile", [node("n1", { ...a, inputs: "old" })], { type: "waiting", nodes: ["n1"] }],
    [
      "different arguments",
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
      "the only one that is present says other than those that are away",
      [node("n1", { line: "evil" }), node("n2", { ...a, ready: "Unknown" }), node("n3", { ...a, ready: "False" })],
      {
        type: "conflict",
        values: new Map([
          ["evil", ["n1"]],
          ["a=1", ["n2", "n3"]],
        ]),
      },
    ],
    [
      "none is ready, and all reported the same before",
      [node("n1", { ...a, ready: "False" }), node("n2", { ...a, ready: "Unknown" })],
      { type: "agreed", arguments: ["a=1"] },
    ],
    [
      "none is ready, and one never reported",
      [node("n1", { ...a, ready: "False" }), node("n2", { ready: "Unknown" })],
      { type: "waiting", nodes: ["n2"] },
    ],
    [
      "the only node of the rule is not ready",
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
      "a node of another pool whose rule is chosen by this pool counts",
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
      "a node of this pool with another rule counts",
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

  test("bounds are computed for current reports only, so that Profiles of an edit are written first", () => {
    let computed = 0;
    const nothing = (): PossibleArguments => {
      computed += 1;
      return { type: "exactly", words: [] };
    };
    const judged = (...nodes: ChosenNode[]): PoolOutcome | undefined =>
      poolArguments(nodes, pools, "documented", nothing)[0]?.outcome;
    expect(judged(node("n1", { ...a, inputs: "old" }), node("n2"))).toEqual({ type: "waiting", nodes: ["n1", "n2"] });
    expect(computed).toBe(0);
    expect(judged(node("n1", a), node("n2", a))).toEqual({
      type: "impossible",
      values: new Map([["a=1", ["n1", "n2"]]]),
    });
    expect(computed).toBe(1);
  });

  test("are not decided if no rule is chosen by a pool", () => {
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

  test("is not created without arguments, and stays if it exists", () => {
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

  test("is orphaned when no rule refers to its pool any more; those of other owners never are", () => {
    const foreign = { ...there, metadata: { name: "50-nto-rt" } };
    const old = { ...there, metadata: { ...there.metadata, name: "50-nto-old" } };
    expect(orphaned([there, foreign, old], [rule], pools)).toEqual([old]);
    expect(orphaned([there, foreign], [], pools)).toEqual([there]);
  });
});

describe("the condition BootArguments of a Tuned says", () => {
  const found = (nodes: ChosenNode[], known = pools): object | undefined =>
    bootConditions(nodes, poolArguments(nodes, known, "documented"), known, "documented").get("t");

  test.each<[string, ChosenNode[], object | undefined]>([
    [
      "that nodes agree",
      [node("n1", a)],
      { status: "True", reason: "Agreed", message: "MachineConfig 50-nto-worker: a=1" },
    ],
    ["nothing where there are none", [node("n1", { line: "" })], undefined],
    [
      "which nodes have not reported (W-8)",
      [node("n1", a), node("n2"), node("n3")],
      {
        status: "False",
        reason: "WaitingForNodes",
        message: "The pool worker waits for node n2 and 1 more: no boot arguments reported for the current profile.",
      },
    ],
    [
      "which arguments nodes disagree on",
      [node("n1", a), node("n2", { line: "b" })],
      {
        status: "False",
        reason: "ProfileConflict",
        message:
          'Nodes of the pool worker want different boot arguments: "a=1" on n1; "b" on n2. The MachineConfig stays as it is until they agree.',
      },
    ],
    [
      "that those of a rule chosen by match reach no node (Q-8)",
      [node("n1", { ...a, via: "match" }), node("n2", { ...a, via: "match" })],
      {
        status: "False",
        reason: "WonThroughMatch",
        message:
          'Tuned t recommend[0] (profile p, priority 20) matches node n1 and 1 more by match, so the boot arguments "a=1" reach no node: only rules with machineConfigLabels and no match apply to a whole pool.',
      },
    ],
  ])("%s", (_, nodes, expected) => {
    expect(found(nodes)).toEqual(expected);
  });

  test("that its labels select several pools (Q-10, W-17)", () => {
    const several = new Pools([pool("worker"), pool("rt", "worker")]);
    expect(found([node("n1", a)], several)).toMatchObject({ reason: "MCLabelsAcrossMCPs" });
    expect(found([node("n1", { ...a, applied: false })], several)).toBeUndefined();
  });
});

test.each<[string, string[]]>([
  ["", []],
  ["  ", []],
  ["a=1  b", ["a=1", "b"]],
  ["a\tb\nc\rd\fe\vf ", ["a", "b", "c", "d", "e", "f"]],
  ['x="1 2" y', ['x="1 2"', "y"]],
  ['"a b"=c', ['"a b"=c']],
  ['x="1 2', ['x="1 2']],
  ['x=\\"1 2\\"', ['x=\\"1 2\\"']],
  ["b a b", ["b", "a", "b"]],
])("the command line %j is split into %j", (line, words) => {
  expect(splitArguments(line)).toEqual(words);
});
