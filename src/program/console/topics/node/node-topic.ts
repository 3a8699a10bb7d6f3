import type { NodeFleetRow, NodePart } from "../../../../../console/protocol/node.ts";
import type { Informer } from "../../../../cluster/kube/cache.ts";
import { fleetPools } from "../../../../domain/fleet/fleet-pools.ts";
import { fleetRow } from "../../../../domain/fleet/fleet-row.ts";
import { nodeStory, type NodeStoryInput } from "../../../../domain/fleet/node-story.ts";
import { type MachineConfig, type MachineConfigPool } from "../../../../domain/machine-config/api.ts";
import { type Profile, type Tuned, tuningNamespace } from "../../../../domain/node-tuning/api.ts";
import { nodeFactsOf, profileFactsOf } from "../../../../domain/node-tuning/projections.ts";
import { rulesOf } from "../../../../domain/node-tuning/rule.ts";
import type { PerformanceProfile } from "../../../../domain/performance-profile/api.ts";
import type { RolloutNode } from "../../../../domain/rollout/rollout-node.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { wantedSpec } from "../../../explain/gather-node.ts";
import { isVirtual } from "../../../explain/is-virtual.ts";
import { tuningOf } from "../../../gather/gather-node-tuning.ts";
import { type FleetNode, type FleetProfile, nodeCache, poolCache, profileCache } from "../fleet-caches.ts";
import type { TopicContext } from "../topic-context.ts";
import * as definitions from "./node-caches.ts";
import { nodeCpus } from "./node-cpus.ts";
import { storyRows } from "./story-rows.ts";

/** Without one of these an explanation would be wrong, and there is none. */
const needed = ["Node", "Profile", "Tuned", "MachineConfigPool", "MachineConfig", "this Profile"];
const mostPeers = 50;

interface NodeCaches {
  readonly nodes: Informer<FleetNode>;
  readonly profiles: Informer<FleetProfile>;
  readonly pools: Informer<MachineConfigPool>;
  readonly tuneds: Informer<Tuned>;
  readonly configs: Informer<MachineConfig>;
  readonly performanceProfiles: Informer<PerformanceProfile>;
  readonly jobs: Informer;
  /** This one alone. */
  readonly node: Informer<RolloutNode>;
  readonly profile: Informer<Profile>;
  /** On this node. Undefined: no rule matches labels of pods. */
  pods?: Informer;
}

/** Why one node is as it is: what `attune explain node` says, kept up to date. */
export function openNode(context: TopicContext<"node/">): void {
  const name = context.argument;
  // It becomes part of selectors.
  if (!/^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/.test(name)) return context.follow([], () => {});
  const caches: NodeCaches = {
    nodes: context.cache(nodeCache),
    profiles: context.cache(profileCache),
    pools: context.cache(poolCache),
    tuneds: context.cache(definitions.tunedCache),
    configs: context.cache(definitions.bootConfigCache),
    performanceProfiles: context.cache(definitions.performanceProfileCache),
    jobs: context.cache(definitions.tuningJobs(name)),
    node: context.cache(definitions.wholeNode(name), { source: "this Node" }),
    profile: context.cache(definitions.wholeProfile(name), { source: "this Profile" }),
  };
  const compute = (): void => {
    const node = caches.node.get(name);
    if (!node) return context.replace(new Map());
    if (!caches.pods && rulesOf(caches.tuneds.list()).some((rule) => rule.usesPods)) {
      caches.pods = context.cache(definitions.podLabels(name));
      return context.follow([caches.pods], compute);
    }
    const canExplain = [...needed, "Pod"].every((kind) => isKnown(context, kind));
    context.replace(new Map(rowsOf(node, caches, canExplain)));
  };
  const { nodes, profiles, ...others } = caches;
  // Thousands of other nodes report: only what an explanation depends on matters.
  const facts = [withFacts(nodes, nodeFactsOf), withFacts(profiles, profileFactsOf)];
  context.follow([...facts, ...Object.values(others)], compute);
}

/** Only changes of facts. */
function withFacts<T extends KubeObject>(
  cache: Informer<T>,
  factsOf: (object: T) => string,
): Pick<Informer, "subscribe"> {
  return {
    subscribe: (handler) =>
      cache.subscribe((event) => {
        if (event.type !== "updated" || factsOf(event.object) !== factsOf(event.before)) handler(event);
      }),
  };
}

/** Also that there is no such kind is known. */
function isKnown(context: TopicContext<"node/">, kind: string): boolean {
  const state = context.stateOf(kind);
  return state === undefined || state === "ready" || state === "absent";
}

function rowsOf(node: RolloutNode, caches: NodeCaches, canExplain: boolean): [string, NodePart][] {
  const { name = "", labels = {} } = node.metadata;
  const profile = caches.profile.get(`${tuningNamespace}/${name}`);
  const performanceProfiles = caches.performanceProfiles.list();
  const cpus = nodeCpus({ labels, profile, performanceProfiles, jobs: caches.jobs.list() });
  return [
    ["row", { row: rowWithPeers(node, profile, caches) }],
    ["cpus", { cpus }],
    ...(canExplain ? explanation({ ...tuningFrom(caches, name, profile), node, profile, performanceProfiles }) : []),
  ];
}

function explanation(input: NodeStoryInput): [string, NodePart][] {
  const story = nodeStory(input);
  return story ? storyRows(story, wantedSpec(input)?.profile ?? []) : [];
}

function tuningFrom(caches: NodeCaches, name: string, profile: Profile | undefined): Pick<NodeStoryInput, "tuning"> {
  const { tuneds, nodes, profiles, pools, configs, pods } = caches;
  const others: readonly Profile[] = profiles.list();
  const labels = pods?.list().map(({ metadata }: KubeObject) => metadata.labels ?? {}) ?? [];
  return {
    tuning: tuningOf({
      tuneds: tuneds.list(),
      nodes: nodes.list(),
      profiles: profile ? others.map((other) => (other.metadata.name === name ? profile : other)) : others,
      pools: pools.synced ? pools.list() : undefined,
      machineConfigs: configs.synced ? configs.list() : undefined,
      ...(pods ? { podsOn: (of) => (of === name ? labels : []) } : {}),
      namespace: tuningNamespace,
      now: Date.now(),
    }),
  };
}

/** With the healthy nodes that it can be compared with. */
function rowWithPeers(node: RolloutNode, profile: Profile | undefined, caches: NodeCaches): NodeFleetRow {
  const pools = fleetPools(caches.pools.list());
  const row = fleetRow({ node, profile, pools });
  const profileOf = (name: string): FleetProfile | undefined => caches.profiles.get(`${tuningNamespace}/${name}`);
  const layout = profileOf(row.name)?.layout;
  const peers = caches.nodes
    .list()
    .filter(({ metadata: { name = "" } }) => name !== row.name && profileOf(name)?.layout === layout)
    .map((other) => fleetRow({ node: other, profile: profileOf(other.metadata.name ?? ""), pools }))
    .filter(({ pool, state }) => pool === row.pool && state === "As wanted")
    .toSorted((a, b) => Number(b.profile === row.profile) - Number(a.profile === row.profile) || order(a.name, b.name));
  return { ...row, peers: peers.slice(0, mostPeers).map(({ name }) => name), virtual: isVirtual(node) };
}

const natural = new Intl.Collator("en", { numeric: true });
const order = (a: string, b: string): number => natural.compare(a, b);
