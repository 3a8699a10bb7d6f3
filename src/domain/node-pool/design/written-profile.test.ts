import { describe, expect, it } from "vitest";
import { readYaml } from "../../../language/object/yaml.ts";
import type { ConfigMap } from "../../hosted/envelope/read-manifests.ts";
import type { PerformanceProfile } from "../../performance-profile/api.ts";
import { apiVersion, type NodePool } from "../api.ts";
import { givenProfile } from "./given-profile.ts";
import { writtenProfile } from "./written-profile.ts";

const namespace = "clusters";
const profile: PerformanceProfile = {
  apiVersion: "performance.openshift.io/v2",
  kind: "PerformanceProfile",
  metadata: { name: "quick" },
  spec: { cpu: { reserved: "0", isolated: "1-3" } },
};

function nodePool(...references: string[]): NodePool {
  const tuningConfig = references.map((name) => ({ name }));
  return {
    apiVersion,
    kind: "NodePool",
    metadata: {
      name: "np1",
      namespace,
      annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}", own: "yes" },
    },
    spec: { clusterName: "a", replicas: 2, ...(references.length > 0 ? { tuningConfig } : {}) },
  };
}

function configMap(name: string, data: Record<string, string>): ConfigMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace, resourceVersion: "7" }, data };
}

describe("a new profile", () => {
  it("becomes a ConfigMap and a reference to it, beside the others of the NodePool", () => {
    const { whole, changed } = writtenProfile(profile, { nodePool: nodePool("memory"), taken: ["memory"] });
    const tuningConfig = [{ name: "memory" }, { name: "quick" }];
    expect(changed.map(({ kind, metadata }) => [kind, metadata])).toEqual([
      ["ConfigMap", { name: "quick", namespace }],
      ["NodePool", { name: "np1", namespace }],
    ]);
    expect(readYaml((changed[0] as ConfigMap).data?.["tuning"] ?? "")).toEqual(profile);
    expect(changed[1]?.["spec"]).toEqual({ tuningConfig });
    // In a file the NodePool is whole: kubectl removes what was applied before and is missing there.
    expect(whole[1]).toMatchObject({
      metadata: { name: "np1", namespace, annotations: { own: "yes" } },
      spec: { clusterName: "a", replicas: 2, tuningConfig },
    });
    expect(JSON.stringify(whole)).not.toContain("last-applied");
  });

  it("never gets the name of a ConfigMap that is there, which may be of another NodePool", () => {
    const { changed } = writtenProfile(profile, { nodePool: nodePool(), taken: ["quick", "quick-2"] });
    expect(changed[0]?.metadata.name).toBe("quick-3");
    expect(changed[1]?.["spec"]).toEqual({ tuningConfig: [{ name: "quick-3" }] });
  });
});

describe("an edited profile", () => {
  const before = "# Ours.\napiVersion: tuned.openshift.io/v1\nkind: Tuned\nmetadata: {name: a}\nspec: {}\n";
  const old = JSON.stringify({ ...profile, spec: { cpu: { reserved: "0-1", isolated: "2-3" } } });
  const after = "apiVersion: tuned.openshift.io/v1\nkind: Tuned\nmetadata: {name: b}\nspec: {}\n";
  const written = (data: Record<string, string>) => {
    const pool = nodePool("missing", "tuned");
    const found = givenProfile(pool, (name) => (name === "tuned" ? configMap("tuned", data) : undefined));
    return found && writtenProfile(profile, { nodePool: pool, given: found, taken: ["tuned"] });
  };

  it.each([
    ["alone", old, ["quick"]],
    ["between others", `${before}---\n${old}\n---\n${after}`, [before, "quick", after]],
    ["after an empty document and a mark", `\uFEFF---\n# nothing\n---\n${before}---\n${old}`, [before, "quick"]],
  ])("takes the place of its document, %s, and the others stay as they are", (_, text, expected) => {
    const [changed] = written({ tuning: text })?.changed ?? [];
    const documents = ((changed as ConfigMap).data?.["tuning"] ?? "").split("---\n");
    expect(documents.map((one, at) => (expected[at] === "quick" ? (readYaml(one) as object) : one))).toEqual(
      expected.map((one) => (one === "quick" ? profile : one)),
    );
  });

  it("stays under its key, and other keys are left alone", () => {
    const { whole, changed } = written({ config: old, notes: "own" })!;
    expect([...whole, ...changed].map((object) => Object.keys((object as ConfigMap).data ?? {}))).toEqual([
      ["config"],
      ["config"],
    ]);
    expect(changed[0]?.metadata).toEqual({ name: "tuned", namespace });
  });
});
