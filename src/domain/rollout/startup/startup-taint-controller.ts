import type { Informer } from "../../../cluster/kube/cache.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import type { Clock } from "../../../cluster/runtime/clock.ts";
import { Controller, source, type Source } from "../../../cluster/runtime/controller/controller.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import type { Metrics } from "../../../cluster/runtime/metrics/metrics.ts";
import type { Profile, Tuned } from "../../node-tuning/api.ts";
import { defaultTunedName } from "../../node-tuning/default-tuned.ts";
import { NodeChanges } from "../node-changes.ts";
import { NodeWriter } from "../node-writer-controller.ts";
import { rolloutFactsOf, type RolloutNode } from "../rollout-node.ts";
import { isUntuned, startupTaint } from "./startup-taint.ts";

export interface StartupTaintOptions {
  readonly client: Client;
  readonly nodes: Informer<RolloutNode>;
  /** Of agents. Absent: no node gets the taint, and those that have it lose it. */
  readonly agents?: StartupAgents | undefined;
  readonly clock: Clock;
  readonly log?: Log | undefined;
  readonly metrics?: Metrics | undefined;
}

export interface StartupAgents {
  readonly namespace: string;
  /** Agents report in them the boot in which they have tuned their nodes. */
  readonly profiles: Informer<Profile>;
  /** The default one says whether agents run. */
  readonly tuneds: Informer<Tuned>;
}

/** Keeps new pods away from nodes that are not tuned, where Attune rolls out no pools. One key for each node. */
export function startupTaintController(options: StartupTaintOptions): Controller {
  const { client, nodes, agents } = options;
  const writer = new NodeWriter(client, nodes);
  return new Controller({
    name: "startup-taint",
    clock: options.clock,
    log: options.log,
    metrics: options.metrics,
    sources: [
      source(nodes, ({ object, ...event }) => {
        const isHeartbeat = "before" in event && rolloutFactsOf(event.before) === rolloutFactsOf(object);
        return isHeartbeat ? [] : [object.metadata.name ?? ""];
      }),
      ...(agents ? sourcesOf(agents) : []),
    ],
    async reconcile(name, { signal }) {
      const node = writer.get(name);
      if (!node) return undefined;
      const changes = new NodeChanges();
      changes.taint(node, startupTaint, isHeldBack(node));
      for (const change of changes.all) await writer.write(change, signal);
      return undefined;
    },
  });

  function isHeldBack(node: RolloutNode): boolean {
    if (!agents || areRemoved(agents)) return false;
    return isUntuned(node, agents.profiles.get(`${agents.namespace}/${node.metadata.name}`)?.status?.bootID);
  }

  function sourcesOf({ profiles, tuneds }: StartupAgents): Source<string>[] {
    const all = (): string[] => nodes.list().map(({ metadata }) => metadata.name ?? "");
    return [
      source(profiles, ({ object }) => [object.metadata.name ?? ""]),
      source(tuneds, ({ object }) => (object.metadata.name === defaultTunedName ? all() : [])),
    ];
  }
}

/** No agent would ever tune a node. */
function areRemoved({ namespace, tuneds }: StartupAgents): boolean {
  return tuneds.get(`${namespace}/${defaultTunedName}`)?.spec?.managementState === "Removed";
}

/** What of a Node the taint depends on. */
export function projectStartupNode({ apiVersion, kind, metadata, spec, status }: RolloutNode): RolloutNode {
  const { name, uid, resourceVersion } = metadata;
  const ready = (status?.conditions ?? []).filter(({ type }) => type === "Ready");
  return {
    apiVersion,
    kind,
    metadata: { name, uid, resourceVersion },
    spec: spec?.taints?.length ? { taints: spec.taints } : {},
    status: {
      conditions: ready.map(({ type, status: state }) => ({ type, status: state })),
      ...(status?.nodeInfo?.bootID ? { nodeInfo: { bootID: status.nodeInfo.bootID } } : {}),
    },
  };
}
