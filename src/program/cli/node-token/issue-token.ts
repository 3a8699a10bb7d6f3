import { ifThere } from "../../../cluster/kube/api-error.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { kinds, untyped } from "../../../cluster/kube/kinds.ts";
import {
  audience,
  endpointConfigMap,
  firstBootNamespace,
  invitationName,
  invitationObject,
  nodeAccount,
} from "../../../domain/rollout/first-boot/invitation.ts";
import type { TokenFile } from "../../../domain/rollout/first-boot/token-file.ts";
import { at, text } from "../../../language/object/json.ts";
import { formatTime } from "../../../language/object/time.ts";

export interface IssueOptions {
  readonly node: string;
  readonly pool: string;
  readonly lifeMs: number;
  /** Instead of the published one. */
  readonly server?: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly signal?: AbortSignal | undefined;
}

const accounts = untyped("v1", "ServiceAccount", "serviceaccounts", true);
const place = { namespace: firstBootNamespace };

/** Invites a node, and issues the token for its first boot. An earlier token of the node ends. */
export async function issueToken(client: Client, options: IssueOptions): Promise<TokenFile> {
  const { node, pool, lifeMs, now, signal } = options;
  const { server, certificateAuthority } = await endpoint(client, options);
  await ifThere(client.delete(kinds.secret, invitationName(node), { ...place, signal }));
  const invitation = invitationObject(node, pool, formatTime(now + lifeMs));
  const { metadata } = await client.create(kinds.secret, invitation, { ...place, signal });
  const request = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    metadata: {},
    spec: {
      audiences: [audience],
      expirationSeconds: Math.round(lifeMs / 1000),
      boundObjectRef: { apiVersion: "v1", kind: "Secret", name: metadata.name, uid: metadata.uid },
    },
  };
  const answer = await client.create(accounts, request, { ...place, name: nodeAccount, subresource: "token", signal });
  return { server, certificateAuthority, node, pool, token: text(at(answer, "status", "token")) };
}

async function endpoint(
  client: Client,
  { server, signal }: IssueOptions,
): Promise<Pick<TokenFile, "server" | "certificateAuthority">> {
  const { data = {} } = (await ifThere(client.get(kinds.configMap, endpointConfigMap, { ...place, signal }))) ?? {};
  const found = { server: server ?? data["server"], certificateAuthority: data["ca.crt"] };
  if (!found.server || !found.certificateAuthority)
    throw new Error(
      `the operator serves no first boots: ConfigMap ${firstBootNamespace}/${endpointConfigMap} is missing or empty; attune install --first-boot URL turns it on`,
    );
  return found as Pick<TokenFile, "server" | "certificateAuthority">;
}
