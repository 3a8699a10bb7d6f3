import type { Informer } from "../../cluster/kube/cache.ts";
import type { Client } from "../../cluster/kube/client.ts";
import { inlineConnection } from "../../cluster/kube/connect/inline-connection.ts";
import { HttpClient } from "../../cluster/kube/http-client.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import { kindOf, serviceMonitorKind } from "../../cluster/kube/manifest-kinds.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import type { Controller } from "../../cluster/runtime/controller/controller.ts";
import type { Manager } from "../../cluster/runtime/controller/manager.ts";
import type { Log } from "../../cluster/runtime/log/log.ts";
import type { Metrics } from "../../cluster/runtime/metrics/metrics.ts";
import type { HostedCluster, NodePool } from "../../domain/node-pool/api.ts";
import { hostedClusterController } from "../../domain/node-pool/hosted-cluster/hosted-cluster-controller.ts";
import {
  type HostedConnection,
  HostedObjects,
} from "../../domain/node-pool/hosted-cluster/hosted-objects-controller.ts";
import type { HostedKubeconfig } from "../../domain/node-pool/hosted-cluster/kubeconfig.ts";
import type { Protocol } from "../../domain/node-tuning/api.ts";
import type { KindRef } from "../../language/object/meta.ts";
import { hostedManifests } from "./hosted-manifests.ts";
import { hostedOperatorObjects } from "./hosted-operator.ts";
import { ownInformer } from "./own-informer.ts";

export interface HostedClustersInput {
  readonly manager: Manager;
  /** For caches, which every replica keeps. */
  readonly client: Client;
  /** Of the leader. */
  readonly writer: Client;
  /** Lets requests of a client start only while this process leads. */
  readonly leadersOnly: (client: Client) => Client;
  readonly hostedClusters: Informer<HostedCluster>;
  readonly nodePools: Informer<NodePool>;
  readonly namespaces: Informer;
  /** Of operators and agents. */
  readonly image: string;
  readonly protocol: Protocol;
  /** Whether the cluster has the kinds of the Prometheus operator. */
  readonly hasMonitoring: boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
}

/** The controller that runs the operators of hosted clusters, with its informers. */
export function hostedClusterOperators(input: HostedClustersInput): Controller {
  const { writer, image, protocol, hasMonitoring, clock } = input;
  const ownKinds: KindRef[] = [
    kinds.secret,
    kinds.serviceAccount,
    kinds.roleBinding,
    kinds.service,
    kinds.deployment,
    ...(hasMonitoring ? [serviceMonitorKind] : []),
  ];
  return hostedClusterController({
    ...input,
    client: writer,
    own: new Map(ownKinds.map((kind) => [kind.kind, { kind, cache: ownInformer(kind, input) }])),
    operatorObjects: (place) => hostedOperatorObjects(place, { image, protocol, hasMonitoring }),
    hostedObjects: new HostedObjects({
      objects: hostedManifests(protocol),
      kindOf,
      connect: (kubeconfig) => connect(kubeconfig, input.leadersOnly),
      clock,
    }),
  });
}

/** Definitions of kinds are the longest responses. */
const maxBody = 4 * 1024 * 1024;

/** Whose API server it is, is for users to say: its responses must not use up the memory of this process. */
async function connect(
  { text, from }: HostedKubeconfig,
  leadersOnly: HostedClustersInput["leadersOnly"],
): Promise<HostedConnection> {
  const client = new HttpClient(await inlineConnection(text, from), { maxBody });
  return { client: leadersOnly(client), close: () => client.close() };
}
