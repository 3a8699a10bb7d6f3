import { describe, expect, it } from "vitest";
import { writeYaml } from "../../../language/object/write-yaml.ts";
import { configKinds, tuningKinds } from "./manifest-kinds.ts";
import { type ConfigMap, formatProblem, readManifests } from "./read-manifests.ts";
import { envelope, manifestsText } from "./write-manifests.ts";

const tuned = (name: string, spec: object = {}): object => ({
  apiVersion: "tuned.openshift.io/v1",
  kind: "Tuned",
  metadata: { name },
  spec,
});

function configMap(data: Record<string, string>): ConfigMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data };
}

function problemsOf(text: string, kinds = tuningKinds): string[] {
  return readManifests(configMap({ tuning: text }), ["tuning"], kinds).problems.map(formatProblem);
}

describe("manifests of a ConfigMap", () => {
  it("are read from the first key that is there, in YAML and JSON, as many as there are (hosted W-12)", () => {
    const text = `${writeYaml(tuned("one"))}---\n# nothing\n---\n${JSON.stringify(tuned("two"))}\n${JSON.stringify(tuned("three"))}`;
    const { manifests, problems } = readManifests(configMap({ tuned: text }), ["tuning", "tuned"], tuningKinds);
    expect(problems).toEqual([]);
    expect(manifests.map(({ place, object }) => [place.key, place.document, object.metadata.name])).toEqual([
      ["tuned", 1, "one"],
      ["tuned", 2, "two"],
      ["tuned", 3, "three"],
    ]);
  });

  it("lose what only an API server sets, and their status", () => {
    const metadata = {
      name: "x",
      namespace: "other",
      labels: { a: "b" },
      annotations: {},
      uid: "u",
      resourceVersion: "7",
      creationTimestamp: "2024-01-01T00:00:00Z",
      finalizers: ["x.org/y"],
      ownerReferences: [{ kind: "Node", name: "n" }],
      managedFields: [{ manager: "m" }],
      generation: 3,
    };
    const text = writeYaml({ ...tuned("x"), metadata, status: { conditions: [] } });
    const [manifest] = readManifests(configMap({ tuning: text }), ["tuning"], tuningKinds).manifests;
    expect(manifest?.object).toEqual({
      ...tuned("x"),
      metadata: { name: "x", namespace: "other", labels: { a: "b" } },
    });
  });

  it("of older profiles are converted", () => {
    const spec = { cpu: { isolated: "1-3", reserved: "0" }, nodeSelector: { "node-role.kubernetes.io/w": "" } };
    for (const version of ["v1", "v1alpha1"]) {
      const profile = { apiVersion: `performance.openshift.io/${version}`, kind: "PerformanceProfile", spec };
      const text = writeYaml({ ...profile, metadata: { name: "perf" } });
      const [manifest] = readManifests(configMap({ tuning: text }), ["tuning"], tuningKinds).manifests;
      expect(manifest?.object).toMatchObject({ apiVersion: "performance.openshift.io/v2", spec: { cpu: spec.cpu } });
    }
  });

  it("survive being written and read, whatever their order", () => {
    const objects = [
      { ...tuned("b", { profile: [{ name: "p", data: "[main]\nsummary=yes\n" }] }) },
      { ...tuned("a", { recommend: [{ profile: "p", priority: 20 }] }) },
    ] as never[];
    const text = manifestsText(objects);
    expect(manifestsText(objects.toReversed())).toBe(text);
    const written = envelope({ name: "a", namespace: "n", labels: {}, key: "tuned", text });
    const { manifests, problems } = readManifests(written, ["tuned"], tuningKinds);
    expect(problems).toEqual([]);
    expect(manifests.map(({ object }) => object)).toEqual(expect.arrayContaining(objects));
  });
});

describe("a problem names the ConfigMap, the document and the field", () => {
  it.each<[string, string, string | RegExp]>([
    ["no YAML", "a: [1\n", /^ConfigMap a, document 1: is not YAML: line /],
    ["a key twice", "kind: Tuned\nkind: Tuned\n", /document 1: is not YAML: line 2: key "kind" already set in map$/],
    ["no object", "- 1\n", "ConfigMap a, document 1: is not an object"],
    ["an empty text", "", "ConfigMap a: has no manifest"],
    ["only a comment", "# a\n---\n", "ConfigMap a: has no manifest"],
    ["no kind", "apiVersion: v1\n", "ConfigMap a, document 1: kind: Required value"],
    ["no apiVersion", "kind: x\n", "ConfigMap a, document 1, x: apiVersion: Required value"],
    [
      "another kind",
      "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n",
      /document 1, Pod p: Pod of v1 is not supported/,
    ],
    [
      "no name",
      writeYaml({ ...tuned(""), metadata: {} }),
      "ConfigMap a, document 1, Tuned: metadata.name: Required value",
    ],
    ["no metadata", writeYaml({ ...tuned(""), metadata: undefined }), /Tuned: metadata.name: Required value$/],
    ["a bad name", writeYaml(tuned("A_b")), /Tuned A_b: metadata.name: Invalid value: "A_b"/],
    ["an unknown field", writeYaml(tuned("x", { colour: "blue" })), /Tuned x: spec.colour: .*unknown field$/],
    [
      "an unknown field of metadata",
      writeYaml({ ...tuned("x"), metadata: { name: "x", colour: 1 } }),
      /metadata.colour: .*unknown field$/,
    ],
    [
      "a label that is true in YAML",
      "apiVersion: tuned.openshift.io/v1\nkind: Tuned\nmetadata: {name: x, labels: {a: y}}\n",
      /Tuned x: metadata.labels.a: .*must be of type string/,
    ],
    [
      "a wrong type",
      writeYaml(tuned("x", { recommend: [{ profile: "p", priority: "high" }] })),
      /spec.recommend\[0\].priority: .*must be of type integer/,
    ],
    [
      "text after the end",
      `${writeYaml(tuned("x"))}...\n${writeYaml(tuned("y"))}`,
      /text follows the end of the document/,
    ],
  ])("%s", (_, text, expected) => {
    const problems = problemsOf(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(expected);
  });

  it("and a bad document keeps no other from being read", () => {
    const text = ["a: [1", writeYaml(tuned("good")), "kind: x"].join("\n---\n");
    const read = readManifests(configMap({ tuning: text }), ["tuning"], tuningKinds);
    expect(read.manifests.map(({ place }) => place.document)).toEqual([2]);
    expect(read.problems.map(({ document }) => document)).toEqual([1, 3]);
  });

  it("a missing key", () => {
    const { problems } = readManifests(configMap({ x: "" }), ["tuning", "tuned"], tuningKinds);
    expect(problems.map(formatProblem)).toEqual([
      "ConfigMap a: has no key tuning, tuned: with kubectl, --from-file=tuning=FILE gives it",
    ]);
    expect(readManifests({ ...configMap({}), data: undefined }, ["tuning"], tuningKinds).problems).toHaveLength(1);
  });
});

describe("what a hostile text can cost is bounded", () => {
  it.each<[string, string]>([
    ["more than a ConfigMap holds", "a".repeat(1024 * 1024 + 1)],
    ["ten thousand documents", "a: 1\n---\n".repeat(10_000)],
    [
      "aliases that repeat aliases",
      `a: &a [${"x,".repeat(50)}]\nb: &b [${"*a,".repeat(50)}]\nc: [${"*b,".repeat(50)}]\n`,
    ],
    ["deep nesting", "[".repeat(100_000)],
    ["fifty thousand ends of documents", "...\n".repeat(50_000)],
  ])("%s", (_, text) => {
    expect(problemsOf(text)).toHaveLength(1);
  });

  it("a thousand faults are a few problems", () => {
    const labels = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`-${i}`, "!"]));
    expect(problemsOf(writeYaml({ ...tuned("x"), metadata: { name: "x", labels } })).length).toBeLessThan(20);
  });

  it("a key named like a method is a problem of its own", () => {
    expect(
      problemsOf('{"apiVersion":"v1","kind":"constructor","__proto__":{"kind":"Tuned"}}', configKinds),
    ).toHaveLength(1);
  });
});
