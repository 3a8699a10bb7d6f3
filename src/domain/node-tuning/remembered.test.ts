import { expect, it } from "vitest";
import { apiVersion, type Tuned } from "./api.ts";
import { decideNodeTuning, type NodeTuningInput } from "./decide.ts";
import { Remembered } from "./remembered.ts";
import { emptyInput } from "./testing/empty-input.ts";

const namespace = "tuning";

function tuned(name: string, generation: number, texts: Readonly<Record<string, string>>): Tuned {
  const profile = Object.entries(texts).map(([of, data]) => ({ name: of, data }));
  const recommend = profile.map((one, index) => ({ profile: one.name, priority: 10 + index }));
  return {
    apiVersion,
    kind: "Tuned",
    metadata: { name, namespace, uid: name, generation },
    spec: { profile, recommend },
  };
}

const shipped: Tuned = { apiVersion, kind: "Tuned", metadata: { name: "default", namespace, uid: "d", generation: 1 } };
const metadata = { name: "n", labels: { "kubernetes.io/os": "linux" } };

function inputOf(tuneds: readonly Tuned[], remembered?: Remembered): NodeTuningInput {
  return {
    ...emptyInput,
    tuneds: [...tuneds, shipped],
    nodes: [{ apiVersion: "v1", kind: "Node", metadata }],
    remembered,
  };
}

const a = (generation: number, data: string): Tuned => tuned("a", generation, { a: data, b: "[sysctll]\nx=1\n" });
const c = (generation: number, data: string): Tuned => tuned("c", generation, { c: data });

it("every decision is the one that a new operator would make", () => {
  const remembered = new Remembered();
  const edits: Tuned[][] = [
    [a(1, "[main]\ninclude=c\n[sysctl]\nvm.swappiness=${v}\n"), c(1, "[variables]\nv=1\n")],
    // A variable that the other Tuned defined is gone, then its whole profile.
    [a(1, "[main]\ninclude=c\n[sysctl]\nvm.swappiness=${v}\n"), c(2, "[variables]\nw=1\n")],
    [a(1, "[main]\ninclude=c\n[sysctl]\nvm.swappiness=${v}\n")],
    // Another Tuned gives a section its type, and takes it back.
    [a(2, "[mine]\nx=1\n"), c(3, "[mine]\ntype=sysctl\n")],
    [a(2, "[mine]\nx=1\n"), c(4, "[main]\nsummary=c\n")],
    [a(2, "[mine]\nx=1\n"), c(4, "[main]\nsummary=c\n")],
    // The same names with other texts.
    [a(3, "[main]\ninclude=b\n"), tuned("c", 5, { b: "[main]\n" })],
  ];
  for (const tuneds of edits)
    expect(decideNodeTuning(inputOf(tuneds, remembered))).toEqual(decideNodeTuning(inputOf(tuneds)));
});

it("texts are read again only if a spec or the profiles of hosts have changed", () => {
  const remembered = new Remembered();
  const first = remembered.texts([a(1, "[sysctl]\nx=1\n")], ["own"]);
  const labelled = { ...a(1, "[sysctl]\nx=1\n"), status: { conditions: [] } };
  expect(remembered.texts([labelled], ["own", "own"])).toBe(first);
  const edited = remembered.texts([a(2, "[sysctl]\nx=2\n")], ["own"]);
  expect(edited).not.toBe(first);
  // Objects from no server have no generation.
  const local = { ...labelled, metadata: { name: "a", namespace } };
  expect(remembered.texts([local], [])).not.toBe(remembered.texts([local], []));
});
