import type { Node } from "kubernetes-types/core/v1.js";
import type { Client } from "../../cluster/kube/client.ts";
import { createInformer } from "../../cluster/kube/informer/informer.ts";
import { kinds, type Typed } from "../../cluster/kube/kinds.ts";
import { type Clock, systemClock } from "../../cluster/runtime/clock.ts";
import { Manager, type Selection } from "../../cluster/runtime/controller/manager.ts";
import { EventRecorder } from "../../cluster/runtime/event/event-recorder.ts";
import { type Log, noLog } from "../../cluster/runtime/log/log.ts";
import { scyllaNodeConfigKind } from "../../domain/scylla/api.ts";
import { nodeLabel, tuningNamespace } from "../../domain/scylla/names.ts";
import type { JobPod, TuningJob } from "../../domain/scylla/on-node/job-progress.ts";
import { labelValue } from "../../domain/scylla/label-value.ts";
import type { PlacedNode } from "../../domain/scylla/placement.ts";
import { type ScyllaPod, scyllaPodSelector } from "../../domain/scylla/scylla-pod.ts";
import type { KindRef, KubeObject } from "../../language/object/meta.ts";
import type { Host } from "../../node/host/host.ts";
import { DeviceWatch } from "../../node/on-node/events/device-watch.ts";
import { type Cloud, CloudOfNode } from "../../node/scylla/cloud.ts";
import type { ContainerRuntime } from "../../node/scylla/container-runtime.ts";
import { type ScyllaCaches, scyllaController } from "../../node/scylla/scylla-controller.ts";

export interface ScyllaAgentOptions {
  readonly client: Client;
  /** The name of its Node. */
  readonly node: string;
  /** The name of its ScyllaNodeConfig. */
  readonly config: string;
  readonly host: Host;
  readonly runtime: ContainerRuntime;
  readonly signal: AbortSignal;
  /** Its own: Jobs of the engine `native` run it. */
  readonly image: string;
  /** A Scylla image: Jobs of the engine `perftune` run its script. */
  readonly utilsImage: string;
  /** Default: asks the resolver of the node. */
  readonly cloud?: (() => Promise<Cloud>) | undefined;
  /** `host:port` of `/healthz` and `/readyz`. Default: not served. */
  readonly probeAddress?: string | undefined;
  /** Between two lists of devices where the node does not announce them. Default 5 s. */
  readonly pollIntervalMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
}

/** Runs the agent of one node until the signal aborts. What was tuned stays. */
export async function runScyllaAgent(options: ScyllaAgentOptions): Promise<void> {
  const { client, node, config, host, runtime, signal, probeAddress, pollIntervalMs = 5000 } = options;
  const { clock = systemClock } = options;
  const log = (options.log ?? noLog).child({ node });
  const manager = new Manager({ probeAddress, probesAreOptional: true, clock, log });
  const recorder = new EventRecorder({ client, component: "attune-scylla-agent", host: node, clock, log });
  let settled = false;
  manager.addReadyCheck("node", () => {
    if (!settled) throw new Error("the node was not looked at yet");
  });
  const controller = scyllaController({
    ...cachesOf(client, { node, clock, manager }),
    client,
    node,
    config,
    images: { perftune: options.utilsImage, native: options.image },
    host,
    runtime,
    cloud: new CloudOfNode(options.cloud),
    recorder,
    settled: () => (settled = true),
    clock,
    log,
  });
  manager.add(controller, { on: "everywhere" });
  manager.add(recorder, { on: "everywhere" });
  controller.queue.add(node);
  const devices = new DeviceWatch({ host, clock, log, pollIntervalMs, changed: () => controller.queue.add(node) });
  devices.start();
  try {
    await manager.run(signal);
  } finally {
    devices.close();
  }
}

interface CachesInput {
  readonly node: string;
  readonly clock: Clock;
  readonly manager: Manager;
}

function cachesOf(client: Client, { node, clock, manager }: CachesInput): ScyllaCaches {
  const informer = <T extends KubeObject>(of: KindRef, selection: Selection) =>
    manager.informer<T>(of, selection, () => createInformer(client, of as KindRef<T>, { ...selection, clock }));
  const ofNode = { namespace: tuningNamespace, labelSelector: `${nodeLabel}=${labelValue(node)}` };
  const ownNode = { fieldSelector: `metadata.name=${node}` };
  return {
    pods: informer<ScyllaPod>(kinds.pod, { labelSelector: scyllaPodSelector, fieldSelector: `spec.nodeName=${node}` }),
    jobs: informer<TuningJob>(kinds.job, ofNode),
    jobPods: informer<JobPod>(kinds.pod, ofNode),
    configs: informer(scyllaNodeConfigKind, {}),
    nodes: manager.informer(kinds.node, ownNode, () =>
      createInformer(client, kinds.node, { ...ownNode, clock, project: placed }),
    ),
  };
}

/** Its status changes every few minutes, and lists all images of the node. */
function placed({ apiVersion, kind, metadata, spec }: Typed<Node>): PlacedNode {
  const { name, uid, resourceVersion, labels } = metadata;
  const taints = spec?.taints;
  return {
    apiVersion,
    kind,
    metadata: { name, uid, resourceVersion, labels },
    spec: taints ? { taints } : {},
  };
}
