import type { Client } from "../../../cluster/kube/client.ts";
import { bearer, staticCredentials } from "../../../cluster/kube/connect/credentials.ts";
import { isAlreadyExists } from "../../../cluster/kube/api-error.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import type { ApiServer } from "../../../embedded/apiserver/server.ts";
import type { KindRef, KubeObject } from "../../../language/object/meta.ts";
import { systemNamespace } from "../../operator/names.ts";

/** The only client with the rights of an admin. */
export function adminOf(server: ApiServer): HttpClient {
  return clientOf(server, server.authority.adminToken);
}

/** With the rights of a ServiceAccount of Attune's namespace. */
export async function accountOf(server: ApiServer, admin: Client, account: string): Promise<HttpClient> {
  return clientOf(server, await tokenOf(admin, account));
}

function clientOf(server: ApiServer, token: string): HttpClient {
  return new HttpClient({
    cluster: { server: server.url, certificateAuthority: server.authority.caPem },
    credentials: staticCredentials(bearer(token)),
    namespace: "default",
    name: "attune",
  });
}

/** A day. Every start requests new tokens. */
const tokenSeconds = 24 * 3600;

export async function tokenOf(admin: Client, name: string, namespace = systemNamespace): Promise<string> {
  const request = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    metadata: {},
    spec: { expirationSeconds: tokenSeconds },
  };
  const path = { namespace, name, subresource: "token" };
  const answer = await admin.create(kinds.serviceAccount as never, request as never, path);
  return (answer as { status: { token: string } }).status.token;
}

/** Those that are there stay: after a process that was killed in between, and in a directory of an earlier version. */
export async function createMissing<T extends KubeObject>(client: Client, kind: KindRef<T>, object: T): Promise<void> {
  try {
    await client.create(kind, object, { namespace: object.metadata.namespace, fieldManager: "attune-up" });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
