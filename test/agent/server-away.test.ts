import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runAgent } from "../../src/program/agent/agent.ts";
import { type ApiServer, startServer } from "../../src/embedded/apiserver/server.ts";
import { MemoryBase } from "../../src/node/host/memory-base.ts";
import { MemoryHost } from "../../src/node/host/memory-host.ts";
import type { KindRef } from "../../src/cluster/kube/client.ts";
import { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { loadConnection } from "../../src/cluster/kube/connect/load-connection.ts";
import { agentDaemonSet, agentDaemonSetName } from "../../src/domain/node-tuning/agent-daemon-set.ts";
import { apiVersion, type Profile, profileKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { nodeTuningCrds } from "../../src/domain/node-tuning/crds.ts";
import { isTrue } from "../../src/language/object/condition.ts";
import { type Clock, systemClock } from "../../src/cluster/runtime/clock.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { until } from "../node-tuning/eventually.ts";

const namespace = tuningNamespace;
const swappiness = "/proc/sys/vm/swappiness";

let dir: string;
let server: ApiServer;
let admin: HttpClient;
let host: MemoryHost;
/** Waits a twentieth of the time. */
const impatient: Clock = { ...systemClock, after: (ms, callback) => systemClock.after(ms / 20, callback) };
/** The answers that the agent got. */
let answers: string[];
let stop: AbortController;
let ended: Promise<void>;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "attune-agent-"));
  answers = [];
  host = new MemoryHost(
    new MemoryBase([
      ["/proc/sys/kernel/random/boot_id", "b\n"],
      [swappiness, "60\n"],
    ]),
  );
  server = await startServer({ dir, storage: "memory" });
  admin = new HttpClient(await loadConnection({ kubeconfig: server.kubeconfig }));
  await install();
  await begin();
});

afterEach(async () => {
  await end();
  admin.close();
  await server.close();
  await rm(dir, { recursive: true, force: true });
});

async function begin(): Promise<void> {
  stop = new AbortController();
  const connection = await loadConnection({ kubeconfig: server.kubeconfig });
  const client = new HttpClient(connection, {
    onRequest: ({ method, code }) => void answers.push(`${method} ${code}`),
  });
  ended = runAgent({ client, node: "n", host, signal: stop.signal, clock: impatient }).finally(() => client.close());
}

async function end(): Promise<void> {
  stop.abort();
  await ended;
}

async function install(): Promise<void> {
  for (const crd of nodeTuningCrds) await admin.create<KubeObject>(kinds.customResourceDefinition, crd);
  const metadata = { name: namespace };
  await admin.create<KubeObject>(kinds.namespace, { apiVersion: "v1", kind: "Namespace", metadata });
  await until(async () => {
    const crd = await admin.get(kinds.customResourceDefinition, "profiles.tuned.openshift.io");
    return isTrue(crd.status?.conditions, "Established");
  });
}

async function want(value: number): Promise<void> {
  const object: Profile = {
    apiVersion,
    kind: "Profile",
    metadata: { name: "n", namespace },
    spec: { config: { tunedProfile: "p" }, profile: [{ name: "p", data: `[sysctl]\nvm.swappiness=${value}\n` }] },
  };
  await admin.patch(profileKind, "n", { type: "apply", object, force: true }, { namespace, fieldManager: "test" });
}

async function isApplied(): Promise<boolean> {
  const { status } = await admin.get(profileKind, "n", { namespace });
  return isTrue(status?.conditions, "Applied");
}

async function value(): Promise<string> {
  const file = await host.read(swappiness);
  return file.type === "text" ? file.text.trim() : file.type;
}

describe("an agent", () => {
  test("keeps settings while its server is unavailable or has no CRDs, and rolls back when it says that the Profile is gone", async () => {
    await want(10);
    await until(isApplied);
    const port = Number(new URL(server.url).port);
    await server.close();
    answers.length = 0;
    // The same address and CA, with an empty store: not even the CRD exists.
    server = await startServer({ dir, port, storage: "memory" });
    // After several refused watches the informer lists, and that is refused too.
    await until(() => answers.filter((answer) => answer === "GET 404").length >= 5);
    expect(await value()).toBe("10");
    await install();
    await until(async () => (await value()) === "60");
    await want(20);
    await until(isApplied);
    expect(await value()).toBe("20");
  });

  test("rolls back when its DaemonSet is deleted, and not when it is restarted", async () => {
    const options = { namespace, image: "attune:test", serviceAccount: "default", release: "" };
    const daemonSets = kinds.daemonSet as KindRef;
    await end();
    await admin.create<KubeObject>(daemonSets, agentDaemonSet(options, undefined), { namespace });
    await begin();
    await want(10);
    await until(async () => (await value()) === "10");
    await end();
    expect(await value()).toBe("10");
    answers.length = 0;
    await begin();
    await want(20);
    await until(async () => (await value()) === "20");
    // It watches its Profile, and has read its DaemonSet.
    await until(() => answers.filter((answer) => answer === "GET 200").length >= 2);
    await admin.delete(daemonSets, agentDaemonSetName, { namespace });
    await end();
    expect(await value()).toBe("60");
  });
});
