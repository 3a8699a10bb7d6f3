import { bearer, staticCredentials } from "../../src/cluster/kube/connect/credentials.ts";
import { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import type { ServerUnderTest } from "./server-under-test.ts";

type Reached = Pick<ServerUnderTest, "url" | "authority">;

/** The project's own client, as an admin of the server under test. */
export function clientFor(server: Reached): HttpClient {
  return withToken(server, server.authority.adminToken);
}

/** As a ServiceAccount, with no rights but its own. */
export async function clientOfAccount(server: Reached, namespace: string, name: string): Promise<HttpClient> {
  const request = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    metadata: {},
    spec: { audiences: [] },
  };
  const path = { namespace, name, subresource: "token" };
  const answer = await clientFor(server).create(kinds.tokenRequest as never, request as never, path);
  return withToken(server, (answer as { status: { token: string } }).status.token);
}

export function withToken({ url, authority }: Reached, token: string): HttpClient {
  return new HttpClient({
    cluster: { server: url, certificateAuthority: authority.caPem },
    credentials: staticCredentials(bearer(token)),
    namespace: "default",
    name: "test",
  });
}
