import { cluster, type Case } from "./case.ts";

const worker = { "node-role.kubernetes.io/worker": "" };
const role = (name: string) => ({ "machineconfiguration.openshift.io/role": name });
const pool = cluster().pools?.find(({ metadata }) => metadata.name === "worker");
if (!pool) throw new Error("every cluster has a pool of workers");

export const selectorCases: readonly Case[] = [
  {
    what: "several labels wherever one is asked for",
    spec: {
      nodeSelector: { ...worker, "a/b": "" },
      machineConfigLabel: { a: "", b: "" },
      machineConfigPoolSelector: { a: "", b: "", c: "" },
    },
    finds: [
      ["SeveralLabels", "spec.nodeSelector", "2: must have at most 1"],
      ["SeveralLabels", "spec.machineConfigLabel"],
      ["SeveralLabels", "spec.machineConfigPoolSelector", "3: must have at most 1"],
    ],
  },
  {
    what: "several labels that name no role",
    spec: { nodeSelector: { ...worker, "a/b": "" } },
    finds: [["RoleUnknown", "spec.nodeSelector"]],
  },
  {
    what: "no label where one is asked for",
    spec: { nodeSelector: {}, machineConfigLabel: {}, machineConfigPoolSelector: {} },
    finds: [
      ["PoolNotSelectable", "spec.machineConfigPoolSelector"],
      ["SelectorEmpty", "spec.nodeSelector"],
      ["SelectorEmpty", "spec.machineConfigLabel"],
      ["SelectorEmpty", "spec.machineConfigPoolSelector"],
    ],
  },
  {
    what: "labels that are none",
    spec: { nodeSelector: { "a b/c": "" }, machineConfigPoolSelector: { ok: "not/ok" } },
    finds: [
      ["LabelMalformed", "spec.nodeSelector"],
      ["LabelMalformed", "spec.machineConfigPoolSelector[ok]"],
    ],
  },
  {
    what: "a name that is no label",
    name: "n".repeat(64),
    finds: [["NameTooLongForLabel", "metadata.name"]],
  },
  {
    what: "a name that another profile's part has",
    name: "rt-a",
    cluster: {
      otherProfiles: ["a", "amd-x86-rt-a", "rt-b", "x-rt-a"].map((name) => ({ name, nodeSelector: {} })),
    },
    finds: [
      ["NameClashes", "metadata.name", "the profile a would"],
      ["NameClashes", "metadata.name", "the profile amd-x86-rt-a would"],
    ],
  },
  {
    what: "nodes that another profile is for",
    cluster: {
      otherProfiles: [
        { name: "older", nodeSelector: worker },
        { name: "elsewhere", nodeSelector: { "node-role.kubernetes.io/master": "" } },
        { name: "low-latency", nodeSelector: worker },
      ],
    },
    finds: [["NodeSelectorTaken", "spec.nodeSelector", "the profile older is for the same nodes"]],
  },
  {
    what: "a pool that another profile is for too",
    cluster: {
      pools: [
        {
          ...pool,
          spec: {
            ...pool.spec,
            nodeSelector: {
              matchExpressions: [
                { key: "node-role.kubernetes.io/worker", operator: "Exists" },
                { key: "node-role.kubernetes.io/master", operator: "DoesNotExist" },
              ],
            },
          },
        },
      ],
      otherProfiles: [
        { name: "older", nodeSelector: { "node-role.kubernetes.io/worker": "rt" } },
        { name: "elsewhere", nodeSelector: { "node-role.kubernetes.io/master": "" } },
      ],
    },
    finds: [["ProfilesMeet", "spec.nodeSelector", "older and low-latency both configure MachineConfigPool worker"]],
  },
  {
    what: "a node that another profile selects too",
    cluster: {
      otherProfiles: [{ name: "older", nodeSelector: { zone: "a" }, sharedNodes: ["n1", "n2"] }],
    },
    finds: [["ProfilesMeet", "spec.nodeSelector", "older and low-latency both configure nodes n1 and n2"]],
  },
  { what: "no pool", cluster: { pools: [] }, finds: [["PoolNotFound", "spec.nodeSelector"]] },
  {
    what: "two pools",
    cluster: { pools: [pool, { ...pool, metadata: { ...pool.metadata, name: "other" } }] },
    finds: [["PoolAmbiguous", "spec.nodeSelector", "other and worker"]],
  },
  {
    what: "a pool without labels",
    cluster: { pools: [{ ...pool, metadata: { name: "worker" } }] },
    finds: [["PoolNotSelectable", "spec.machineConfigPoolSelector", "worker has no labels"]],
  },
  {
    what: "a selector for another pool",
    spec: { machineConfigPoolSelector: { custom: "yes" } },
    cluster: {},
    finds: [["PoolNotSelected", "spec.machineConfigPoolSelector", "MachineConfigPool worker"]],
  },
  {
    what: "a label that the pool does not go by",
    spec: { machineConfigLabel: role("master") },
    cluster: {},
    finds: [["MachineConfigNotSelected", "spec.machineConfigLabel", "machineconfiguration.openshift.io/role=master"]],
  },
  {
    what: "a pool that does not go by roles",
    cluster: {
      pools: [{ ...pool, spec: { ...pool.spec, machineConfigSelector: { matchLabels: { custom: "yes" } } } }],
    },
    finds: [["MachineConfigNotSelected", "spec.nodeSelector", "give machineConfigLabel"]],
  },
  {
    what: "a pool that goes by nothing",
    cluster: { pools: [{ ...pool, spec: { ...pool.spec, machineConfigSelector: {} } }] },
    finds: [["MachineConfigNotSelected", "spec.nodeSelector"]],
  },
  { what: "a cluster without pools", cluster: "plain", finds: [] },
];
