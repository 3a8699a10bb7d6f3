import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { writeKubeconfig } from "../../../embedded/apiserver/auth/kubeconfig.ts";
import { type ApiServer, startServer } from "../../../embedded/apiserver/server.ts";
import { clustersToRead } from "./running-cluster.ts";

let home: string;
let servers: ApiServer[];
let running: string;

/** As `attune up` leaves them: two clusters in one kubeconfig. */
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "attune-running-"));
  servers = await Promise.all(["a", "b", "c"].map((name) => startServer({ dir: join(home, name), storage: "memory" })));
  const dir = join(home, ".local/state/attune/hosted");
  await mkdir(dir, { recursive: true });
  running = join(dir, "kubeconfig");
  const [management, hosted] = servers.map(({ url, authority: { caPem, adminToken } }, at) => ({
    server: url,
    caPem,
    token: adminToken,
    name: at === 0 ? "management" : "hosted",
  }));
  await writeKubeconfig(running, management!, hosted!);
});
afterAll(async () => {
  for (const server of servers) await server.close();
  await rm(home, { recursive: true, force: true });
});

async function names(options: { kubeconfig?: string; contexts?: string[]; env?: object }): Promise<string[]> {
  const { env, contexts = [], kubeconfig } = options;
  const found = await clustersToRead({ kubeconfig, contexts }, { note: () => {}, env: { HOME: home, ...env } });
  return found.map(({ name }) => name);
}

it("finds both clusters of an attune up, however it was found", async () => {
  expect(await names({})).toEqual(["management", "hosted"]);
  expect(await names({ env: { KUBECONFIG: running } })).toEqual(["management", "hosted"]);
  expect(await names({ kubeconfig: running })).toEqual(["management", "hosted"]);
});

it("takes the clusters that are named, each once", async () => {
  expect(await names({ contexts: ["hosted"] })).toEqual(["hosted"]);
  expect(await names({ contexts: ["hosted", "management", "hosted"] })).toEqual(["hosted", "management"]);
  await expect(names({ contexts: ["nowhere"] })).rejects.toThrow("nowhere");
});

it("adds nothing to another cluster", async () => {
  expect(await names({ kubeconfig: servers[2]!.kubeconfig })).toHaveLength(1);
});
