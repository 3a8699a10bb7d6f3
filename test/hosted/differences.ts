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
