import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import type { HttpClient } from "../../../src/cluster/kube/http-client.ts";
import type { KindRef } from "../../../src/cluster/kube/client.ts";
import { noLog } from "../../../src/cluster/runtime/log/log.ts";
import { machineConfigCrds } from "../../../src/domain/machine-config/crds.ts";
import { nodePoolCrds } from "../../../src/domain/node-pool/crds.ts";
import { nodeTuningCrds } from "../../../src/domain/node-tuning/crds.ts";
import { performanceProfileCrds } from "../../../src/domain/performance-profile/crds.ts";
import { scyllaCrds } from "../../../src/domain/scylla/config/crds.ts";
import { type ApiServer, startServer } from "../../../src/embedded/apiserver/server.ts";
import type { KubeObject } from "../../../src/language/object/meta.ts";
import { Program } from "../../../src/program/cli/testing/program.ts";
import { applyManifests } from "../../../src/program/cli/install/apply-manifests.ts";
import { adminOf } from "../../../src/program/cli/up/cluster-access.ts";
import { type RunningConsole, startConsole } from "../../../src/program/console/console-server.ts";
import { version } from "../../../src/program/version.ts";
import { untilEstablished } from "../../servers/until.ts";

/** API servers with Attune's kinds and a console for all of them. Nothing acts on their objects: each stays as a test wrote it. */
export interface ServedClusters {
  readonly console: RunningConsole;
  admin(name: string): HttpClient;
  /** An address that signs in once. */
  address(path: string): string;
  /** The same of a console for another user, who has no rights but those that a test gives. */
  addressAs(user: string, path: string): Promise<string>;
  /** Ends the API server of one cluster. */
  stop(name: string): Promise<void>;
  /** With its status, as the parts that are not there would write it. */
  write<T extends KubeObject>(cluster: string, kind: KindRef<T>, object: T): Promise<T>;
}

const crds = [...nodeTuningCrds, ...machineConfigCrds, ...performanceProfileCrds, ...nodePoolCrds, ...scyllaCrds];

/** Starts them before the tests of a file and stops them after. The console shows the first. */
export function clustersForAll(...names: readonly string[]): ServedClusters {
  let running: (ServedClusters & { end(): Promise<void> }) | undefined;
  beforeAll(async () => {
    running = await run(names);
  });
  afterAll(() => running?.end());
  return new Proxy({} as ServedClusters, { get: (_, name) => Reflect.get(running ?? {}, name) as unknown });
}

async function run(names: readonly string[]) {
  const dir = await mkdtemp(join(tmpdir(), "attune-console-"));
  const stop = new AbortController();
  const program = await Program.build();
  const servers = new Map<string, { server: ApiServer; admin: HttpClient }>();
  for (const name of names) {
    const server = await startServer({ dir: join(dir, name), port: 0, log: noLog });
    const admin = adminOf(server);
    await applyManifests(admin, crds, stop.signal);
    await untilEstablished(admin);
    servers.set(name, { server, admin });
  }
  const consoles: RunningConsole[] = [];
  const serve = async (clientOf: (admin: HttpClient) => HttpClient): Promise<RunningConsole> => {
    const clusters = Array.from(servers, ([name, { admin }]) => ({ name, client: clientOf(admin) }));
    const assets = join(program.path, "console");
    const common = {
      assets,
      version,
      host: "127.0.0.1",
      port: 0,
      signIn: "link",
      signal: stop.signal,
      log: noLog,
    } as const;
    const console = await startConsole({ clusters, ...common });
    consoles.push(console);
    return console;
  };
  const console = await serve((admin) => admin);
  const addressOf = (of: RunningConsole, path: string): string => of.link().replace("/#", `${path}#`);
  const of = (name: string): { server: ApiServer; admin: HttpClient } => {
    const found = servers.get(name);
    if (!found) throw new Error(`there is no cluster ${name}`);
    return found;
  };
  return {
    console,
    admin: (name: string) => of(name).admin,
    address: (path: string) => addressOf(console, path),
    addressAs: async (user: string, path: string) => addressOf(await serve((admin) => admin.as({ user })), path),
    stop: (name: string) => of(name).server.close(),
    async write<T extends KubeObject>(cluster: string, kind: KindRef<T>, object: T): Promise<T> {
      const { admin } = of(cluster);
      const { name = "", namespace } = object.metadata;
      const created = await admin.create(kind, object, { namespace });
      if (!("status" in object)) return created;
      const patch = { status: object["status"] };
      return admin.patch(kind, name, { type: "merge", patch }, { namespace, subresource: "status" });
    },
    async end(): Promise<void> {
      stop.abort();
      await Promise.all(consoles.map(({ stopped }) => stopped));
      for (const { server, admin } of servers.values()) {
        admin.close();
        await server.close();
      }
      await program.remove();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
