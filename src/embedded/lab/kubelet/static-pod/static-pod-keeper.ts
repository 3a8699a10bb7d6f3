import { isAlreadyExists, isConflict, isNotFound } from "../../../../cluster/kube/api-error.ts";
import type { Client } from "../../../../cluster/kube/client.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import type { Clock } from "../../../../cluster/runtime/clock.ts";
import { Controller, source } from "../../../../cluster/runtime/controller/controller.ts";
import type { Log } from "../../../../cluster/runtime/log/log.ts";
import { keyOf } from "../../../../language/object/meta.ts";
import { byNode, type NodeCaches } from "../../workloads/workload-caches.ts";
import type { NodeState } from "../node/node-record.ts";
import type { VirtualNode } from "../node/virtual-node.ts";
import type { OutageRetry } from "../outage-retry.ts";
import type { Pod } from "../pod/pod-admission.ts";
import { mirrorPod, mirroredHash, staticPod } from "./mirror-pod.ts";

export interface StaticPodsOptions {
  readonly nodes: ReadonlyMap<string, VirtualNode>;
  readonly caches: NodeCaches;
  readonly kubelet: (node: string) => Client;
  readonly stateOf: (node: string) => NodeState;
  readonly outageRetry: OutageRetry;
  readonly clock: Clock;
  readonly log: Log;
}

/** Creates and deletes the mirror pods of all nodes by their manifests. The pods run as any other of their node. */
export class StaticPodKeeper {
  readonly #options: StaticPodsOptions;
  readonly #nodes: ReadonlyMap<string, VirtualNode>;
  readonly #controller: Controller;
  /** What was logged last about the manifests of a node. */
  readonly #notes = new Map<string, string>();

  constructor(options: StaticPodsOptions) {
    this.#options = options;
    this.#nodes = options.nodes;
    const { caches, clock, log, outageRetry } = options;
    this.#controller = new Controller({
      name: "static-pod-keeper",
      clock,
      log,
      concurrency: 8,
      queue: { backoff: { baseMs: 200, maxMs: 10_000 }, overall: false },
      stopGraceMs: 5000,
      sources: [
        // Mirror pods are owned by the Node, which may appear after its machine's manifests were read.
        source(caches.nodes, ({ type, object: { metadata } }) =>
          type === "added" && this.#nodes.has(metadata.name ?? "") ? [metadata.name ?? ""] : [],
        ),
        source(caches.pods, ({ type, object }) => {
          const node = object.spec?.nodeName ?? "";
          return type === "deleted" && this.#nodes.has(node) && mirroredHash(object) !== undefined ? [node] : [];
        }),
      ],
      reconcile: async (name) => outageRetry.run(() => this.#sync(name)),
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#controller.run(signal);
  }

  /** Reads the manifests of a node. A machine that was never used has none. */
  check(name: string): void {
    if (this.#nodes.get(name)?.kubelet) this.#controller.queue.add(name);
  }

  async #sync(name: string): Promise<undefined> {
    const { caches, kubelet, stateOf, clock } = this.#options;
    const node = this.#nodes.get(name);
    const uid = caches.nodes.get(name)?.metadata.uid;
    if (!node?.kubelet || uid === undefined || stateOf(name) !== "running") return;
    const wanted = await this.#wanted(node, node.kubelet.staticPodPath);
    const known = new Map<string, Pod>();
    for (const pod of caches.pods.byIndex(byNode, name))
      if (mirroredHash(pod) !== undefined) known.set(keyOf(pod), pod);
    const client = kubelet(name);
    for (const [key, pod] of known) {
      if (wanted.get(key)?.hash === mirroredHash(pod)) continue;
      const { name: podName = "", namespace, uid: podUid } = pod.metadata;
      await client
        .delete(kinds.pod, podName, { namespace, gracePeriodSeconds: 0, preconditions: { uid: podUid } })
        .catch(unlessGone);
    }
    for (const [key, one] of wanted) {
      if (known.has(key)) continue;
      const object = mirrorPod(one, { name, uid }, clock.now());
      await client.create(kinds.pod, object).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
    }
  }

  async #wanted({ host, name }: VirtualNode, folder: string): Promise<Map<string, Wanted>> {
    const wanted = new Map<string, Wanted>();
    const notes: string[] = [];
    for (const file of await host.list(folder)) {
      const path = `${folder}/${file}`;
      const read = await host.read(path);
      // As the kubelet: files that start with a dot are ignored.
      if (read.type !== "text" || file.startsWith(".")) continue;
      const node = this.#nodes.get(name);
      const pod = node && staticPod(await parsed(read.text), read.text, node);
      if (pod?.type === "pod") wanted.set(keyOf(pod.pod), pod);
      const note = pod?.type === "invalid" ? pod.message : pod?.note;
      if (note !== undefined) notes.push(`${path}: ${note}`);
    }
    const why = notes.join("; ");
    if (why !== "" && this.#notes.get(name) !== why) this.#options.log.warn({ node: name, why }, "static pods");
    this.#notes.set(name, why);
    return wanted;
  }
}

type Wanted = ReturnType<typeof staticPod> & { type: "pod" };

async function parsed(text: string): Promise<unknown> {
  const { readYaml } = await import("../../../../language/object/yaml.ts");
  try {
    return readYaml(text);
  } catch {
    return undefined;
  }
}

function unlessGone(error: unknown): void {
  if (!isNotFound(error) && !isConflict(error)) throw error;
}
