import type { Client } from "../../../cluster/kube/client.ts";
import { createInformer } from "../../../cluster/kube/informer/informer.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { LinkedAbort } from "../../../cluster/kube/linked-abort.ts";
import { type Clock, pause } from "../../../cluster/runtime/clock.ts";
import { agentDaemonSetName, agentLabels } from "../../../domain/node-tuning/agent-daemon-set.ts";
import { profileKind, tunedKind, tuningNamespace as namespace } from "../../../domain/node-tuning/api.ts";
import { defaultTunedName } from "../../../domain/node-tuning/default-tuned.ts";
import { formatLabelSelector, fromLabelSelector } from "../../../language/object/label-selector.ts";
import { ifThere } from "../../../cluster/kube/api-error.ts";
import { isOurs } from "../../../language/object/custom-definition.ts";
import { awayBecause, type Node, type NodeOutcome, outcomeOf, type Pod, progressOf } from "./node-outcome.ts";

export interface GiveBackOptions {
  readonly client: Client;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called when what it waits for changes. */
  readonly waiting: (text: string) => void;
}

/** How long a node that is not ready is waited for: it may only be restarting. */
const awayMs = 30_000;
const againMs = 500;
const ofAgents = formatLabelSelector(fromLabelSelector({ matchLabels: agentLabels }));

/** Stops managing all nodes, and returns when their agents have ended. Nodes that are away are not waited for. */
export async function giveNodesBack(options: GiveBackOptions): Promise<NodeOutcome[]> {
  const { client, clock, timeoutMs, signal, waiting } = options;
  await setRemoved(client, signal);
  const agents = new Agents(client, signal);
  try {
    await agents.synced();
    const began = clock.monotonic();
    for (let shown = ""; ;) {
      await removeAgents(client, signal);
      const away = agents.running().filter(({ because }) => because !== undefined);
      const busy = agents.running().filter(({ because }) => because === undefined);
      const waitedMs = clock.monotonic() - began;
      if (busy.length === 0 && (away.length === 0 || waitedMs >= awayMs)) return agents.outcomes();
      if (waitedMs >= timeoutMs) throw new Error(tooLong(busy, timeoutMs));
      const text = waitsFor([...busy, ...away]);
      if (text !== shown) waiting(text);
      shown = text;
      await pause(clock, againMs, signal);
      signal.throwIfAborted();
    }
  } finally {
    await agents.end();
  }
}

/** The nodes that have agents. */
export async function managedNodes(client: Client, signal: AbortSignal): Promise<string[]> {
  const { items } = await client.list(kinds.pod, { namespace, labelSelector: ofAgents, signal });
  return [...new Set(items.flatMap(({ spec }) => spec?.nodeName ?? []))].toSorted();
}

/** The operator then deletes Profiles and DaemonSet, and creates them no more. */
async function setRemoved(client: Client, signal: AbortSignal): Promise<void> {
  const patch = { type: "merge", patch: { spec: { managementState: "Removed" } } } as const;
  await ifThere(client.patch(tunedKind, defaultTunedName, patch, { namespace, signal }));
}

/** What the operator does, which may not run. An operator that has not read the change yet may create them once more. */
async function removeAgents(client: Client, signal: AbortSignal): Promise<void> {
  const { items = [] } = (await ifThere(client.list(profileKind, { namespace, signal }))) ?? {};
  await Promise.all(
    items.map(({ metadata: { name = "" } }) => ifThere(client.delete(profileKind, name, { namespace, signal }))),
  );
  const daemonSet = await ifThere(client.get(kinds.daemonSet, agentDaemonSetName, { namespace, signal }));
  if (!daemonSet || daemonSet.metadata.deletionTimestamp !== undefined || !isOurs(daemonSet.metadata)) return;
  const { uid } = daemonSet.metadata;
  const options = { namespace, propagationPolicy: "Background", preconditions: { uid }, signal } as const;
  await ifThere(client.delete(kinds.daemonSet, agentDaemonSetName, options));
}

interface Running {
  readonly node: string;
  /** Why its agent cannot end. */
  readonly because: string | undefined;
  /** What its pod does meanwhile. */
  readonly now: string;
}

/** The pods of the agents and their nodes, as they change. */
class Agents {
  readonly #pods;
  readonly #nodes;
  readonly #stop: LinkedAbort;
  readonly #ran: Promise<void>[];
  readonly #gone = new Map<string, NodeOutcome>();

  constructor(client: Client, signal: AbortSignal) {
    this.#stop = new LinkedAbort(signal);
    this.#pods = createInformer<Pod>(client, kinds.pod, { namespace, labelSelector: ofAgents });
    this.#nodes = createInformer<Node>(client, kinds.node);
    this.#pods.subscribe(({ type, object }) => {
      const outcome = outcomeOf(object, awayBecause(this.#nodes.get(object.spec?.nodeName ?? "")));
      // A pod that was replaced says nothing about its node any more.
      if (type === "deleted") this.#gone.set(outcome.node, outcome);
    });
    this.#ran = [this.#pods, this.#nodes].map((informer) => informer.run(this.#stop.signal));
  }

  async synced(): Promise<void> {
    await Promise.all([this.#pods, this.#nodes].map((informer) => informer.whenSynced(this.#stop.signal)));
  }

  running(): Running[] {
    return this.#pods.list().flatMap((pod): Running[] => {
      const node = pod.spec?.nodeName;
      // A pod that no scheduler has placed has changed no node, and goes with its DaemonSet.
      return node === undefined ? [] : [{ node, because: awayBecause(this.#nodes.get(node)), now: progressOf(pod) }];
    });
  }

  outcomes(): NodeOutcome[] {
    const away = this.running().map(({ node, because }): NodeOutcome => ({ node, state: "away", because }));
    const all = new Map([...this.#gone.values(), ...away].map((outcome) => [outcome.node, outcome]));
    return [...all.values()].toSorted((a, b) => (a.node < b.node ? -1 : 1));
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#ran);
  }
}

const mostNames = 10;

function waitsFor(running: readonly Running[]): string {
  const names = running.slice(0, mostNames).map(({ node, because, now }) => `${node} (${because ?? now})`);
  const more = running.length > mostNames ? `, and ${running.length - mostNames} more` : "";
  return `waiting for ${running.length} ${running.length === 1 ? "node" : "nodes"}: ${names.join(", ")}${more}`;
}

function tooLong(busy: readonly Running[], timeoutMs: number): string {
  return (
    `uninstall: still ${waitsFor(busy)} after ${timeoutMs / 1000} s: run the command again to continue; ` +
    `the agents' logs: kubectl -n ${namespace} logs -l app.kubernetes.io/name=attune-agent`
  );
}
