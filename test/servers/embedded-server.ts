import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "../../src/embedded/apiserver/server.ts";
import type { ServerUnderTest } from "./server-under-test.ts";

/** The embedded server in this process, on a directory of its own. */
export async function startEmbeddedServer(): Promise<ServerUnderTest> {
  const dir = await mkdtemp(join(tmpdir(), "attune-embedded-"));
  const server = await startServer({ dir, storage: "memory" });
  return {
    url: server.url,
    kubeconfig: server.kubeconfig,
    authority: server.authority,
    async close() {
      await server.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
