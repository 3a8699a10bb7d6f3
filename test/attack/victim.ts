import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer, type ApiServer, type ServerOptions } from "../../src/embedded/apiserver/server.ts";
import type { Log } from "../../src/cluster/runtime/log/log.ts";
import { Client } from "./client.ts";

export interface Victim {
  readonly server: ApiServer;
  readonly dir: string;
  /** An admin. */
  readonly admin: Client;
  /** Errors that the server logged: must stay empty whatever a client sends. */
  readonly failures: unknown[];
  close(): Promise<void>;
}

/** A server in this process, so that whatever would crash it fails the test run. */
export async function startVictim(options: Partial<ServerOptions> = {}): Promise<Victim> {
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), "attune-attack-")));
  const failures: unknown[] = [];
  const log = {
    debug() {},
    info() {},
    warn() {},
    error: (fields: unknown, message: string) => void failures.push({ message, fields }),
  } as unknown as Log;
  const server = await startServer({ storage: "memory", log, ...options, dir });
  const admin = new Client({ url: server.url, caPem: server.authority.caPem, token: server.authority.adminToken });
  return {
    server,
    dir,
    admin,
    failures,
    async close() {
      admin.close();
      await server.close();
      if (!options.dir) await rm(dir, { recursive: true, force: true });
    },
  };
}
