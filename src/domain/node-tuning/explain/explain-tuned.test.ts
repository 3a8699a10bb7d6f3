import { describe, expect, it } from "vitest";
import { deepFreeze } from "../../../language/object/json.ts";
import { apiVersion, type Profile, type Recommend, type Tuned } from "../api.ts";
import type { NodeTuningInput } from "../decide.ts";
import { judge } from "../judge.ts";
import type { NodeFacts } from "../node-profile.ts";
import { emptyInput } from "../testing/empty-input.ts";
import { explainTuned, type TunedExplanation } from "./explain-tuned.ts";

const namespace = "tuning";

function tuned(name: string, profiles: Record<string, string>, ...recommend: Recommend[]): Tuned {
  const profile = Object.entries(profiles).map(([of, data]) => ({ name: of, data }));
  return { apiVersion, kind: "Tuned", metadata: { name, namespace, generation: 1 }, spec: { profile, recommend } };
}

function node(name: string, labels: Record<string, string> = {}): NodeFacts {
  return { apiVersion: "v1", kind: "Node", metadata: { name, labels: { "kubernetes.io/os": "linux", ...labels } } };
}

const nodes = [
  node("a", { db: "" }),
  node("b", { db: "", fast: "" }),
  node("c", { fast: "no" }),
  node("d"),
  node("w", { "kubernetes.io/os": "windows" }),
];
const quiet = tuned("quiet", { quiet: "" }, { profile: "quiet", priority: 20, match: [{ label: "db" }] });
const fast = tuned(
  "fast",
  { fast: "[main]\ninclude=quiet" },
  { profile: "fast", priority: 10, match: [{ label: "fast", value: "" }] },
);

function explained(
  name: string,
  tuneds: readonly Tuned[],
  more: Partial<NodeTuningInput> = {},
): TunedExplanation | undefined {
  return explainTuned(deepFreeze({ ...emptyInput, tuneds, nodes, ...more }), name);
}

/** The Profiles as operator and agents write them. */
function profiles(tuneds: readonly Tuned[], degraded: readonly string[] = []): Profile[] {
  return judge({ ...emptyInput, tuneds, nodes }).chosen.map(({ node: { wanted } }) => ({
    ...wanted,
    metadata: { ...wanted.metadata, generation: 1 },
    status: {
      tunedProfile: wanted.spec.config.tunedProfile,
      observedGeneration: 1,
      conditions: [
        { type: "Applied", status: "True", reason: "", message: "" },
        {
          type: "Degraded",
          status: degraded.includes(wanted.metadata.name ?? "") ? "True" : "False",
          reason: "",
          message: "",
        },
      ],
    },
  }));
}

describe("a Tuned", () => {
  it("is explained by the nodes that its rules reach, and by why they do not reach the others", () => {
    expect(explained("quiet", [quiet, fast])).toMatchObject({
      tuned: "quiet",
      managementState: "Managed",
      rules: [
        {
          profile: "quiet",
          priority: 20,
          nodes: [
            { outcome: "chosen", because: "the node has label db", nodes: ["a"] },
            {
              outcome: "lower priority",
              because: "the node has label db",
              instead: "Tuned fast recommend[0] (profile fast, priority 10)",
              nodes: ["b"],
            },
            { outcome: "no match", because: "label db is missing", nodes: ["c", "d"] },
          ],
        },
      ],
      otherSystems: ["w"],
    });
  });

  it("reaches nodes whose profile includes one of its own", () => {
    expect(explained("quiet", [quiet, fast])?.profiles).toEqual([
      {
        profile: "quiet",
        nodes: [
          { state: "not yet", by: "quiet", nodes: ["a"] },
          { state: "not yet", by: "fast", nodes: ["b"] },
        ],
      },
    ]);
  });

  it("says by the reports of agents where its profile is in force", () => {
    const tuneds = [quiet, tuned("more", { more: "" }, { profile: "more", priority: 30, match: [{ label: "fast" }] })];
    const report = profiles(tuneds, ["b"]);
    expect(explained("quiet", tuneds, { profiles: report })?.profiles[0]?.nodes).toEqual([
      { state: "in force", by: "quiet", nodes: ["a"] },
      { state: "degraded", by: "quiet", nodes: ["b"] },
    ]);
    const edited = report.map((one) => ({ ...one, metadata: { ...one.metadata, generation: 2 } }));
    expect(explained("quiet", tuneds, { profiles: edited })?.profiles[0]?.nodes).toMatchObject([{ state: "not yet" }]);
  });

  it("names the rule that wins a tie, and one that no node can use", () => {
    const other = tuned("aaa", { aaa: "" }, { profile: "aaa", priority: 20, match: [{ label: "db" }] });
    const ghost = tuned("ghost", {}, { profile: "ghost", priority: 5 });
    const outcomes = (name: string): unknown =>
      explained(name, [quiet, other, ghost])?.rules[0]?.nodes.map(({ outcome, instead, nodes: of }) => [
        outcome,
        instead,
        of.length,
      ]);
    expect(outcomes("quiet")).toEqual([
      ["tied", "Tuned aaa recommend[0] (profile aaa, priority 20)", 2],
      ["no match", undefined, 2],
    ]);
    expect(outcomes("ghost")).toEqual([["unusable", undefined, 4]]);
    expect(explained("ghost", [ghost])?.conditions).toContainEqual(
      expect.objectContaining({ type: "Valid", status: "False" }),
    );
  });

  it("that does not exist has no explanation, and the default one always has", () => {
    expect(explained("gone", [quiet])).toBeUndefined();
    expect(explained("default", [quiet])?.rules.flatMap((rule) => rule.nodes)).toContainEqual(
      expect.objectContaining({ outcome: "chosen", nodes: ["c", "d"] }),
    );
  });
});
