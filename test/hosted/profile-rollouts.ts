import { systemClock } from "../../src/cluster/runtime/clock.ts";
import { createInformer } from "../../src/cluster/kube/informer/informer.ts";
import { configMapKind } from "../../src/domain/hosted/control-plane-controller.ts";
import type { ConfigMap } from "../../src/domain/hosted/envelope/read-manifests.ts";
import { contentOf, nodePoolOf } from "../../src/domain/hosted/protocol.ts";
import { incompleteProfiles } from "../../src/domain/node-pool/payload.ts";
import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { controlPlane } from "./two-clusters.ts";

/** What the management side takes for the configuration of a NodePool, at every state of the control plane namespace. */
export class Rollouts {
  readonly #informer;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  /** Each configuration that differs from the one before. */
  readonly targets: string[] = [];

  constructor(client: HttpClient, nodePool: string) {
    this.#informer = createInformer(client, configMapKind, { namespace: controlPlane, clock: systemClock });
    this.#informer.subscribe(() => this.#look(nodePool));
    this.#running = this.#informer.run(this.#stop.signal);
  }

  #look(nodePool: string): void {
    const configMaps = this.#informer.list();
    if (incompleteProfiles(nodePool, configMaps).length > 0) return;
    const target = configMaps.filter((one) => isPartOf(one, nodePool)).map(({ data }) => JSON.stringify(data));
    const text = target.toSorted().join();
    if (text !== (this.targets.at(-1) ?? "")) this.targets.push(text);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

function isPartOf(configMap: ConfigMap, nodePool: string): boolean {
  const content = contentOf(configMap);
  return nodePoolOf(configMap) === nodePool && (content === "machineConfig" || content === "kubeletConfig");
}
