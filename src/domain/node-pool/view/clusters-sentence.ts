import { count } from "../../fleet/fleet-summary.ts";
import type { ChainState } from "./tuning-chains.ts";

const words: readonly (readonly [ChainState, string, string])[] = [
  ["not valid", "is not valid", "are not valid"],
  ["edited", "was edited in the hosted cluster", "were edited in the hosted cluster"],
  ["on the way", "is on the way", "are on the way"],
  ["not seen", "cannot be seen there", "cannot be seen there"],
];

/** Whether hosted clusters have what users of the management cluster gave their NodePools. */
export function clustersSentence(states: readonly ChainState[], nodePools: number): string {
  const pools = nodePools === 1 ? "the NodePool" : `${count(nodePools)} NodePools`;
  const all = states.length;
  if (all === 0) return `No ConfigMap tunes ${pools}`;
  const good = states.filter((state) => state === "in sync").length;
  if (good === all)
    return all === 1
      ? `The object of ${pools} is in sync`
      : `${all === 2 ? "Both" : `All ${count(all)}`} objects of ${pools} are in sync`;
  const parts = words.flatMap(([state, one, several]) => {
    const number = states.filter((of) => of === state).length;
    return number === 0 ? [] : [`${count(number)} ${number === 1 ? one : several}`];
  });
  return [`${count(good)} of ${count(all)} ${all === 1 ? "object is" : "objects are"} in sync`, ...parts].join("; ");
}
