import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openAuthority } from "../../src/embedded/apiserver/auth/authority.ts";
import { FaultProxy } from "../../test/fault-proxy/fault-proxy.ts";
import { type BenchServer, kubeconfigOf } from "../harness/servers.ts";

/** A proxy for one program, which counts its requests: `GET /api/v1/nodes (watch)`. */
export class CountingProxy {
  readonly counts = new Map<string, number>();
  readonly #dir: string;
  readonly #proxy: FaultProxy;

  private constructor(dir: string, proxy: FaultProxy) {
    this.#dir = dir;
    this.#proxy = proxy;
  }

  static async open(server: BenchServer): Promise<CountingProxy> {
    const dir = await mkdtemp(join(tmpdir(), "attune-bench-idle-"));
    const { serverCertPem: cert, serverKeyPem: key, caPem } = await openAuthority(join(dir, "proxy"));
    const proxy = new FaultProxy({
      cert,
      key,
      upstream: { url: server.url, ca: server.caPem },
      onAnswer: ({ method = "", url = "" }) => counting.#count(method, url),
    });
    const counting = new CountingProxy(dir, proxy);
    await proxy.listen();
    await writeFile(counting.kubeconfig, kubeconfigOf({ ...server, url: proxy.url, caPem }));
    return counting;
  }

  get kubeconfig(): string {
    return join(this.#dir, "kubeconfig");
  }

  get total(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  async close(): Promise<void> {
    await this.#proxy.close();
    await rm(this.#dir, { recursive: true, force: true });
  }

  #count(method: string, url: string): void {
    const { pathname, searchParams } = new URL(url, "https://server");
    const name = /metadata\.name=(.+)/.exec(searchParams.get("fieldSelector") ?? "")?.[1];
    const path = name === undefined ? pathname : `${pathname}/${name}`;
    const key = `${searchParams.has("watch") ? "watch" : method} ${path}`;
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }
}
