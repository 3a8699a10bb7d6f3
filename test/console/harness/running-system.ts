import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import type { HttpClient } from "../../../src/cluster/kube/http-client.ts";
import { noLog } from "../../../src/cluster/runtime/log/log.ts";
import { machineConfigPoolKind } from "../../../src/domain/machine-config/api.ts";
import { tunedKind } from "../../../src/domain/node-tuning/api.ts";
import { performanceProfileKind } from "../../../src/domain/performance-profile/api.ts";
import type { MemoryHost } from "../../../src/node/host/memory-host.ts";
import { nodesOfFile } from "../../../src/program/cli/lab/virtual-nodes.ts";
import { createMissing } from "../../../src/program/cli/up/cluster-access.ts";
import { converge, readCluster, waitingIn } from "../../../src/program/cli/up/convergence.ts";
import { startSystem, workedNodes } from "../../../src/program/cli/up/system.ts";
import { examplePerformanceProfile, examplePool, exampleTuned } from "../../../src/program/cli/up/worked-example.ts";
import { type RunningConsole, startConsole } from "../../../src/program/console/console-server.ts";
import { version } from "../../../src/program/version.ts";
import { builtPage } from "./built-page.ts";

export interface SystemOptions {
  /** With the names `node-1` and so on and the smallest hardware, or those of a topology file. */
  readonly nodes: number | string;
  /** Default `plain`: Attune rolls pools out. */
  readonly mode?: "plain" | "standalone";
  /** Creates the objects of the example of `attune up`, and waits until all nodes have converged. Default true. */
  readonly example?: boolean;
}

/** All of `attune up`, in the process of the tests. */
export interface RunningSystem {
  /** With the rights of an admin, as the console. */
  readonly admin: HttpClient;
  readonly hosts: ReadonlyMap<string, MemoryHost>;
  readonly kubeconfig: string;
  readonly console: RunningConsole;
  /** An address that signs in once: `/plan?x=y`. */
  address(path?: string): string;
  /** Resolves when all nodes and pools have converged. */
  converged(): Promise<void>;
  /** Another console for the same cluster. It stops with the system. */
  serve(options?: ServeOptions): Promise<RunningConsole>;
}

export type ServeOptions = Partial<Omit<Parameters<typeof startConsole>[0], "assets" | "version">>;

/** Starts a system before the tests of a file and stops it after them. */
export function systemForAll(options: SystemOptions): RunningSystem {
  let running: (RunningSystem & { stop(): Promise<void> }) | undefined;
  beforeAll(async () => {
    running = await runSystem(options);
  });
  afterAll(() => running?.stop());
  return new Proxy({} as RunningSystem, { get: (_, name) => Reflect.get(running ?? {}, name) as unknown });
}

async function runSystem({ nodes, mode = "plain", example = true }: SystemOptions) {
  const dir = await mkdtemp(join(tmpdir(), "attune-console-"));
  const stop = new AbortController();
  const { signal } = stop;
  const page = await builtPage();
  const machines = typeof nodes === "string" ? await nodesOfFile(nodes) : workedNodes(nodes, mode);
  const system = await startSystem({ dir, port: 0, machines, mode, signal, log: noLog });
  const { admin, hosts, server } = system;
  const consoles: RunningConsole[] = [];
  const serve = async (more: ServeOptions = {}): Promise<RunningConsole> => {
    const clusters = [{ name: mode, client: admin }];
    const { assets } = page;
    const common = {
      clusters,
      assets,
      version,
      host: "127.0.0.1",
      port: 0,
      signIn: "link",
      signal,
      log: noLog,
    } as const;
    const console = await startConsole({ ...common, ...more });
    consoles.push(console);
    return console;
  };
  const console = await serve();
  const converged = async (): Promise<void> => {
    const read = () => readCluster({ client: admin, hosts, signal, rollsOut: mode === "plain" });
    const waiting = waitingIn(await converge({ read, signal, timeoutMs: 100_000 }));
    if (waiting.length > 0) throw new Error(`never converged: ${JSON.stringify(waiting)}`);
  };
  if (example) {
    await createMissing(admin, tunedKind, exampleTuned());
    if (mode === "plain" && machines.length > 1) {
      await createMissing(admin, machineConfigPoolKind, examplePool());
      await createMissing(admin, performanceProfileKind, examplePerformanceProfile());
    }
    await converged();
  }
  return {
    admin,
    hosts,
    kubeconfig: server.kubeconfig,
    console,
    serve,
    converged,
    address: (path = "/") => console.link().replace("/#", `${path}#`),
    stop: async () => {
      stop.abort();
      await Promise.all([system.stopped, ...consoles.map(({ stopped }) => stopped)]);
      await page.remove();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
