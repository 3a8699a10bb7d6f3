import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bearer, staticCredentials } from "../../src/cluster/kube/connect/credentials.ts";
import { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { openAuthority } from "../../src/embedded/apiserver/auth/authority.ts";
import type { ServerUnderTest } from "../servers/server-under-test.ts";
import { FaultProxy } from "./fault-proxy.ts";
import type { Struck } from "./server-faults.ts";

/** A server that can be stopped and started again with the same data and address. */
export type RestartableServer = ServerUnderTest & { restart(): Promise<void> };

/** A server with sockets, and a proxy before it. */
export class StruckServer implements Struck {
  readonly proxy: FaultProxy;
  /** The client of the test, past the proxy. */
  readonly client: HttpClient;
  readonly server: RestartableServer;
  readonly #dir: string;
  readonly #proxyCa: string;

  private constructor(dir: string, server: RestartableServer, proxy: FaultProxy, proxyCa: string) {
    this.#dir = dir;
    this.server = server;
    this.proxy = proxy;
    this.#proxyCa = proxyCa;
    this.client = this.#clientOf(server.url, server.authority.caPem);
  }

  static async open(server: RestartableServer): Promise<StruckServer> {
    const dir = await mkdtemp(join(tmpdir(), "attune-struck-"));
    const { serverCertPem, serverKeyPem, caPem } = await openAuthority(join(dir, "proxy"));
    const upstream = { url: server.url, ca: server.authority.caPem };
    const proxy = new FaultProxy({ cert: serverCertPem, key: serverKeyPem, upstream });
    await proxy.listen();
    return new StruckServer(dir, server, proxy, caPem);
  }

  /** A client behind the proxy. */
  behind(onRequest?: () => void): HttpClient {
    return this.#clientOf(this.proxy.url, this.#proxyCa, onRequest);
  }

  restartServer(): Promise<void> {
    return this.server.restart();
  }

  async close(): Promise<void> {
    this.client.close();
    await this.proxy.close();
    await this.server.close();
    await rm(this.#dir, { recursive: true, force: true });
  }

  #clientOf(server: string, certificateAuthority: string, onRequest?: () => void): HttpClient {
    const credentials = staticCredentials(bearer(this.server.authority.adminToken));
    const connection = { cluster: { server, certificateAuthority }, credentials, namespace: "default", name: "test" };
    return new HttpClient(connection, { timeoutMs: 5000, ...(onRequest ? { onRequest } : {}) });
  }
}

/** Errors while a server restarts or an object is deleted: try again. */
export function ifAway(error: unknown): undefined {
  const { code } = error as { code?: number };
  if (code !== 0 && code !== 404 && code !== 409) throw error;
  return undefined;
}
