import type { Node, Pod, PodSpec } from "kubernetes-types/core/v1.js";
import { equal } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { type Authorizer, nodeNameOf } from "../../auth/user.ts";
import { isMirrorPod } from "../../auth/node/pod-references.ts";
import type { Lookup } from "../../resource.ts";
import { notFound } from "../../status-error.ts";
import { type AdmissionPlugin, type Attributes, refused } from "../admission.ts";
import { apiObjectIn } from "./mirror-pod.ts";
import { changedLabels, isForbiddenToNodes } from "./node-labels.ts";
import { admitNodeToken } from "./node-token.ts";

/** Checks what a node writes, which the Node authorizer cannot see: only its own objects. */
export function nodeRestriction(objects: Lookup, authorizer: Authorizer): AdmissionPlugin {
  return {
    name: "NodeRestriction",
    handles: ({ user, operation }) => operation !== "CONNECT" && nodeNameOf(user) !== undefined,
    admit: (attributes) => {
      const node = nodeNameOf(attributes.user) ?? "";
      if (node === "")
        throw refused(attributes, `could not determine node from user ${JSON.stringify(attributes.user.name)}`);
      switch (`${attributes.resource.group}/${attributes.resource.plural}`) {
        case "/pods":
          return admitPods(attributes, node, objects);
        case "/nodes":
          return admitNode(attributes, node);
        case "/persistentvolumeclaims":
          return admitClaim(attributes, node);
        case "/serviceaccounts":
          if (attributes.operation === "CREATE" && attributes.subresource === "token")
            admitNodeToken(attributes, node, objects, authorizer);
          return;
        case "coordination.k8s.io/leases":
          return admitLease(attributes, node);
        case "storage.k8s.io/csinodes":
          if (nameIn(attributes) !== node)
            throw refused(attributes, "can only access CSINode with the same name as the requesting node");
      }
    },
  };
}

/** On create the name is in the body. */
const nameIn = ({ operation, name, object }: Attributes): string =>
  operation === "CREATE" ? (object?.metadata.name ?? "") : name;

function admitPods(attributes: Attributes, node: string, objects: Lookup): void {
  const { operation, subresource } = attributes;
  const quoted = JSON.stringify(node);
  switch (subresource) {
    case "":
      if (operation === "CREATE") return admitMirrorPod(attributes, node, objects);
      if (operation !== "DELETE")
        throw refused(
          attributes,
          `unexpected operation "${operation}", node ${quoted} can only create and delete mirror pods`,
        );
      if (nodeOf(podNamed(attributes, objects)) !== node)
        throw refused(attributes, `node ${quoted} can only delete pods with spec.nodeName set to itself`);
      return;
    case "status":
      return admitPodStatus(attributes, node);
    case "eviction":
      if (nodeOf(podNamed(attributes, objects)) !== node)
        throw refused(attributes, `node ${node} can only evict pods with spec.nodeName set to itself`);
      return;
    default:
      throw refused(
        attributes,
        `unexpected pod subresource ${JSON.stringify(subresource)}, only 'status' and 'eviction' are allowed`,
      );
  }
}

const nodeOf = (pod: KubeObject | undefined): string => (pod as Pod | undefined)?.spec?.nodeName ?? "";

function podNamed({ namespace, name }: Attributes, objects: Lookup): KubeObject {
  const pod = objects.head("pods", `${namespace}/${name}`);
  if (!pod) throw notFound("", "pods", name);
  return pod;
}

/** A node may create mirror pods, as long as they give it access to nothing. */
function admitMirrorPod(attributes: Attributes, node: string, objects: Lookup): void {
  const pod = attributes.object as KubeObject;
  const refuse = (why: string): Error => refused(attributes, why);
  const can = `node ${JSON.stringify(node)} can only create`;
  if (!isMirrorPod(pod)) throw refuse(`pod does not have "kubernetes.io/config.mirror" annotation, ${can} mirror pods`);
  if (nodeOf(pod) !== node) throw refuse(`${can} pods with spec.nodeName set to itself`);
  const [owner, ...others] = pod.metadata.ownerReferences ?? [];
  if (others.length > 0) throw refuse(`${can} pods with a single owner reference set to itself`);
  if (owner?.apiVersion !== "v1" || owner.kind !== "Node" || owner.name !== node)
    throw refuse(`${can} pods with an owner reference set to itself`);
  if (!owner.controller) throw refuse(`${can} pods with a controller owner reference set to itself`);
  if (owner.blockOwnerDeletion)
    throw refuse(`node ${JSON.stringify(node)} must not set blockOwnerDeletion on an owner reference`);
  const uid = objects.head("nodes", node)?.metadata.uid;
  if (uid === undefined) throw notFound("", "nodes", node);
  if (owner.uid !== uid) throw refuse(`node ${node} UID mismatch: expected ${owner.uid} got ${uid}`);
  const referred = apiObjectIn(pod.metadata.name ?? "", pod.spec as PodSpec);
  if (referred) throw refuse(`node ${JSON.stringify(node)} can not create pods that reference ${referred}`);
}

/** Fields that controllers write; a kubelet may not change them. */
interface ClaimStatus {
  readonly resourceClaimStatuses?: unknown;
  readonly extendedResourceClaimStatus?: unknown;
}

function admitPodStatus(attributes: Attributes, node: string): void {
  const { operation, object, old } = attributes;
  const quoted = JSON.stringify(node);
  if (operation !== "UPDATE") throw refused(attributes, `unexpected operation "${operation}"`);
  if (nodeOf(old) !== node)
    throw refused(attributes, `node ${quoted} can only update pod status for pods with spec.nodeName set to itself`);
  if (changedLabels(object?.metadata.labels, old?.metadata.labels).length > 0)
    throw refused(attributes, `node ${quoted} cannot update labels through pod status`);
  const after = (object?.status ?? {}) as ClaimStatus;
  const before = (old?.status ?? {}) as ClaimStatus;
  if (!equal(after.resourceClaimStatuses ?? [], before.resourceClaimStatuses ?? []))
    throw refused(attributes, `node ${quoted} cannot update resource claim statues`);
  if (!equal(after.extendedResourceClaimStatus, before.extendedResourceClaimStatus))
    throw refused(attributes, `node ${quoted} cannot update extended resource claim status`);
}

function admitNode(attributes: Attributes, node: string): void {
  const { operation, object, old } = attributes;
  const quoted = JSON.stringify(node);
  const name = nameIn(attributes);
  if (name !== node) throw refused(attributes, `node ${quoted} is not allowed to modify node ${JSON.stringify(name)}`);
  if (operation === "DELETE") return;
  const { spec = {}, metadata = {} } = object as Node;
  const before = (old ?? {}) as Partial<Node>;
  const labels = changedLabels(metadata.labels, before.metadata?.labels).filter(isForbiddenToNodes).toSorted();
  if (operation === "CREATE") {
    if (spec.configSource)
      throw refused(attributes, `node ${quoted} is not allowed to create pods with a non-nil configSource`);
    if (labels.length > 0)
      throw refused(attributes, `node ${quoted} is not allowed to set the following labels: ${labels.join(", ")}`);
    return;
  }
  if (spec.configSource && !equal(spec.configSource, before.spec?.configSource))
    throw refused(attributes, `node ${quoted} is not allowed to update configSource to a new non-nil configSource`);
  if (!equal(spec.taints ?? [], before.spec?.taints ?? []))
    throw refused(attributes, `node ${quoted} is not allowed to modify taints`);
  if (!equal(metadata.ownerReferences ?? [], before.metadata?.ownerReferences ?? []))
    throw refused(attributes, `node ${quoted} is not allowed to modify ownerReferences`);
  if (labels.length > 0) throw refused(attributes, `is not allowed to modify labels: ${labels.join(", ")}`);
}

/** A node may report the result of expanding a claim, and nothing else. */
function admitClaim(attributes: Attributes, node: string): void {
  const { operation, subresource, object, old } = attributes;
  if (subresource !== "status") throw refused(attributes, "may only update PVC status");
  if (operation !== "UPDATE") throw refused(attributes, `unexpected operation "${operation}"`);
  if (!equal(beyondReport(object as KubeObject), beyondReport(old as KubeObject)))
    throw refused(
      attributes,
      `node ${JSON.stringify(node)} is not allowed to update fields other than status.quantity and status.conditions`,
    );
}

/** The object without what a node may report and what changes with every write. */
function beyondReport(object: KubeObject): object {
  const { capacity, conditions, allocatedResourceStatuses, allocatedResources, ...status } = (object.status ??
    {}) as Record<string, unknown>;
  const { resourceVersion, managedFields, ...metadata } = object.metadata;
  return { ...object, metadata, status };
}

function admitLease(attributes: Attributes, node: string): void {
  if (attributes.namespace !== "kube-node-lease")
    throw refused(attributes, 'can only access leases in the "kube-node-lease" system namespace');
  if (nameIn(attributes) !== node)
    throw refused(attributes, "can only access node lease with the same name as the requesting node");
}
