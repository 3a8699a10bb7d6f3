import type { NodePool } from "./api.ts";

/**
 * What NodePools have in the hosted cluster is told apart by a short hash of their names (hosted W-10). Of two with one hash, such as
 * `costarring` and `liquid`, the older keeps it: each would write over what the other has. `same`: all with a hash of this one.
 */
export function hashTaken({ metadata: { name } }: NodePool, same: readonly NodePool[]): string | undefined {
  const [first] = same.map(ageOf).toSorted((a, b) => (a < b ? -1 : 1));
  const keeper = same.find((one) => ageOf(one) === first);
  if (!keeper || keeper.metadata.name === name) return undefined;
  return `the name of the NodePool has the hash of that of NodePool ${keeper.metadata.name}, by which objects in the hosted cluster are named: create it anew with another name`;
}

const ageOf = ({ metadata: { creationTimestamp = "", name } }: NodePool): string => `${creationTimestamp} ${name}`;
