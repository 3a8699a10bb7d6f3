import type { KubeObject } from "../../../language/object/meta.ts";

/** Where invitations and the address of the endpoint are: nothing else is there. */
export const firstBootNamespace = "attune-first-boot";
/** The ServiceAccount that tokens of new nodes are issued for. It has no rights. */
export const nodeAccount = "node";
/** Of those tokens: the API server accepts none of them, and the endpoint no other. */
export const audience = "attune-first-boot";
/** The name in the certificate of the endpoint, whatever its address is. */
export const serverName = "attune-first-boot";
/** The ConfigMap that says where the endpoint is and which authority signs its certificate. */
export const endpointConfigMap = "endpoint";

const prefix = "node.";
const own = (name: string): string => `rollout.attune.dev/${name}`;

const names = {
  /** By the issuer: the pool that the node will be in. */
  pool: own("pool"),
  /** By the issuer: when the token ends, in RFC 3339. */
  expires: own("expires"),
  /** By the operator: SHA-256 of the key that the token was first used with. */
  claimedBy: own("claimed-by"),
  /** By the operator: the rendered config that was served. */
  config: own("served-config"),
} as const;

/** Permission for one machine to become one node of one pool. */
export interface Invitation {
  readonly node: string;
  readonly pool: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Milliseconds since 1970, in whole seconds. */
  readonly created: number;
  /** Milliseconds since 1970. */
  readonly expires: number;
  /** Once the token was used. */
  readonly claim?: Claim | undefined;
}

export interface Claim {
  /** `unrepeatable`, or the hash of a key: a request with that key is answered again. */
  readonly by: string;
  readonly config: string;
}

export const unrepeatable = "unrepeatable";

export function invitationName(node: string): string {
  return `${prefix}${node}`;
}

/** The node that a Secret invites, by its name. */
export function invitedNode({ metadata: { name = "" } }: Pick<KubeObject, "metadata">): string | undefined {
  return name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
}

/**
 * A Secret without content: a token can be bound to a Pod, a Secret or a Node, and ends with it. `expires` in RFC 3339.
 */
export function invitationObject(node: string, pool: string, expires: string): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name: invitationName(node),
      namespace: firstBootNamespace,
      labels: { "app.kubernetes.io/part-of": "attune" },
      annotations: { [names.pool]: pool, [names.expires]: expires },
    },
    type: "rollout.attune.dev/first-boot",
  };
}

/** Undefined for other Secrets, and for one that names no pool or no end. */
export function readInvitation(secret: Pick<KubeObject, "metadata">): Invitation | undefined {
  const node = invitedNode(secret);
  const { annotations = {}, uid = "", resourceVersion = "" } = secret.metadata;
  const { [names.pool]: pool, [names.claimedBy]: by, [names.config]: config = "" } = annotations;
  const created = Date.parse(secret.metadata.creationTimestamp ?? "");
  const expires = Date.parse(annotations[names.expires] ?? "");
  if (node === undefined || !pool || Number.isNaN(expires)) return undefined;
  return { node, pool, uid, resourceVersion, created, expires, ...(by ? { claim: { by, config } } : {}) };
}

/** Only over the version that was read: of two requests at once, one claims. */
export function claimPatch({ uid, resourceVersion }: Invitation, { by, config }: Claim): object {
  return { metadata: { uid, resourceVersion, annotations: { [names.claimedBy]: by, [names.config]: config } } };
}
