import type { Informer } from "../../cluster/kube/cache.ts";
import type { Client, KindRef } from "../../cluster/kube/client.ts";
import { createInformer } from "../../cluster/kube/informer/informer.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import type { Manager } from "../../cluster/runtime/controller/manager.ts";
import type { Log } from "../../cluster/runtime/log/log.ts";
import type { Metrics } from "../../cluster/runtime/metrics/metrics.ts";
import { gateAccessController, projectGated } from "../../domain/scylla/gate/gate-access-controller.ts";
import { gateSelector } from "../../domain/scylla/gate/gate-names.ts";
import type { Pod } from "../../domain/scylla/gate/gated-pod.ts";
import { scyllaPodSelector } from "../../domain/scylla/scylla-pod.ts";
import type { KubeObject } from "../../language/object/meta.ts";

export interface ScyllaGateParts {
  readonly client: Client;
  /** Of the leader. */
  readonly writer: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
}

/** The rights of databases' gates. The operator needs those of `gateGrants`. */
export function addScyllaGate(manager: Manager, { client, writer, ...common }: ScyllaGateParts): void {
  const pods = manager.informer(kinds.pod, { view: "scylla gates" }, () =>
    createInformer<KubeObject, Pod>(client, kinds.pod, {
      clock: common.clock,
      labelSelector: scyllaPodSelector,
      project: projectGated,
    }),
  );
  const labelled = (kind: KindRef): Informer =>
    manager.informer(kind, { view: "scylla gates" }, () =>
      createInformer<KubeObject>(client, kind, { clock: common.clock, labelSelector: gateSelector }),
    );
  const access = { roles: labelled(kinds.role), bindings: labelled(kinds.roleBinding) };
  manager.add(gateAccessController({ ...common, ...access, client: writer, pods }));
}
