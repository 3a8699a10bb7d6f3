import { expect, it } from "vitest";
import type { Tuned } from "../node-tuning/api.ts";
import { tuningNamespace as namespace } from "../node-tuning/api.ts";
import { defaultTuned } from "../node-tuning/default-tuned.ts";
import { explainNode } from "../node-tuning/explain/explain-node.ts";
import { explainTuned } from "../node-tuning/explain/explain-tuned.ts";
import type { NodeFacts } from "../node-tuning/node-profile.ts";
import { hostedScopes } from "./pool-rules.ts";
import { keys } from "./protocol.ts";

const role = "machineconfiguration.openshift.io/role";

function node(name: string, pool: string): NodeFacts {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/os": "linux", [keys.nodePool]: pool } },
  };
}

/** As the operator mirrors it from a ConfigMap, with a rule for a pool that only the management cluster has. */
function mirrored(name: string, pool: string): Tuned {
  return {
    apiVersion: "tuned.openshift.io/v1",
    kind: "Tuned",
    metadata: { name, namespace, labels: { [keys.nodePoolName]: pool } },
    spec: {
      profile: [{ name, data: "[sysctl]\nvm.swappiness=5\n" }],
      recommend: [{ profile: name, priority: 20, machineConfigLabels: { [role]: "worker" } }],
    },
  };
}

function input(tuneds: readonly Tuned[], nodes: readonly NodeFacts[]) {
  const scopes = hostedScopes(tuneds, nodes);
  return {
    tuneds,
    nodes,
    profiles: [],
    ...(scopes && { mirrored: { scopes, writes: { objects: [], prunes: [] } } }),
    status: { type: "ConfigMap", observed: undefined } as const,
    agent: { namespace, image: "", serviceAccount: "", release: "" },
    protocol: "documented" as const,
    namespace,
    version: "1",
    now: "2026-01-01T00:00:00Z",
  };
}

const nodes = [node("a", "fast"), node("b", "slow")];
const tuneds = [defaultTuned(namespace), mirrored("quick", "fast"), mirrored("calm", "slow")];

it("a node of a NodePool is explained by the Tuneds of its NodePool alone", () => {
  const [a = node("", "")] = nodes;
  const { profile, pools, rules } = explainNode({ ...input(tuneds, nodes), node: a });
  expect([profile, pools]).toEqual(["quick", ["fast"]]);
  expect(rules.map(({ tuned, outcome }) => `${tuned} ${outcome}`)).toEqual([
    "quick chosen",
    "default no match",
    "default lower priority",
  ]);
});

it("a Tuned of a NodePool reaches its nodes, and says why it does not reach the others", () => {
  const [rule] = explainTuned(input(tuneds, nodes), "calm")?.rules ?? [];
  expect(rule?.nodes).toEqual([
    {
      outcome: "chosen",
      because: `the node is in the pool slow, which takes MachineConfigs with ${keys.nodePoolName}=slow`,
      nodes: ["b"],
    },
    { outcome: "no match", because: "the Tuned is for the NodePool slow", nodes: ["a"] },
  ]);
});

it("the default Tuned reaches the nodes of all NodePools", () => {
  const [, rule] = explainTuned(input(tuneds, nodes), "default")?.rules ?? [];
  expect(rule?.nodes.flatMap((one) => one.nodes).toSorted()).toEqual(["a", "b"]);
});

it("a cluster is hosted where a Tuned is of a NodePool: nodes alone have its label under a standalone operator too", () => {
  expect(hostedScopes([defaultTuned(namespace)], nodes)).toBe(undefined);
});
