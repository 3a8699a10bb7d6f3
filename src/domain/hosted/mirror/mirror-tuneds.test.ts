import { describe, expect, it } from "vitest";
import { deepFreeze } from "../../../language/object/json.ts";
import { writeYaml } from "../../../language/object/write-yaml.ts";
import { type Tuned, tuningNamespace as namespace } from "../../node-tuning/api.ts";
import { judge } from "../../node-tuning/judge.ts";
import type { NodeFacts } from "../../node-tuning/node-profile.ts";
import { formatProblem, type ConfigMap } from "../envelope/read-manifests.ts";
import { poolScopes } from "../pool-rules.ts";
import { nodeLabels } from "./node-labels.ts";
import { type Mirror, type MirrorInput, mirrorTuneds } from "./mirror-tuneds.ts";

const hash = { np1: "566a8046", np2: "556a7eb3" };

function tuned(name: string, more: { data?: string; annotations?: Record<string, string> } = {}): object {
  const { data = "[main]\nsummary=x\n", annotations } = more;
  return {
    apiVersion: "tuned.openshift.io/v1",
    kind: "Tuned",
    metadata: { name, annotations },
    spec: { profile: [{ name: `${name}-profile`, data }], recommend: [{ profile: `${name}-profile`, priority: 20 }] },
  };
}

function configMap(name: string, nodePool: string, ...documents: (object | string)[]): ConfigMap {
  const text = documents.map((one) => (typeof one === "string" ? `${one}\n` : writeYaml(one))).join("---\n");
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name,
      labels: { "hypershift.openshift.io/tuned-config": "true" },
      annotations: { "hypershift.openshift.io/nodePool": `clusters/${nodePool}` },
    },
    data: { tuned: text },
  };
}

function mirrored(input: Partial<MirrorInput>): Mirror {
  return mirrorTuneds(deepFreeze({ configMaps: [], tuneds: [], namespace, ...input }));
}

/** The Tuneds of NodePools after the plan. */
function hosted({ objects }: Mirror): Tuned[] {
  return objects.map(({ object }) => object as Tuned).filter(({ metadata }) => metadata.name !== "default");
}

function names(tuneds: readonly { metadata: { name?: string | undefined } }[]): string[] {
  return tuneds.map(({ metadata }) => metadata.name ?? "");
}

describe("what cannot be read keeps what it gave", () => {
  const before = configMap("a", "np1", tuned("one"), tuned("two"));
  const known = mirrored({ configMaps: [before] });
  const observed = hosted(known);
  const broken = configMap("a", "np1", tuned("one"), "a: [1");
  const named = configMap("a", "np1", tuned("one"), { ...tuned("two"), spec: { colour: 1 } });

  it.each<[string, ConfigMap]>([
    ["a document that is no YAML", broken],
    ["a document with an error", named],
    ["a ConfigMap without its key", { ...before, data: {} }],
    ["a ConfigMap without its annotation", { ...before, metadata: { ...before.metadata, annotations: {} } }],
    ["a document of another kind", configMap("a", "np1", tuned("one"), "kind: Tunde")],
  ])("%s", (_, configMapNow) => {
    const mirror = mirrored({ configMaps: [configMapNow], tuneds: observed, lastGood: known.lastGood });
    expect(mirror.prunes).toEqual([]);
    expect(names(hosted(mirror))).toEqual(expect.arrayContaining([`one-${hash.np1}`, `two-${hash.np1}`]));
    expect(mirror.problems).toHaveLength(1);
    expect(formatProblem(mirror.problems[0]!)).toMatch(/^ConfigMap a/);
  });

  it("also after a restart, for as long as it cannot be read", () => {
    const first = mirrored({ configMaps: [broken], tuneds: observed });
    expect(first.prunes).toEqual([]);
    const second = mirrored({ configMaps: [broken], tuneds: observed, lastGood: first.lastGood });
    expect(second.prunes).toEqual([]);
    const mended = mirrored({
      configMaps: [configMap("a", "np1", tuned("one"))],
      tuneds: observed,
      lastGood: second.lastGood,
    });
    expect(names(mended.prunes)).toEqual([`two-${hash.np1}`]);
  });

  it("and nothing of another NodePool, nor of another ConfigMap", () => {
    const others = [configMap("b", "np2", tuned("three")), configMap("c", "np1", tuned("four"))];
    const all = mirrored({ configMaps: [before, ...others] });
    const mirror = mirrored({ configMaps: [broken], tuneds: hosted(all), lastGood: all.lastGood });
    expect(names(mirror.prunes).toSorted()).toEqual([`four-${hash.np1}`, `three-${hash.np2}`]);
  });
});

describe("users of the hosted cluster", () => {
  const configMaps = [configMap("a", "np1", tuned("one"))];
  const [own] = hosted(mirrored({ configMaps })) as [Tuned];
  const mine: Tuned = {
    ...own,
    metadata: { ...own.metadata, name: "mine", finalizers: ["x.org/y"], deletionTimestamp: "now" },
  };

  it("cannot add a Tuned, not even one that a finalizer keeps", () => {
    const { tuneds, prunes } = mirrored({ configMaps, tuneds: [own, mine] });
    expect(names(tuneds)).toEqual([`one-${hash.np1}`]);
    expect(names(prunes)).toEqual(["mine"]);
  });

  it("cannot change what nodes get, not even until it is reverted (Q-6)", () => {
    const labels = { "hypershift.openshift.io/nodePoolName": "np2", mine: "1" };
    const edited: Tuned = {
      ...own,
      metadata: { ...own.metadata, labels, annotations: { a: "b" }, uid: "u", generation: 7 },
      spec: {},
    };
    const { objects, tuneds } = mirrored({ configMaps, tuneds: [edited] });
    expect(objects[0]).toMatchObject({ owns: "whole", object: own, exactMetadata: true });
    // The generation that it has once it is reverted.
    expect(tuneds).toEqual([{ ...own, metadata: { ...own.metadata, generation: 8 } }]);
  });

  it("cannot stop the operator by `default`, nor move it to a NodePool", () => {
    const base = { apiVersion: own.apiVersion, kind: "Tuned", metadata: { name: "default", namespace } };
    const labels = { "hypershift.openshift.io/nodePoolName": "np1" };
    for (const changed of [
      { ...base, spec: { managementState: "Removed" } },
      { ...base, metadata: { ...base.metadata, labels } },
      { ...base, metadata: { ...base.metadata, finalizers: ["x.org/y"] } },
    ] as Tuned[]) {
      const { objects, tuneds } = mirrored({ tuneds: [changed] });
      expect(objects).toMatchObject([
        { owns: "whole", exactMetadata: true, object: { metadata: { name: "default" } } },
      ]);
      expect(objects[0]?.object.spec).not.toHaveProperty("managementState");
      expect(tuneds[0]?.spec).not.toHaveProperty("managementState");
    }
  });

  it("cannot move a node to another NodePool", () => {
    const node = (labels: Record<string, string>): NodeFacts => ({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "n", labels: { other: "x", ...labels } },
    });
    const key = "hypershift.openshift.io/nodePool";
    for (const labels of [{ [key]: "np2" }, {}] as Record<string, string>[]) {
      const { nodes, objects } = nodeLabels([node(labels)], () => "np1");
      expect(nodes).toEqual([node({ [key]: "np1" })]);
      expect(objects).toMatchObject([
        { owns: "fields", object: { metadata: { name: "n", labels: { [key]: "np1" } } } },
      ]);
    }
    expect(nodeLabels([node({})], () => undefined)).toEqual({ nodes: [node({})], objects: [] });
  });
});

describe("nodes of a NodePool", () => {
  const node = (name: string, pool: string): NodeFacts => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/os": "linux", "hypershift.openshift.io/nodePool": pool } },
  });

  function profilesOf(configMaps: readonly ConfigMap[]): Map<string | undefined, unknown> {
    const { tuneds } = mirrored({ configMaps });
    const around = { profiles: [], agent: { release: "1" }, protocol: "documented", namespace } as const;
    const scopes = poolScopes(tuneds, [node("a", "np1"), node("b", "np2")]);
    const chosen = scopes.flatMap((scope) => judge({ ...scope, ...around }).chosen);
    return new Map(chosen.map(({ node: { wanted }, undecided }) => [wanted.metadata.name, undecided || wanted]));
  }

  it("get profiles of their own, though another NodePool has different ones of the same name (Q-7)", () => {
    const of = (text: string): object => tuned("same", { data: `[main]\nsummary=${text}\n` });
    const profiles = profilesOf([configMap("x", "np1", of("one")), configMap("y", "np2", of("two"))]);
    expect(profiles.get("a")).toMatchObject({ spec: { profile: [{ data: "[main]\nsummary=one\n" }] } });
    expect(profiles.get("b")).toMatchObject({ spec: { profile: [{ data: "[main]\nsummary=two\n" }] } });
  });

  it("defer updates as their Tuned says (Q-5)", () => {
    const annotations = { "tuned.openshift.io/deferred": "always" };
    const profiles = profilesOf([configMap("x", "np1", tuned("one", { annotations }))]);
    expect(profiles.get("a")).toMatchObject({ metadata: { annotations } });
    expect(profiles.get("b")).not.toMatchObject({ metadata: { annotations } });
  });
});

it("a Tuned that was written for another namespace, or beside other clusters' marks, is one of the namespace of the operator", () => {
  const { metadata, ...rest } = tuned("one") as Tuned;
  const foreign = { namespace: "elsewhere", resourceVersion: "7", uid: "x", finalizers: ["example.com/held"] };
  const [one] = hosted(
    mirrored({ configMaps: [configMap("a", "np1", { ...rest, metadata: { ...metadata, ...foreign } })] }),
  );
  const labels = { "hypershift.openshift.io/nodePoolName": "np1" };
  expect(one?.metadata).toEqual({ name: `one-${hash.np1}`, namespace, labels });
});

it("a thousand Tuneds of a hundred NodePools are as many objects", () => {
  const pools = Array.from({ length: 100 }, (_, i) => `np${i}`);
  const configMaps = pools.map((pool) =>
    configMap(`tuned-${pool}`, pool, ...Array.from({ length: 10 }, (_, i) => tuned(`t${i}`))),
  );
  const mirror = mirrorTuneds({ configMaps, tuneds: [], namespace });
  expect(mirror.problems).toEqual([]);
  expect(hosted(mirror)).toHaveLength(1000);
});
