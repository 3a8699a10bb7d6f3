import { expect, it } from "vitest";
import { writeYaml } from "../../language/object/write-yaml.ts";
import { tuningNamespace as namespace } from "../node-tuning/api.ts";
import { decideNodeTuning } from "../node-tuning/decide.ts";
import { emptyInput } from "../node-tuning/testing/empty-input.ts";
import type { NodeFacts } from "../node-tuning/node-profile.ts";
import type { ConfigMap } from "./envelope/read-manifests.ts";
import { HostedTuning } from "./hosted-tuning.ts";
import { PoolMembers } from "./mirror/pool-members.ts";

const poolLabel = "hypershift.openshift.io/nodePool";

function configMap(pool: string, text = "[main]\n"): ConfigMap {
  const tuned = {
    apiVersion: "tuned.openshift.io/v1",
    kind: "Tuned",
    metadata: { name: "web" },
    spec: { profile: [{ name: "web", data: text }], recommend: [{ profile: "web", priority: 20 }] },
  };
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: `tuned-${pool}`,
      labels: { "hypershift.openshift.io/tuned-config": "true" },
      annotations: { [poolLabel]: `clusters/${pool}` },
    },
    data: { tuned: writeYaml(tuned) },
  };
}

function node(name: string, pool: string): NodeFacts {
  const labels = { "kubernetes.io/os": "linux", [poolLabel]: pool };
  return { apiVersion: "v1", kind: "Node", metadata: { name, uid: name, labels } };
}

it("two hundred NodePools, one of them with a mebibyte of Tuneds, each decide for their nodes only", () => {
  const pools = Array.from({ length: 200 }, (_, index) => `np${index}`);
  const large = `[main]\n${"#".repeat(900_000)}\n`;
  const configMaps = pools.map((pool, index) => configMap(pool, index === 7 ? large : `[main]\nsummary=${pool}\n`));
  const nodes = pools.flatMap((pool) => [node(`${pool}-a`, pool), node(`${pool}-b`, pool)]);
  const problems: unknown[] = [];
  const tuning = new HostedTuning({ namespace, members: new PoolMembers(), problems: (all) => problems.push(...all) });
  const plan = decideNodeTuning({
    ...emptyInput,
    ...tuning.read({ tuneds: [], nodes }, configMaps),
    namespace,
  });
  expect(problems).toEqual([]);
  const profiles = plan.objects.map(({ object }) => object).filter(({ kind }) => kind === "Profile");
  expect(profiles).toHaveLength(400);
  const texts = profiles.map(({ metadata, spec }) => {
    const { profile = [] } = spec as { profile?: { name: string; data: string }[] };
    return [metadata.name, profile.find(({ name }) => name === "web")?.data];
  });
  const wanted = nodes.map(({ metadata: { name = "" } }) => {
    const pool = name.slice(0, -2);
    return [name, pool === "np7" ? large : `[main]\nsummary=${pool}\n`];
  });
  expect(new Map(texts as [string, string][])).toEqual(new Map(wanted as [string, string][]));
});
