import { createInformer, informerOfOne } from "../../cluster/kube/informer/informer.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import type { Manager } from "../../cluster/runtime/controller/manager.ts";
import { EventRecorder } from "../../cluster/runtime/event/event-recorder.ts";
import { bootArgumentsController } from "../../domain/hosted/boot-arguments-controller.ts";
import { configMapKind, configMapSource, type ControlPlane } from "../../domain/hosted/control-plane-controller.ts";
import { decidesTuning, HostedTuning } from "../../domain/hosted/hosted-tuning.ts";
import { copiesNamespace } from "../../domain/hosted/mirror/kubelet-copies.ts";
import { kubeletCopiesController } from "../../domain/hosted/mirror/kubelet-copies-controller.ts";
import { lastGoodController } from "../../domain/hosted/mirror/last-good-controller.ts";
import { newProblems, revertedEdits } from "../../domain/hosted/mirror/mirror-events.ts";
import { PoolMembers } from "../../domain/hosted/mirror/pool-members.ts";
import { poolMembersController } from "../../domain/hosted/mirror/pool-members-controller.ts";
import { projectConfigMap } from "../../domain/hosted/config-map-projection.ts";
import type { ConfigMap } from "../../domain/hosted/envelope/read-manifests.ts";
import { nodePoolOf, protocols } from "../../domain/hosted/protocol.ts";
import type { TuningOrigin } from "../../domain/node-tuning/node-tuning-controller.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import type { HostedParts } from "./hosted-parts.ts";
import { addHostedProfiles } from "./hosted-profiles.ts";
import { addHostedRollout } from "./hosted-rollout.ts";

/** Adds what an operator does between the two clusters of a hosted control plane. */
export function addHosted(manager: Manager, parts: HostedParts): TuningOrigin {
  const { place, writer, hosted, caches, namespace, boot, version, clock, log, metrics } = parts;
  const controlPlane: ControlPlane = {
    client: writer,
    namespace: place.namespace,
    configMaps: manager.informer(configMapKind, { namespace: place.namespace, view: "control plane" }, () =>
      createInformer(place.client, configMapKind, { namespace: place.namespace, project: projectConfigMap, clock }),
    ),
    clock,
    log,
    metrics,
  };
  const { configMaps } = controlPlane;
  const recorder = new EventRecorder({ client: writer, component: "attune-operator", clock, log });
  manager.add(recorder);
  const members = new PoolMembers();
  const copies = manager.informer(configMapKind, { namespace: copiesNamespace }, () =>
    createInformer(hosted.client, configMapKind, { namespace: copiesNamespace, clock }),
  );
  manager.add(bootArgumentsController({ ...controlPlane, boot, version, protocol: protocols[parts.protocol] }));
  manager.add(lastGoodController(controlPlane));
  manager.add(poolMembersController({ ...controlPlane, members, nodes: caches.nodes }));
  const namespaces = manager.informer<KubeObject>(kinds.namespace, { fieldSelector: copiesNamespace }, () =>
    informerOfOne(hosted.client, kinds.namespace, { name: copiesNamespace, clock }),
  );
  manager.add(kubeletCopiesController({ ...controlPlane, hosted: hosted.writer, copies, namespaces }));
  const poolOf = (node: Pick<KubeObject, "metadata">): string =>
    members.poolOf(node, configMaps.list()) ?? nodePoolOf(node);
  addHostedRollout(manager, {
    ...controlPlane,
    place,
    hosted,
    refused: parts.refused,
    boot,
    version,
    poolOf,
  });
  addHostedProfiles(manager, { ...parts, controlPlane, poolOf, recorder, protocol: protocols[parts.protocol] });
  const configMap = (name: string): ConfigMap | undefined => configMaps.get(`${place.namespace}/${name}`);
  const problems = newProblems(configMap);
  const reverted = revertedEdits(configMap);
  const tuning = new HostedTuning({
    namespace,
    members,
    problems: (all) => problems(all).forEach((event) => recorder.record(event)),
    mirrored: (tuneds) => reverted(tuneds).forEach((event) => recorder.record(event)),
  });
  return {
    sources: (key) => [configMapSource(configMaps, (one) => (decidesTuning(one) ? [key] : []))],
    read: (found) => tuning.read(found, configMaps.list()),
  };
}
