import type { Cache, Informer } from "../kube/cache.ts";
import type { Client, KindRef } from "../kube/client.ts";
import type { KubeObject } from "../object/meta.ts";
import { keyOf } from "../object/meta.ts";
import type { ObjectReference, PlannedEvent } from "../object/plan.ts";
import { formatTime } from "../object/time.ts";
import { act } from "../runtime/act.ts";
import type { Clock } from "../runtime/clock.ts";
import { Controller, source } from "../runtime/controller.ts";
import type { Log } from "../runtime/log.ts";
import type { Metrics } from "../runtime/metrics.ts";
import { type Profile, profileKind, type Tuned, tunedKind } from "./api.ts";
import { decideNodeTuning } from "./decide.ts";
import type { NodeFacts } from "./node-profile.ts";

export interface NodeTuningControllerOptions {
  client: Client;
  tuneds: Informer<Tuned>;
  profiles: Informer<Profile>;
  nodes: Informer<NodeFacts>;
  namespace: string;
  clock: Clock;
  log?: Log;
  metrics?: Metrics;
  recorder?: { record(event: PlannedEvent): void };
}

/** One key for the whole cluster: rules are judged together, and events that come close to one another cost one pass. */
const everything = "cluster";

export function nodeTuningController(options: NodeTuningControllerOptions): Controller {
  const { client, tuneds, profiles, nodes, namespace, clock, recorder } = options;
  const kinds = new Map<string, { kind: KindRef; cache: Cache }>([
    [tunedKind.kind, { kind: tunedKind, cache: tuneds }],
    [profileKind.kind, { kind: profileKind, cache: profiles }],
  ]);
  const known = (kind: string): { kind: KindRef; cache: Cache } => {
    const found = kinds.get(kind);
    if (!found) throw new TypeError(`node tuning plans no ${kind}`);
    return found;
  };

  return new Controller({
    name: "node-tuning",
    clock,
    log: options.log,
    metrics: options.metrics,
    sources: [
      source(tuneds, () => [everything]),
      source(profiles, (event) => (event.type === "updated" && !specChanged(event) ? [] : [everything])),
      source(nodes, (event) => (event.type === "updated" && !factsChanged(event) ? [] : [everything])),
    ],
    async reconcile(_key, { signal, log }) {
      const plan = decideNodeTuning({
        tuneds: tuneds.list(),
        nodes: nodes.list(),
        profiles: profiles.list(),
        namespace,
        now: formatTime(clock.now()),
      });
      return act(plan, {
        client,
        kinds: (_apiVersion, kind) => known(kind).kind,
        observed: (reference: ObjectReference): KubeObject | undefined =>
          known(reference.kind).cache.get(keyOf(reference)),
        fieldManager: "attune-node-tuning",
        recorder,
        signal,
        log,
      });
    },
  });
}

/** Of a Profile only spec is ours to judge; its status comes from the node, every time it has news. */
function specChanged({ before, object }: { before: Profile; object: Profile }): boolean {
  return before.metadata.generation !== object.metadata.generation || before.metadata.uid !== object.metadata.uid;
}

/** What remains of a Node after `projectNode`, and so what a decision depends on. */
function factsChanged({ before, object }: { before: NodeFacts; object: NodeFacts }): boolean {
  return (
    JSON.stringify([before.metadata.uid, before.metadata.labels, before.spec]) !==
    JSON.stringify([object.metadata.uid, object.metadata.labels, object.spec])
  );
}

/** Heartbeats and images are most of a Node, and nothing here reads them. */
export function projectNode({ apiVersion, kind, metadata, spec }: NodeFacts): NodeFacts {
  const { name, uid, resourceVersion, labels } = metadata;
  return { apiVersion, kind, metadata: { name, uid, resourceVersion, labels }, spec: { providerID: spec?.providerID } };
}
