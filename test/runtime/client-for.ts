import { bearer, staticCredentials } from "../../src/kube/credentials.ts";
import { HttpClient } from "../../src/kube/http-client.ts";
import type { ServerUnderTest } from "../servers/server-under-test.ts";

/** The project's own client, as an admin of the server under test. */
export function clientFor({ url, authority }: Pick<ServerUnderTest, "url" | "authority">): HttpClient {
  return new HttpClient({
    cluster: { server: url, certificateAuthority: authority.caPem },
    credentials: staticCredentials(bearer(authority.adminToken)),
    namespace: "default",
    name: "test",
  });
}
