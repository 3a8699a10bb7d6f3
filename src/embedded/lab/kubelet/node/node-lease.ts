import { isAlreadyExists, isNotFound } from "../../../../cluster/kube/api-error.ts";
import type { Client } from "../../../../cluster/kube/client.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { formatMicroTime } from "../../../../language/object/time.ts";

export const leaseNamespace = "kube-node-lease";
const leaseSeconds = 40;

/** Says that a node lives, in a lease that need not be there. A `first` time nobody knows whose the lease is. */
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
  // Whose it is: the garbage collector takes it away with that very Node.
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
