import type { Informer } from "../../../cluster/kube/cache.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { Controller, source } from "../../../cluster/runtime/controller/controller.ts";
import { configMapSource, type ControlPlane, writeConfigMaps } from "../control-plane-controller.ts";
import type { ConfigMap } from "../envelope/read-manifests.ts";
import { holdsKubeletConfig, kubeletCopies } from "./kubelet-copies.ts";

export interface KubeletCopiesOptions extends Omit<ControlPlane, "client"> {
  /** Of the hosted cluster; writes while this process leads. */
  readonly hosted: Client;
  /** Of the namespace of the copies. */
  readonly copies: Informer<ConfigMap>;
  /** That namespace. Only hosted clusters of OpenShift have it. */
  readonly namespaces: Informer;
}

const all = "control plane";

/** Keeps the copies of KubeletConfigs in the hosted cluster equal to those of the NodePools. */
export function kubeletCopiesController(options: KubeletCopiesOptions): Controller {
  const { configMaps, copies, namespaces, hosted } = options;
  return new Controller({
    ...options,
    name: "hosted-kubelet-copies",
    queue: { backoff: { maxMs: 30_000 } },
    sources: [
      configMapSource(configMaps, (one) => (holdsKubeletConfig(one) ? [all] : [])),
      ...[copies, namespaces].map((informer: Informer) => source(informer, () => [all])),
    ],
    async reconcile(_key, context) {
      if (namespaces.list().length === 0) return undefined;
      const { objects, prunes } = kubeletCopies(configMaps.list(), copies.list());
      const writes = { wanted: objects.map(({ object }) => object as ConfigMap), orphaned: prunes };
      const because = "its NodePool has this KubeletConfig";
      return writeConfigMaps(writes, { client: hosted, configMaps: copies }, { ...context, because });
    },
  });
}
