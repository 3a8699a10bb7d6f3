import { updateOf } from "../../src/domain/rollout/node-annotations.ts";
import { isUnavailable, type RolloutCluster } from "./rollout-cluster.ts";

/** Every boot so far, as node and config that it was for. */
export function bootsOf(cluster: RolloutCluster): readonly string[] {
  const boots: string[] = [];
  const known = new Map<string, string>();
  cluster.onNode(({ object: { metadata, status } }) => {
    const [name = "", id = ""] = [metadata.name, status?.nodeInfo?.bootID];
    if (known.has(name) && known.get(name) !== id) boots.push(`${name} ${updateOf(metadata).desiredDrain}`);
    known.set(name, id);
  });
  return boots;
}

/** How many of these nodes were unavailable at once, at most, checked with every event. */
export function mostUnavailable(cluster: RolloutCluster, names: readonly string[]): () => number {
  const unavailable = new Set<string>();
  let most = 0;
  cluster.onNode(({ object }) => {
    const { name = "" } = object.metadata;
    if (names.includes(name) && isUnavailable(object)) unavailable.add(name);
    else unavailable.delete(name);
    most = Math.max(most, unavailable.size);
  });
  return () => most;
}
