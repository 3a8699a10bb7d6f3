import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "../../src/embedded/apiserver/server.ts";
import { startRealServer } from "../servers/real-server.ts";
import type { RestartableServer } from "../fault-proxy/struck-server.ts";

export interface RestartableVariant {
  readonly name: "embedded" | "real";
  start(): Promise<RestartableServer>;
}

/** The embedded server, and kube-apiserver if `KUBEBUILDER_ASSETS` names a folder with it. */
export function restartableVariants(): RestartableVariant[] {
  const assets = process.env.KUBEBUILDER_ASSETS;
  const embedded: RestartableVariant = { name: "embedded", start: startEmbedded };
  return assets
    ? [embedded, { name: "real", start: () => startRealServer(assets, { namespaceDefaults: false }) }]
    : [embedded];
}

async function startEmbedded(): Promise<RestartableServer> {
  const dir = await mkdtemp(join(tmpdir(), "attune-restartable-"));
  let server = await startServer({ dir });
  return {
    url: server.url,
    kubeconfig: server.kubeconfig,
    authority: server.authority,
    async restart() {
      await server.close();
      server = await startServer({ dir, port: server.port });
    },
    async close() {
      await server.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
