import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import type { HttpClient } from "../../../src/cluster/kube/http-client.ts";
import { noLog } from "../../../src/cluster/runtime/log/log.ts";
import type { Machine } from "../../../src/embedded/lab/machine.ts";
import { converge, waitingIn } from "../../../src/program/cli/up/convergence.ts";
import { smallExample } from "../../../src/program/cli/up/hosted-example.ts";
import { twoClusters } from "../../../src/program/cli/up/hosted-system.ts";
import { type RunningConsole, startConsole } from "../../../src/program/console/console-server.ts";
import { version } from "../../../src/program/version.ts";
import { builtPage } from "./built-page.ts";

/** All of `attune up` with hosted control planes and its example, in the process of the tests. */
export interface HostedSystem {
  readonly hosted: HttpClient;
  readonly management: HttpClient;
  /** With a context for each cluster, of its name. */
  readonly kubeconfig: string;
  /** Of nodes of the hosted cluster. */
  readonly hosts: ReadonlyMap<string, Machine>;
  /** An address that signs in once, of a console that shows the hosted cluster first. */
  address(path?: string): string;
  /** The same of a console for other clusters, or with other rights. */
  addressOf(clusters: Parameters<typeof startConsole>[0]["clusters"], path: string): Promise<string>;
  /** Resolves when all nodes and NodePools have converged. */
  converged(): Promise<void>;
}

/** Starts it before the tests of a file, and stops it after them. */
export function hostedForAll(nodes: number): HostedSystem {
  let running: (HostedSystem & { stop(): Promise<void> }) | undefined;
  beforeAll(async () => {
    running = await run(nodes);
  });
  afterAll(() => running?.stop());
  return new Proxy({} as HostedSystem, { get: (_, name) => Reflect.get(running ?? {}, name) as unknown });
}

async function run(nodes: number): Promise<HostedSystem & { stop(): Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), "attune-console-"));
  const stop = new AbortController();
  const { signal } = stop;
  const page = await builtPage();
  const example = smallExample(nodes);
  const stage = await twoClusters({ dir, port: 0, example, signal, log: noLog });
  const clientOf = (name: string): HttpClient => {
    const found = stage.clusters.find((cluster) => cluster.name === name);
    if (!found) throw new Error(`there is no cluster ${name}`);
    return found.client;
  };
  const consoles: RunningConsole[] = [];
  const serve = async (clusters: typeof stage.clusters): Promise<RunningConsole> => {
    const { assets } = page;
    const common = { assets, version, host: "127.0.0.1", port: 0, signIn: "link", signal, log: noLog } as const;
    const console = await startConsole({ clusters, ...common });
    consoles.push(console);
    return console;
  };
  const converged = async (): Promise<void> => {
    const waiting = waitingIn(await converge({ read: () => stage.read(), signal, timeoutMs: 100_000 }));
    if (waiting.length > 0) throw new Error(`never converged: ${JSON.stringify(waiting)}`);
  };
  const console = await serve(stage.clusters);
  const linkOf = (of: RunningConsole, path: string): string => of.link().replace("/#", `${path}#`);
  await stage.createExample();
  await converged();
  return {
    hosted: clientOf("hosted"),
    management: clientOf("management"),
    kubeconfig: join(dir, "kubeconfig"),
    hosts: new Map(example.machines.map(({ name, host }) => [name, host])),
    address: (path = "/") => linkOf(console, path),
    addressOf: async (clusters, path) => linkOf(await serve(clusters), path),
    converged,
    async stop() {
      stop.abort();
      await Promise.all([stage.stopped, ...consoles.map(({ stopped }) => stopped)]);
      await page.remove();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
