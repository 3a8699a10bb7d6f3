import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { bearer, staticCredentials } from "../../src/cluster/kube/connect/credentials.ts";
import { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { agentEnvironment } from "../../src/domain/node-tuning/agent-daemon-set.ts";
import { apiVersion, profileKind, tuningNamespace as namespace } from "../../src/domain/node-tuning/api.ts";
import { nodeTuningCrds } from "../../src/domain/node-tuning/crds.ts";
import { openAuthority } from "../../src/embedded/apiserver/auth/authority.ts";
import { isTrue } from "../../src/language/object/condition.ts";
import { memoryOf, type Memory } from "../harness/process-usage.ts";
import { shown, type Section } from "../harness/report.ts";
import { startAttune } from "../harness/servers.ts";

const limit = 55;
/** Long enough for V8's garbage collection in idle time. */
const settleMs = 3000;
const pauseMs = 100;

/** Memory of one agent: idle, and with a profile applied. */
export const agent: Section = {
  name: "agent",
  async measure({ report }) {
    const dir = await mkdtemp(join(tmpdir(), "attune-bench-"));
    try {
      const bare = await bareMemory();
      const { idle, applied } = await agentMemory(dir);
      const rows = [
        ["node (bare)", bare],
        ["attune agent, without a Profile", idle],
        ["attune agent, openshift-node applied", applied],
      ] as const;
      report.table(
        "Memory of an agent",
        ["", "resident", "without mapped files"],
        rows.map(([what, memory]) => [what, shown(memory?.resident, "MB"), shown(memory?.own, "MB")]),
      );
      report.bar({
        what: `agent: at most ${limit} MB resident`,
        measured: shown(applied?.resident, "MB"),
        met: (applied?.resident ?? Infinity) <= limit,
      });
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  },
};

async function bareMemory(): Promise<Memory | undefined> {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"]);
  await delay(settleMs);
  const memory = memoryOf([child.pid ?? 0]);
  child.kill("SIGKILL");
  return memory;
}

async function agentMemory(dir: string): Promise<{ idle: Memory | undefined; applied: Memory | undefined }> {
  const server = await startAttune(join(dir, "server"));
  const { caPem, adminToken } = await openAuthority(join(dir, "server"));
  const client = new HttpClient({
    cluster: { server: server.url, certificateAuthority: caPem },
    credentials: staticCredentials(bearer(adminToken)),
    namespace,
    name: "bench",
  });
  await install(client);
  const root = join(dir, "root");
  await makeNode(root);
  const kubeconfig = join(dir, "server", "kubeconfig");
  const words = ["bin/attune", "agent", "--node", "n", "--root", root, "--kubeconfig", kubeconfig];
  const env = Object.fromEntries(agentEnvironment.map(({ name, value }) => [name, value]));
  const child = spawn(process.execPath, words, { stdio: "ignore", env: { ...process.env, ...env } });
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  try {
    await delay(settleMs);
    const idle = memoryOf([child.pid ?? 0]);
    const spec = { config: { tunedProfile: "openshift-node" } };
    await client.create(profileKind, { apiVersion, kind: "Profile", metadata: { name: "n" }, spec }, { namespace });
    for (;;) {
      const { status } = await client.get(profileKind, "n", { namespace });
      if (isTrue(status?.conditions, "Applied")) break;
      await delay(pauseMs);
    }
    await delay(settleMs);
    return { idle, applied: memoryOf([child.pid ?? 0]) };
  } finally {
    kill();
    process.off("exit", kill);
    client.close();
    await server.stop();
  }
}

async function install(client: HttpClient): Promise<void> {
  for (const crd of nodeTuningCrds) await client.create(kinds.customResourceDefinition, crd as never);
  await client.create(kinds.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  for (;;) {
    const crd = await client.get(kinds.customResourceDefinition, `${profileKind.plural}.tuned.openshift.io`);
    if (isTrue(crd.status?.conditions, "Established")) return;
    await delay(pauseMs);
  }
}

/** The files of a node that the agent needs; it reports settings that are missing. */
export async function makeNode(root: string): Promise<void> {
  const files = {
    "proc/sys/kernel/random/boot_id": "bench\n",
    "proc/sys/vm/swappiness": "60\n",
    "proc/sys/net/core/somaxconn": "128\n",
    "proc/sys/kernel/pid_max": "32768\n",
    "proc/sys/fs/aio-max-nr": "65536\n",
    "proc/cpuinfo": "processor : 0\nflags : fpu\n",
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}
