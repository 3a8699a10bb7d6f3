import { describe, expect, it } from "vitest";
import type { ConfigMap } from "../../hosted/envelope/read-manifests.ts";
import { readTuneds } from "../../hosted/mirror/read-tuneds.ts";
import { keys, protocols } from "../../hosted/protocol.ts";
import { type Tuned, tuningNamespace } from "../../node-tuning/api.ts";
import { type NodePool, nodePoolKind } from "../api.ts";
import { planTuning } from "../plan-tuning.ts";
import { readTuning } from "../read-tuning.ts";
import { type ChainState, tuningChains } from "./tuning-chains.ts";

const nodePool: NodePool = {
  apiVersion: nodePoolKind.apiVersion,
  kind: nodePoolKind.kind,
  metadata: { name: "np", namespace: "clusters" },
  spec: { clusterName: "a", tuningConfig: [{ name: "tuning" }] },
};

function configMap(tuning: string): ConfigMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "tuning", namespace: "clusters" }, data: { tuning } };
}

const tuned = (data: string): string => `apiVersion: tuned.openshift.io/v1
kind: Tuned
metadata: {name: web}
spec:
  profile: [{name: web, data: "${data}"}]
  recommend: [{profile: web, priority: 20}]
`;
const profile = `apiVersion: performance.openshift.io/v2
kind: PerformanceProfile
metadata: {name: fast}
spec: {cpu: {reserved: "0", isolated: 1-3}, nodeSelector: {node-role.kubernetes.io/worker: ""}}
`;

/** What the management side writes into the control plane namespace. */
function passedOn(user: ConfigMap): ConfigMap[] {
  const tuning = readTuning(nodePool, () => user);
  const plan = planTuning({ nodePool, tuning, observed: [], namespace: "a", protocol: protocols.documented });
  return plan.objects.map(({ object }) => object as ConfigMap);
}

function mirrored(controlPlane: readonly ConfigMap[]): Tuned[] {
  return Array.from(readTuneds(controlPlane, tuningNamespace).mirrored.values(), (one) => one.tuned);
}

const user = configMap(tuned("[main]"));
const way = passedOn(user);

function chains(of: ConfigMap | undefined, controlPlane: readonly ConfigMap[], hosted: readonly Tuned[] | undefined) {
  return tuningChains({ nodePool, configMap: () => of, controlPlane, hosted });
}

describe("what becomes of a Tuned in a ConfigMap", () => {
  it.each<[string, readonly ConfigMap[], readonly Tuned[] | undefined, ChainState]>([
    ["is in sync with the hosted cluster", way, mirrored(way), "in sync"],
    ["is on the way until it is passed on", [], [], "on the way"],
    [
      "is on the way while the control plane namespace has the text before",
      passedOn(configMap(tuned("[sysctl]"))),
      [],
      "on the way",
    ],
    ["is on the way until the hosted cluster has it", way, [], "on the way"],
    [
      "was edited where the hosted cluster has another text",
      way,
      mirrored(passedOn(configMap(tuned("[vm]")))),
      "edited",
    ],
    ["is not seen there without the hosted cluster", way, undefined, "not seen"],
  ])("%s", (_, controlPlane, hosted, state) => {
    const [chain, ...others] = chains(user, controlPlane, hosted);
    expect(others).toEqual([]);
    expect(chain).toMatchObject({
      nodePool: "clusters/np",
      configMap: "clusters/tuning",
      kind: "Tuned",
      name: "web",
      state,
    });
    expect(chain?.because === "").toBe(state === "in sync");
  });

  it("names its place where it is not valid, and says where a ConfigMap is missing", () => {
    expect(chains(configMap("kind: Tuned"), [], [])).toMatchObject([
      {
        state: "not valid",
        kind: "Tuned",
        because: expect.stringMatching(/^document 1, Tuned: apiVersion: /) as string,
      },
    ]);
    expect(chains(undefined, [], [])).toMatchObject([{ state: "not valid", because: "ConfigMap tuning: not found" }]);
  });
});

describe("what becomes of a PerformanceProfile in a ConfigMap", () => {
  const given = configMap(profile);
  const [own] = passedOn(given);

  it("is derived by the operator of the hosted cluster, which also says when it refuses it", () => {
    expect(chains(given, [], [])[0]?.because).toBe("the management side has not passed it on yet");
    expect(chains(given, own ? [own] : [], [])[0]).toMatchObject({
      state: "on the way",
      way: ["performanceprofile-np"],
      because: "the operator of the hosted cluster has derived nothing from fast yet",
    });
    const status: ConfigMap = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "fast-status", labels: { [keys.nodePool]: "np", [keys.profileStatus]: "true" } },
      data: {
        status: 'conditions: [{type: Degraded, status: "True", reason: Bad, message: reserved overlaps isolated}]',
      },
    };
    expect(chains(given, own ? [own, status] : [], [])[0]).toMatchObject({
      state: "not valid",
      because: "reserved overlaps isolated",
    });
  });
});
