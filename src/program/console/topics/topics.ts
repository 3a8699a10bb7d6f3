import { openAccess } from "./access.ts";
import { openClusters } from "./clusters.ts";
import { openDesign, openDesigns } from "./design.ts";
import { openEvents } from "./events.ts";
import { openFleet } from "./fleet.ts";
import { openKinds } from "./kinds.ts";
import { openContainers, openPartitioning } from "./partitioning.ts";
import { openRollout } from "./rollout.ts";
import { openNode } from "./node/node-topic.ts";
import { openScylla } from "./scylla.ts";
import type { TopicDefinition } from "./topic-context.ts";

/** Every topic, by its name. A name that ends in a slash takes an argument. */
const topics = {
  fleet: { open: openFleet },
  access: { open: openAccess },
  kinds: { open: openKinds },
  designs: { open: openDesigns },
  "design/": { open: openDesign },
  rollout: { open: openRollout },
  "node/": { open: openNode },
  "events/": { open: openEvents },
  clusters: { open: openClusters },
  partitioning: { open: openPartitioning },
  "containers/": { open: openContainers },
  scylla: { open: openScylla },
} satisfies Record<string, TopicDefinition>;

export interface FoundTopic {
  readonly definition: TopicDefinition;
  readonly argument: string;
}

export function findTopic(name: string): FoundTopic | undefined {
  const slash = name.indexOf("/");
  const key = slash < 0 ? name : name.slice(0, slash + 1);
  const argument = slash < 0 ? "" : name.slice(slash + 1);
  if (!Object.hasOwn(topics, key) || (slash >= 0 && argument === "")) return undefined;
  return { definition: topics[key as keyof typeof topics], argument };
}
