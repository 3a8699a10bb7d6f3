import type { CacheEvent, Informer } from "../../../cluster/kube/cache.ts";
import { Controller, source } from "../../../cluster/runtime/controller/controller.ts";
import type { NodeFacts } from "../../node-tuning/node-profile.ts";
import { configMapSource, type ControlPlane, writeConfigMaps } from "../control-plane-controller.ts";
import { decidesTuning, providedNodes } from "../hosted-tuning.ts";
import { nodePoolOf } from "../protocol.ts";
import { memberNotes, type PoolMembers } from "./pool-members.ts";

export interface PoolMembersOptions extends ControlPlane {
  readonly members: PoolMembers;
  /** Of the hosted cluster. */
  readonly nodes: Informer<NodeFacts>;
}

const all = "control plane";

/** Notes which node belongs to which NodePool. */
export function poolMembersController(options: PoolMembersOptions): Controller {
  const { configMaps, nodes, members, namespace } = options;
  return new Controller({
    ...options,
    name: "hosted-pool-members",
    queue: { backoff: { maxMs: 30_000 } },
    sources: [source(nodes, unlessSamePool), configMapSource(configMaps, (one) => (decidesTuning(one) ? [all] : []))],
    async reconcile(_key, context) {
      const found = { configMaps: configMaps.list(), provided: providedNodes(configMaps.list()) };
      const known = members.of({ nodes: nodes.list(), ...found });
      const because = "nodes stay in the NodePool in which they were seen first";
      return writeConfigMaps(memberNotes(known, { ...found, namespace }), options, { ...context, because });
    },
  });
}

function unlessSamePool(event: CacheEvent<NodeFacts>): string[] {
  const { type, object } = event;
  const isSame = type === "updated" && nodePoolOf(event.before) === nodePoolOf(object);
  return isSame ? [] : [all];
}
