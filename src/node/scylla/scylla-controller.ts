import type { Informer } from "../../cluster/kube/cache.ts";
import type { Client } from "../../cluster/kube/client.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import { act } from "../../cluster/runtime/act/act.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import { Controller, source } from "../../cluster/runtime/controller/controller.ts";
import type { EventRecorder } from "../../cluster/runtime/event/event-recorder.ts";
import { forEachBounded } from "../../cluster/runtime/for-each-bounded.ts";
import type { Log } from "../../cluster/runtime/log/log.ts";
import { scyllaNodeConfigKind, type ScyllaNodeConfig } from "../../domain/scylla/api.ts";
import { databasesOf } from "../../domain/scylla/on-node/databases.ts";
import { decide, type OnNodeInput } from "../../domain/scylla/on-node/decide.ts";
import { type JobPod, progressOf, type TuningJob } from "../../domain/scylla/on-node/job-progress.ts";
import { localPod } from "../../domain/scylla/on-node/local-pod.ts";
import type { ContainerFacts } from "../../domain/scylla/on-node/node-facts.ts";
import { perftuneOptions } from "../../domain/scylla/on-node/perftune-options.ts";
import { hashOfInputs, readRecord, type TuningInputs } from "../../domain/scylla/on-node/tuning.ts";
import { labelValue } from "../../domain/scylla/label-value.ts";
import { nodeLabel, tuningNamespace } from "../../domain/scylla/names.ts";
import { configOfNode, isEnabled, type PlacedNode } from "../../domain/scylla/placement.ts";
import type { ScyllaPod } from "../../domain/scylla/scylla-pod.ts";
import type { KindRef } from "../../language/object/meta.ts";
import type { Host } from "../host/host.ts";
import { recordOriginals } from "../perftune/record-originals.ts";
import type { CloudOfNode } from "./cloud.ts";
import { containerFacts } from "./container-facts.ts";
import type { ContainerRuntime } from "./container-runtime.ts";
import { LastingEvents } from "./lasting-events.ts";
import { readNodeFacts } from "./node-facts.ts";
import { Releases } from "./releases.ts";
import { SeenSince } from "./seen-since.ts";

/** Caches of the agent. */
export interface ScyllaCaches {
  /** Scylla's pods on the node. */
  readonly pods: Informer<ScyllaPod>;
  /** Tuning Jobs of the node. */
  readonly jobs: Informer<TuningJob>;
  readonly jobPods: Informer<JobPod>;
  readonly configs: Informer<ScyllaNodeConfig>;
  /** The node's own Node and no other. */
  readonly nodes: Informer<PlacedNode>;
}

export interface ScyllaControllerOptions extends ScyllaCaches {
  readonly client: Client;
  readonly node: string;
  /** The name of the agent's ScyllaNodeConfig. */
  readonly config: string;
  readonly images: OnNodeInput["images"];
  readonly host: Host;
  readonly runtime: ContainerRuntime;
  readonly cloud: CloudOfNode;
  readonly recorder: EventRecorder;
  /** Called when the node was looked at, and nothing failed. */
  readonly settled?: (() => void) | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

const fieldManager = "attune-scylla-agent";
/** Containers that a runtime is asked about at the same time. */
const atOnce = 8;
/** No event says that a container got other CPUs, or that a route now leads to another card. */
const resyncMs = 600_000;
/** A cache is behind for less than this, as a rule. */
const staleMs = 1000;

const writtenKinds = new Map<string, KindRef>([
  ["Job", kinds.job],
  ["ConfigMap", kinds.configMap],
]);

/** Tunes the node for the databases on it, and lets them start. */
export function scyllaController(options: ScyllaControllerOptions): Controller {
  const { client, node, host, runtime, cloud, recorder, images, clock } = options;
  const { pods, jobs, jobPods, configs, nodes } = options;
  const releases = new Releases(client);

  /** The agent's ScyllaNodeConfig, if it decides about the node, and wants it tuned. */
  function ownConfig(own: PlacedNode): ScyllaNodeConfig | undefined {
    const config = configOfNode(own, configs.list());
    return config?.metadata.name === options.config && isEnabled(config) ? config : undefined;
  }

  async function inspect(signal: AbortSignal): Promise<Map<string, ContainerFacts>> {
    const running = pods.list().flatMap((pod) => {
      const local = localPod(pod);
      return local.type === "running" ? [{ containerId: local.containerId, podUid: pod.metadata.uid ?? "" }] : [];
    });
    const facts = new Map<string, ContainerFacts>();
    await forEachBounded(running, atOnce, async ({ containerId, podUid }) => {
      facts.set(containerId, await containerFacts({ host, runtime, containerId, podUid, signal }));
    });
    return facts;
  }

  const failed = new SeenSince(clock);
  const unknown = new SeenSince(clock);
  const lasting = new LastingEvents();
  const failedJobs = (): string[] =>
    jobs.list().flatMap((job) => (progressOf(job).type === "failed" ? [job.metadata.uid ?? ""] : []));

  /** The inputs of the Job for which originals were recorded last. */
  let recorded: string | undefined;

  /** The script of a Scylla image records nothing. Without originals its changes cannot be undone: a database starts all the same. */
  async function record(inputs: TuningInputs, log: Log): Promise<void> {
    try {
      const outcome = await recordOriginals(host, perftuneOptions(inputs));
      if (outcome.type === "recorded")
        log.info({ settings: outcome.targets }, "recorded originals before the node is tuned");
      else log.warn({ why: outcome.problem }, "originals were not recorded");
    } catch (error) {
      log.warn({ error: (error as Error).message }, "originals were not recorded");
    }
  }

  /** Whether a Job tunes the node now. The cache may lack one that was created a moment ago, and two must not run at once. */
  async function isTuned(signal: AbortSignal): Promise<boolean> {
    const labelSelector = `${nodeLabel}=${labelValue(node)}`;
    const { items } = await client.list<TuningJob>(kinds.job, { namespace: tuningNamespace, labelSelector, signal });
    return items.some((one) => progressOf(one).type === "active");
  }

  const always = (): string[] => [node];
  return new Controller({
    name: "scylla",
    clock,
    log: options.log,
    queue: { backoff: { baseMs: 1000, maxMs: 60_000 } },
    sources: [
      source(pods, always),
      source(jobs, always),
      source(jobPods, always),
      source(configs, always),
      source(nodes, always),
    ],
    async reconcile(_key, { signal, log }) {
      const own = nodes.get(node);
      if (!own || !ownConfig(own)) {
        options.settled?.();
        return {};
      }
      const [facts, containers] = await Promise.all([readNodeFacts(host, cloud), inspect(signal)]);
      const released = await releases.of(pods.list(), signal);
      const reported = await releases.report({ name: node, uid: own.metadata.uid ?? "" }, signal);
      // What was asked took a while: decided is by what the caches have now.
      const config = ownConfig(own);
      if (!config) return {};
      const plan = decide({
        config,
        node: { name: node, uid: own.metadata.uid ?? "" },
        facts,
        pods: pods.list(),
        containers,
        jobs: jobs.list(),
        jobPods: jobPods.list(),
        released,
        images,
        nowMs: clock.now(),
        seenFailedMs: failed.of(failedJobs()),
        unknownMs: unknown.of(databasesOf({ pods: pods.list(), containers, before: {} }).unknown.map(({ id }) => id)),
        reported,
      });
      const job = plan.objects
        .map(({ object }) => object)
        .find(({ kind, spec }) => kind === "Job" && spec !== undefined);
      const inputs = job && readRecord(job)?.inputs;
      if (inputs?.engine === "perftune" && hashOfInputs(inputs) !== recorded) {
        await record(inputs, log);
        recorded = hashOfInputs(inputs);
        // A plan is carried out by the caches from which it was decided.
        return { requeueAfterMs: 0 };
      }
      if (job && (await isTuned(signal))) return { requeueAfterMs: staleMs };
      try {
        const news = { ...plan, events: lasting.news(plan.events) };
        const done = await act(news, {
          client,
          kinds: (_apiVersion, kind) => writtenKinds.get(kind) ?? scyllaNodeConfigKind,
          observed: ({ kind, metadata: { name, namespace } }) =>
            kind === "Job" ? jobs.get(`${namespace}/${name}`) : releases.observed(name),
          fieldManager,
          recorder,
          signal,
          log,
        });
        if (!done.requeue) lasting.told(plan.events);
        if (done.requeue || plan.objects.some(({ object }) => object.kind === "ConfigMap")) releases.forget();
        options.settled?.();
        return { ...done, requeueAfterMs: plan.requeueAfterMs ?? resyncMs };
      } catch (error) {
        releases.forget();
        throw error;
      }
    },
  });
}
