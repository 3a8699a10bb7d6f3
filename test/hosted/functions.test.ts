import { expect, it } from "vitest";
import { wholeUpdate } from "../../src/cluster/runtime/act/whole-object.ts";
import type { ConfigMap } from "../../src/domain/hosted/envelope/read-manifests.ts";
import { kubeletCopies } from "../../src/domain/hosted/mirror/kubelet-copies.ts";
import { joinedName } from "../../src/domain/hosted/names.ts";
import { apiVersion, type NodePool } from "../../src/domain/node-pool/api.ts";
import { nodePoolsWokenBy } from "../../src/domain/node-pool/woken-by.ts";
import { fnv32a } from "../../src/language/object/hash.ts";
import { deepFreeze } from "../../src/language/object/json.ts";
import { casesOf } from "./cases.ts";
import { functionDifferences } from "./differences.ts";

interface FunctionCase {
  readonly id: string;
  readonly function: "joinedName" | "fnv32a" | "nodePoolsWokenBy" | "kubeletCopies";
  readonly input: never;
  readonly expect: unknown;
}

const functions = {
  joinedName: ({ base, suffix, max }: { base: string; suffix: string; max: number }) => joinedName(base, suffix, max),
  fnv32a: ({ value }: { value: string }) => fnv32a(value),
  nodePoolsWokenBy: woken,
  kubeletCopies: copied,
};

it.each(
  casesOf<FunctionCase>("names-events-copies").map((recorded): [string, FunctionCase] => [recorded.id, recorded]),
)("%s", (id, recorded) => {
  // An event handler that changed the cache would fail here (hosted W-5).
  const result = functions[recorded.function](deepFreeze(recorded.input));
  if (id in functionDifferences) {
    expect(result).toEqual(functionDifferences[id]);
    expect(result).not.toEqual(recorded.expect);
  } else expect(result).toEqual(recorded.expect);
});

interface ShortNodePool {
  readonly name: string;
  readonly config: readonly string[];
  readonly tuningConfig: readonly string[];
}

function woken(input: { configMap: ConfigMap; nodePools: readonly ShortNodePool[] }): string[] {
  const references = (names: readonly string[]): { name: string }[] => names.map((name) => ({ name }));
  const nodePools = input.nodePools.map(({ name, config, tuningConfig }): NodePool => ({
    apiVersion,
    kind: "NodePool",
    metadata: { name, namespace: "clusters" },
    spec: { clusterName: "demo", config: references(config), tuningConfig: references(tuningConfig) },
  }));
  return nodePoolsWokenBy(input.configMap, nodePools);
}

/** The hosted cluster after two passes: what is immutable is deleted first. */
function copied({ controlPlane, hosted }: { controlPlane: ConfigMap[]; hosted: ConfigMap[] }): Record<string, object> {
  const found = new Map(hosted.map((one) => [one.metadata.name ?? "", one]));
  for (let pass = 0; pass < 2; pass++) {
    const { objects, prunes } = kubeletCopies(controlPlane, [...found.values()]);
    for (const { object } of objects) {
      const { name = "" } = object.metadata;
      const there = found.get(name);
      found.set(name, ((there ? wholeUpdate(object, there) : object) ?? there) as ConfigMap);
    }
    for (const { metadata } of prunes) found.delete(metadata.name ?? "");
  }
  return Object.fromEntries(
    Array.from(found, ([name, { data, metadata, immutable }]) => [
      name,
      { data, labels: metadata.labels, ...(immutable ? { immutable } : {}) },
    ]),
  );
}
