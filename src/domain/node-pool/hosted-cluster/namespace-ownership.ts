import { keyOf, type KubeObject } from "../../../language/object/meta.ts";
import { group, keys } from "../../hosted/protocol.ts";
import type { HostedCluster } from "../api.ts";
import { isManaged, madeFor } from "./marks.ts";

/** Whether the namespace of a control plane is that of a HostedCluster. */
export type Ownership =
  | { readonly type: "own" }
  | { readonly type: "absent" }
  | { readonly type: "taken"; readonly message: string };

export interface OwnershipInput {
  /** `namespace/name` of the HostedCluster. */
  readonly key: string;
  /** Of its control plane. */
  readonly name: string;
  readonly namespace: KubeObject | undefined;
  /** HostedClusters whose control plane namespace has this name. */
  readonly claimants: readonly HostedCluster[];
}

/** HyperShift labels the namespaces that it makes, whatever the value. */
const controlPlaneLabel = `${group}/hosted-control-plane`;

/** Two HostedClusters can come to one name, such as `a-b/c` and `a/b-c`, and one to that of a namespace of others, such as `kube/system`. */
export function ownershipOf({ key, name, namespace, claimants }: OwnershipInput): Ownership {
  if (!namespace) return { type: "absent" };
  const [noted] = madeFor(namespace);
  const isControlPlane = isManaged(namespace) || Object.hasOwn(namespace.metadata.labels ?? {}, controlPlaneLabel);
  if (noted === undefined && !isControlPlane)
    return {
      type: "taken",
      message: `namespace ${name} exists and is no control plane namespace; its annotation ${keys.cluster}: ${key} would make it that of this HostedCluster`,
    };
  const owner = noted ?? firstOf(claimants) ?? key;
  if (owner === key) return { type: "own" };
  return {
    type: "taken",
    message: `control plane namespace ${name} is that of HostedCluster ${owner}: choose another name`,
  };
}

function firstOf(claimants: readonly HostedCluster[]): string | undefined {
  const ages = claimants.map((one) => [one.metadata.creationTimestamp ?? "", keyOf(one)] as const);
  const [first] = ages.toSorted(([a, one], [b, other]) => (a === b ? order(one, other) : order(a, b)));
  return first?.[1];
}

const order = (a: string, b: string): number => (a < b ? -1 : 1);
