import type { Protocol } from "../../src/domain/node-tuning/api.ts";
import { casesOf } from "./cases.ts";

/** By column: for each step, a merge patch from what was recorded up to it to what Attune does. */
type Difference = { readonly id: string } & Readonly<Record<Protocol, readonly object[]>>;

/** Cases in which Attune does something else on purpose. `docs/hosted-parity.md` lists them with the reason. */
export const differences: Readonly<Record<string, Difference>> = Object.fromEntries(
  casesOf<Difference>("differences").map((one) => [one.id, one]),
);

export interface Hashes {
  /** Whether a change of the case changes the hash. */
  readonly full: string;
  readonly withoutVersion: string;
}

/** The same for the hash of a configuration. One without the version tells of changes for all NodePools too (hosted W-3). */
export const hashDifferences: Readonly<Record<string, Hashes>> = {
  "np-hash-generated-machineconfig-inner-annotation": { full: "same", withoutVersion: "same" },
  "np-hash-generated-machineconfig-twice": { full: "same", withoutVersion: "same" },
  "np-hash-generated-kubelet-label-only": { full: "changed", withoutVersion: "changed" },
  "np-hash-proxy": { full: "changed", withoutVersion: "changed" },
  "np-hash-image-config": { full: "changed", withoutVersion: "changed" },
  "np-hash-tls-profile-4.23": { full: "changed", withoutVersion: "changed" },
};

/** The same for single functions: what Attune returns. */
export const functionDifferences: Readonly<Record<string, unknown>> = {
  "fn-shorten-suffix-53": "perfprof-long-ae754c79",
  "fn-enqueue-tuned-target-no-annotation": ["clusters/np1"],
  "fn-enqueue-status-no-hcp": ["clusters/np1"],
  "fn-enqueue-generated-unknown-pool": [],
  "fn-enqueue-mirrored-copy": ["clusters/np1"],
  "fn-kubelet-copy-source-gone-pool-active": onlyCopy("b"),
  "fn-kubelet-copy-reference-replaced": onlyCopy("b"),
};

function onlyCopy(name: string): Record<string, object> {
  const labels = { "kubeletconfig-config": "true", "mirrored-config": "true", nodePool: "np1" };
  const prefixed = Object.entries(labels).map(([key, value]) => [`hypershift.openshift.io/${key}`, value]);
  return { [name]: { data: { config: "new" }, labels: Object.fromEntries(prefixed) as object } };
}

/** The same for rollouts and deletions, in both columns: for each step, a merge patch from what was recorded up to it. */
export const rolloutDifferences: Readonly<Record<string, readonly object[]>> = {
  "np-inplace-failed": [
    {},
    {},
    {},
    { machines: { annotations: { "hypershift.openshift.io/nodePoolUpgradeInProgressTrue": null } } },
  ],
  "np-rollout-proxy-not-updatingconfig": [
    {},
    {},
    {
      nodePool: {
        conditions: {
          UpdatingConfig: { status: "True", message: "Updating config in progress. Target config: C2" },
        },
      },
    },
  ],
  // Recorded as a defect.
  "np-inplace-reverted": [{}, {}, { secrets: ["token-np1-F1", "user-data-np1-F1"] }],
};

/** The same for single passes of an update in place: what Attune does. */
export const inPlaceDifferences: Readonly<Record<string, object>> = {
  "ip-select-one-idle-2": { selected: ["a"] },
  "ip-select-three-idle-4": { selected: ["a", "b", "c"] },
  "ip-reconcile-all-done": { complete: true, selected: [], released: ["m-a", "m-b"] },
  "ip-reconcile-last-batch-smaller": {
    complete: false,
    progress: "Nodepool update in progress. Target Config version: bbb. Total Nodes: 3. Upgraded: 2",
    released: ["m-a", "m-b"],
    selected: ["c"],
  },
  "ip-reconcile-equal": { complete: true, selected: [], released: ["m-a"] },
};
