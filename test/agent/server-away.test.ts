import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
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
import type { Log } from "../../src/cluster/runtime/log/log.ts";
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
/** Its log: message and, where it has one, address. */
let logged: string[];
let probeAddress: string | undefined;
let stop: AbortController;
let ended: Promise<void>;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "attune-agent-"));
  answers = [];
  logged = [];
  probeAddress = undefined;
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

const note: Log["info"] = ({ address }, message) =>
  void logged.push(`${message} ${typeof address === "string" ? address : ""}`.trim());
const log: Log = { debug: note, info: note, warn: note, error: note, child: () => log };

async function begin(): Promise<void> {
  stop = new AbortController();
  const connection = await loadConnection({ kubeconfig: server.kubeconfig });
  const client = new HttpClient(connection, {
    onRequest: ({ method, code }) => void answers.push(`${method} ${code}`),
  });
  const { signal } = stop;
  ended = runAgent({ client, node: "n", host, signal, clock: impatient, probeAddress, log }).finally(() =>
    client.close(),
  );
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

/** What a probe of the kubelet gets. */
async function probe(path: string): Promise<string> {
  const address = logged.findLast((line) => line.startsWith("serve probes "))?.split(" ")[2];
  const answer = await fetch(`http://${address}${path}`);
  return `${answer.status} ${await answer.text()}`;
}

describe("an agent", () => {
  test("is healthy at once, ready when its Profile was applied, and still ready while its server is unavailable", async () => {
    await end();
    const port = Number(new URL(server.url).port);
    await server.close();
    // Stored, so that the Profile is there when the agent first reaches the server: without one it has nothing to apply.
    server = await startServer({ dir, port });
    await install();
    await want(10);
    await server.close();
    probeAddress = "127.0.0.1:0";
    await begin();
    await until(() => logged.some((line) => line.startsWith("serve probes ")));
    expect(await probe("/healthz")).toBe("200 ok");
    expect(await probe("/readyz")).toMatch(/^500 .*the Profile of the node was not applied yet/s);
    server = await startServer({ dir, port });
    await until(async () => (await probe("/readyz")) === "200 ok");
    expect([await value(), await isApplied()]).toEqual(["10", true]);
    await server.close();
    expect([await probe("/healthz"), await probe("/readyz")]).toEqual(["200 ok", "200 ok"]);
  });

  test("tunes its node also where another process has the port of its probes", async () => {
    await end();
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    probeAddress = `127.0.0.1:${(other.address() as AddressInfo).port}`;
    await begin();
    await want(10);
    await until(isApplied);
    expect(await value()).toBe("10");
    expect(logged).toContain("run without probes");
    other.close();
  });

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
