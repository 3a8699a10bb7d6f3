import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openAuthority } from "../../src/embedded/apiserver/auth/authority.ts";
import type { HttpConnection } from "../harness/http-connection.ts";
import { fill, makeNamespace, openConnections } from "../harness/load.ts";
import { memoryOf, type Memory } from "../harness/process-usage.ts";
import { ratio, shown, type Section } from "../harness/report.ts";
import { realServer, startAttune, type BenchServer } from "../harness/servers.ts";

const objects = 5000;
const namespace = "memory";
/** Long enough for V8's garbage collection in idle time. */
const settleMs = 3000;

/** Memory of a server with many objects, and of ours again after a restart, without the garbage of the writes. */
export const memory: Section = {
  name: "memory",
  async measure({ report }) {
    const rows: string[][] = [];
    for (const kilobytes of [1, 12]) {
      const ours = await attuneMemory(kilobytes * 1024);
      const real = await realMemory(kilobytes * 1024);
      const held = `${objects} objects of ${kilobytes} KB`;
      if (rows.length === 0) rows.push(...rowsOf("empty", ours.empty, real?.empty));
      rows.push(
        ...rowsOf(held, ours.written, real?.written),
        ...rowsOf(`${held}, restarted`, ours.restarted, undefined),
      );
    }
    report.table("Memory of all processes of the server", ["", "attune", "real", "attune to real"], rows);
  },
};

function rowsOf(what: string, ours: Memory | undefined, real: Memory | undefined): string[][] {
  return [
    [what, shown(ours?.resident, "MB"), shown(real?.resident, "MB"), ratio(ours?.resident, real?.resident)],
    ["  without mapped files", shown(ours?.own, "MB"), shown(real?.own, "MB"), ratio(ours?.own, real?.own)],
  ];
}

interface Sizes {
  readonly empty: Memory | undefined;
  readonly written: Memory | undefined;
}

async function attuneMemory(size: number): Promise<Sizes & { restarted: Memory | undefined }> {
  const dir = await mkdtemp(join(tmpdir(), "attune-bench-"));
  try {
    const { url, pid, stop } = await startAttune(dir);
    const { caPem, adminToken: token } = await openAuthority(dir);
    const sizes = await measured({ name: "attune", url, caPem, token, pids: [pid], close: stop }, size);
    const again = await startAttune(dir);
    await delay(settleMs);
    const restarted = memoryOf([again.pid]);
    await again.stop();
    return { ...sizes, restarted };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function realMemory(size: number): Promise<Sizes | undefined> {
  const assets = process.env.KUBEBUILDER_ASSETS;
  return assets ? measured(await realServer(assets), size) : undefined;
}

async function measured(server: BenchServer, size: number): Promise<Sizes> {
  try {
    const connections = await openConnections(server, 24);
    await makeNamespace(server, connections[0] as HttpConnection, namespace);
    await delay(settleMs);
    const empty = memoryOf(server.pids);
    await fill(server, connections, { namespace, prefix: "held-", count: objects, size });
    for (const connection of connections) connection.close();
    await delay(settleMs);
    return { empty, written: memoryOf(server.pids) };
  } finally {
    await server.close();
  }
}
