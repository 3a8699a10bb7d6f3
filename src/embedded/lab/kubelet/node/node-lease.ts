import { isAlreadyExists, isNotFound } from "../../../../cluster/kube/api-error.ts";
import type { Client } from "../../../../cluster/kube/client.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { formatMicroTime } from "../../../../language/object/time.ts";

export const leaseNamespace = "kube-node-lease";
const leaseSeconds = 40;

/** Renews the lease of a node, or creates it. The `first` renewal also takes over a lease of an earlier Node. */
export async function renewNodeLease(
  client: Client,
  { name, uid }: { name: string; uid: string },
  { first, now }: { first: boolean; now: number },
): Promise<void> {
  const renewTime = formatMicroTime(now);
  const renew = async (patch: object): Promise<void> => {
    await client.patch(kinds.lease, name, { type: "merge", patch }, { namespace: leaseNamespace });
  };
  try {
    if (!first) return await renew({ spec: { renewTime } });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  // The garbage collector deletes the lease together with this Node.
  const ownerReferences = [{ apiVersion: "v1", kind: "Node", name, uid }];
  const spec = { holderIdentity: name, leaseDurationSeconds: leaseSeconds, renewTime };
  const metadata = { name, namespace: leaseNamespace, ownerReferences };
  try {
    await client.create(kinds.lease, { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    await renew({ metadata: { ownerReferences }, spec });
  }
}
