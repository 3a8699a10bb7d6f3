import { tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { endpointConfigMap, firstBootNamespace, nodeAccount } from "../../../domain/rollout/first-boot/invitation.ts";
import type { Grant } from "../../../language/object/grant.ts";

/** The Secret with the keys of the endpoint. Not with the invitations: a user that issues tokens could replace it, and pose as the endpoint. */
export const endpointKeys = { namespace: tuningNamespace, name: "attune-first-boot-tls" };

const configMap = { apiGroups: [""], resources: ["configmaps"], resourceNames: [endpointConfigMap] };

/** What the operator needs to serve first boots, besides its other rights. */
export const firstBootGrants: readonly Grant[] = [
  {
    because: "verifies tokens of machines that are no nodes yet",
    apiGroups: ["authentication.k8s.io"],
    resources: ["tokenreviews"],
    verbs: ["create"],
  },
  {
    within: firstBootNamespace,
    because: "invitations of nodes: claimed once, deleted when the node has joined",
    apiGroups: [""],
    resources: ["secrets"],
    verbs: ["list", "watch", "patch", "delete"],
  },
  {
    within: endpointKeys.namespace,
    because: "its own keys, which attune install creates empty",
    apiGroups: [""],
    resources: ["secrets"],
    resourceNames: [endpointKeys.name],
    verbs: ["list", "watch", "patch"],
  },
  {
    within: firstBootNamespace,
    because: "says where the endpoint is and which authority to trust; attune install creates it empty",
    ...configMap,
    verbs: ["patch"],
  },
];

/** What issuing tokens needs: a role that users may bind to an account of their own. */
export const issuerGrants: readonly Grant[] = [
  {
    within: firstBootNamespace,
    because: "where the endpoint is, and which authority to trust",
    ...configMap,
    verbs: ["get"],
  },
  {
    within: firstBootNamespace,
    because: "invites a node, and takes an earlier invitation back",
    apiGroups: [""],
    resources: ["secrets"],
    verbs: ["create", "delete"],
  },
  {
    within: firstBootNamespace,
    because: "a token that is bound to the invitation",
    apiGroups: [""],
    resources: ["serviceaccounts/token"],
    resourceNames: [nodeAccount],
    verbs: ["create"],
  },
];
