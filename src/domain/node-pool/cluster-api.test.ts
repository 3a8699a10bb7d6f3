import { assert, describe, expect, it } from "vitest";
import type { KubeObject } from "../../language/object/meta.ts";
import type { NodePool } from "./api.ts";
import { clusterApiProvider, templateAnnotation } from "./cluster-api.ts";
import type { MachinesInput, MachinesPlan } from "./machine-provider.ts";

const template = "infrastructure.cluster.x-k8s.io/v1beta1/AgentMachineTemplate/small";

function nodePool(
  spec: NodePool["spec"],
  annotations: Record<string, string> = { [templateAnnotation]: template },
): NodePool {
  const metadata = { name: "np1", namespace: "clusters", annotations };
  return { apiVersion: "v1", kind: "NodePool", metadata, spec: { replicas: 2, ...spec } };
}

function planned(change: Partial<MachinesInput>): MachinesPlan {
  const plan = planOf(change);
  assert(plan);
  return plan;
}

function planOf(change: Partial<MachinesInput>): MachinesPlan | undefined {
  return clusterApiProvider.plan({
    nodePool: nodePool({}),
    hostedCluster: { apiVersion: "v1", kind: "HostedCluster", metadata: { name: "demo" }, spec: { infraID: "infra" } },
    namespace: "clusters-demo",
    userData: "user-data-np1-f",
    target: "f",
    version: "4.22.0",
    maxUnavailable: 1,
    updated: [],
    isPaused: false,
    observed: [],
    ...change,
  });
}

/** All machines updated. */
function deployment(status: object = {}, spec: object = {}): KubeObject {
  return {
    apiVersion: "cluster.x-k8s.io/v1beta1",
    kind: "MachineDeployment",
    metadata: { name: "np1", namespace: "clusters-demo", generation: 2 },
    spec: { replicas: 2, template: { spec: { bootstrap: { dataSecretName: "user-data-np1-f" } } }, ...spec },
    status: { replicas: 2, updatedReplicas: 2, availableReplicas: 2, observedGeneration: 2, ...status },
  };
}

describe("machines of Cluster API", () => {
  const v1beta2 = { upToDateReplicas: 2, availableReplicas: 2 };
  it.each<[string, boolean, KubeObject]>([
    ["all replicas are updated and available", true, deployment({ v1beta2 })],
    ["the newer counters are absent", true, deployment()],
    ["none is up to date", false, deployment({ v1beta2: { ...v1beta2, upToDateReplicas: 0 } })],
    ["one is not available", false, deployment({ availableReplicas: 1 })],
    ["an old one is still there", false, deployment({ replicas: 3, updatedReplicas: 1 })],
    ["a newer counter is missing", false, deployment({ v1beta2: { availableReplicas: 2 } })],
    ["more are wanted", false, deployment({}, { replicas: 3 })],
    ["the status is of an older generation", false, deployment({ observedGeneration: 1 })],
    ["the template has another configuration", false, deployment({}, { template: {} })],
  ])("when %s, the rollout is finished: %s", (_, isComplete, observed) => {
    expect(planned({ observed: [observed] }).isComplete).toBe(isComplete);
  });

  it("need a template, which the NodePool names", () => {
    for (const annotations of [{}, { [templateAnnotation]: "small" }, { [templateAnnotation]: "a/b/../c" }]) {
      const { problem, objects } = planned({ nodePool: nodePool({}, annotations) });
      expect(problem).toContain(`annotation ${templateAnnotation} of NodePool np1 must name`);
      expect(objects).toEqual([]);
    }
    expect(planned({}).objects[0]?.object).toMatchObject({
      spec: {
        clusterName: "infra",
        selector: { matchLabels: { "infra-demo-np1": "infra-demo-np1" } },
        template: { spec: { infrastructureRef: { kind: "AgentMachineTemplate", name: "small" } } },
      },
    });
  });

  it("are not made for nodes that are updated in place and join by other means: no template is named", () => {
    expect(planOf({ nodePool: nodePool({ management: { upgradeType: "InPlace" } }, {}) })).toBeUndefined();
  });

  it("get the timeouts of the NodePool", () => {
    const [deployment] = planned({ nodePool: nodePool({ nodeDrainTimeout: "30m" }) }).objects;
    expect(deployment?.object).toMatchObject({ spec: { template: { spec: { nodeDrainTimeout: "30m" } } } });
  });

  it("leave the number of replicas to an autoscaler", () => {
    const scaled = planned({
      nodePool: nodePool({ autoScaling: { min: 1, max: 3 } }),
      observed: [deployment({}, { replicas: 2 })],
    });
    expect(scaled.objects[0]?.object).not.toHaveProperty("spec.replicas");
    expect(scaled.isComplete).toBe(true);
  });

  it("are told the labels and taints of the NodePool, the release of updated nodes, and where nodes are", () => {
    const annotations = { "hypershift.openshift.io/nodePool": "clusters/np1" };
    const machine = (name: string): KubeObject => ({
      apiVersion: "cluster.x-k8s.io/v1beta1",
      kind: "Machine",
      metadata: { name, namespace: "clusters-demo", annotations },
      status: { nodeRef: { name: `node-${name}` } },
    });
    const observed = [
      machine("a"),
      machine("b"),
      { ...machine("c"), metadata: { name: "c", namespace: "clusters-demo" } },
    ];
    const inPlace = planned({
      nodePool: nodePool({ management: { upgradeType: "InPlace" } }),
      observed,
      updated: ["node-a"],
    });
    expect(inPlace.nodes).toEqual(["node-a", "node-b"]);
    expect(inPlace.objects.slice(1).map(({ object }) => [object.metadata.name, object.metadata.annotations])).toEqual([
      ["a", { "hypershift.openshift.io/release-version": "4.22.0" }],
    ]);
    const replaced = planned({ nodePool: nodePool({ nodeLabels: { x: "y" } }), observed });
    expect(replaced.objects[1]?.object.metadata.labels).toEqual({ "managed.hypershift.openshift.io.x": "y" });
  });
});
