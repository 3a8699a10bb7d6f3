import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openAuthority } from "../../src/embedded/apiserver/auth/authority.ts";
import { startRealServer } from "../../test/servers/real-server.ts";
import { childrenNamed } from "./process-usage.ts";

/** A server in its own processes. */
export interface BenchServer {
  readonly name: "attune" | "kube-apiserver + etcd";
  readonly url: string;
  readonly caPem: string;
  readonly token: string;
  /** All processes of the server. */
  readonly pids: readonly number[];
  readonly close: () => Promise<void>;
}

/** For the administrator, with a token. */
export function kubeconfigOf({ url, caPem, token }: Pick<BenchServer, "url" | "caPem" | "token">): string {
  const cluster = { server: url, "certificate-authority-data": Buffer.from(caPem).toString("base64") };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "bench", cluster }],
    users: [{ name: "bench", user: { token } }],
    contexts: [{ name: "bench", context: { cluster: "bench", user: "bench" } }],
    "current-context": "bench",
  });
}

export interface Started {
  readonly url: string;
  readonly pid: number;
  /** From the start of the process to its `ready` line. */
  readonly milliseconds: number;
  readonly stop: () => Promise<void>;
}

/** `attune apiserver` on `dir`, as a user runs it. */
export function startAttune(dir: string): Promise<Started> {
  const started = performance.now();
  const child = spawn(process.execPath, ["bin/attune", "apiserver", "--dir", dir, "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  return new Promise((resolve, reject) => {
    let output = "";
    child.once("error", reject);
    child.once("exit", (code) =>
      reject(new Error(`start attune apiserver: it ended with ${code} before it was ready`)),
    );
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      const url = /^ready (\S+)\n/.exec(output)?.[1];
      if (!url) return;
      resolve({
        url,
        pid: child.pid as number,
        milliseconds: performance.now() - started,
        async stop() {
          child.kill("SIGTERM");
          await ended;
          process.off("exit", kill);
        },
      });
    });
  });
}

export async function attuneServer(): Promise<BenchServer> {
  const dir = await mkdtemp(join(tmpdir(), "attune-bench-"));
  const { url, pid, stop } = await startAttune(dir);
  const { caPem, adminToken: token } = await openAuthority(dir);
  return {
    name: "attune",
    url,
    caPem,
    token,
    pids: [pid],
    async close() {
      await stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** etcd does not sync its file, so that both servers guarantee the same: an acknowledged write survives kill -9. */
export async function realServer(assets: string): Promise<BenchServer> {
  const before = childrenNamed("etcd", "kube-apiserver");
  const { url, authority, ...real } = await startRealServer(assets);
  const pids = childrenNamed("etcd", "kube-apiserver").filter((pid) => !before.includes(pid));
  return {
    name: "kube-apiserver + etcd",
    url,
    caPem: authority.caPem,
    token: authority.adminToken,
    pids,
    close: () => real.close(),
  };
}

/** Runs `measure` with the embedded server and, if `KUBEBUILDER_ASSETS` has it, the real one; stops them afterwards. */
export async function withServers(measure: (servers: readonly BenchServer[]) => Promise<void>): Promise<void> {
  const servers = [await attuneServer()];
  try {
    const assets = process.env.KUBEBUILDER_ASSETS;
    if (assets) servers.push(await realServer(assets));
    await measure(servers);
  } finally {
    for (const server of servers) await server.close();
  }
}
