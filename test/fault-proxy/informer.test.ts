import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Informer } from "../../src/cluster/kube/cache.ts";
import { bearer, staticCredentials } from "../../src/cluster/kube/connect/credentials.ts";
import { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { createInformer } from "../../src/cluster/kube/informer/informer.ts";
import { untyped } from "../../src/cluster/kube/kinds.ts";
import { EventFollower } from "../../src/cluster/kube/testing/event-follower.ts";
import { openAuthority } from "../../src/embedded/apiserver/auth/authority.ts";
import { type ApiServer, startServer } from "../../src/embedded/apiserver/server.ts";
import { keyOf } from "../../src/language/object/meta.ts";
import { FaultProxy } from "./fault-proxy.ts";

const configMaps = untyped("v1", "ConfigMap", "configmaps", true);
const status = (code: number, reason: string): unknown => ({
  kind: "Status",
  apiVersion: "v1",
  code,
  reason,
  message: reason,
});

let directory = "";
let server: ApiServer;
let proxy: FaultProxy;
let direct: HttpClient;
let writes = 0;

/** A client of the server, or of the proxy before it. */
function clientOf(url: string, ca: string): HttpClient {
  const credentials = staticCredentials(bearer(server.authority.adminToken));
  const cluster = { server: url, certificateAuthority: ca };
  // A list that the proxy stalls must time out for the test to continue.
  return new HttpClient({ cluster, credentials, namespace: "default", name: "test" }, { timeoutMs: 1000 });
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "faults-"));
  server = await startServer({ dir: join(directory, "server") });
  const { serverCertPem, serverKeyPem } = await openAuthority(join(directory, "proxy"));
  const upstream = { url: server.url, ca: server.authority.caPem };
  proxy = new FaultProxy({ cert: serverCertPem, key: serverKeyPem, upstream });
  await proxy.listen();
  direct = clientOf(server.url, server.authority.caPem);
});

afterAll(async () => {
  direct.close();
  await proxy.close();
  await server.close();
  await rm(directory, { recursive: true });
});

/** Creates, changes and deletes objects of a few names, so that each name is used several times. */
async function write(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const turn = writes++;
    const name = `object-${turn % 7}`;
    const object = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace: "default" },
      data: { turn: `${turn} ü€😀` },
    };
    const exists = (await state()).has(`default/${name}`);
    if (!exists) await direct.create(configMaps, object);
    else if (turn % 3 === 0) await direct.delete(configMaps, name, { namespace: "default" });
    else
      await direct.patch(configMaps, name, { type: "merge", patch: { data: object.data } }, { namespace: "default" });
  }
}

async function state(): Promise<Map<string, unknown>> {
  const { items } = await direct.list(configMaps, { namespace: "default" });
  return new Map(items.map((object) => [keyOf(object), object]));
}

describe.each([
  ["as a stream", true],
  ["as pages", false],
])("an informer that gets its first state %s", (_, streamList) => {
  let client: HttpClient;
  let informer: Informer;
  let follower: EventFollower;
  let abort: AbortController;
  let run: Promise<void>;
  let failures: string[];
  let lists: number;

  const failed = async (count = 1): Promise<void> => {
    await expect.poll(() => failures.length).toBeGreaterThanOrEqual(count);
  };
  const happened = async (): Promise<void> => {
    await expect.poll(() => proxy.pending).toBe(0);
  };
  const watching = async (): Promise<void> => {
    await expect.poll(() => proxy.watches).toBeGreaterThanOrEqual(1);
  };
  const caughtUp = async (): Promise<void> => {
    const expected = await state();
    const have = (): Map<string, unknown> => new Map(informer.list().map((object) => [keyOf(object), object]));
    await expect.poll(have).toEqual(expected);
    expect(follower.objects).toEqual(expected);
    expect(follower.complaints).toEqual([]);
  };

  beforeEach(async () => {
    await write(5);
    const { caPem } = await openAuthority(join(directory, "proxy"));
    client = clientOf(proxy.url, caPem);
    failures = [];
    lists = 0;
    informer = createInformer(client, configMaps, {
      namespace: "default",
      streamList,
      freeze: true,
      pageSize: 2,
      idleMs: 500,
      initialIdleMs: 500,
      backoff: { baseMs: 5, maxMs: 100 },
      hooks: { onError: (_, { failure }) => failures.push(failure), onList: () => lists++ },
    });
    follower = new EventFollower();
    informer.subscribe((event) => follower.follow(event));
    abort = new AbortController();
    run = informer.run(abort.signal);
    await informer.whenSynced();
    await watching();
  });

  afterEach(async () => {
    abort.abort();
    await run;
    client.close();
    await expect.poll(() => proxy.connections).toBe(0);
    expect(proxy.pending).toBe(0);
  });

  const faults: Record<string, () => Promise<void>> = {
    "a reset": async () => {
      proxy.reset();
      await failed();
    },
    "resets in a row": async () => {
      for (let i = 1; i <= 4; i++) {
        proxy.reset();
        await failed(i);
        await watching();
      }
    },
    "a stall that ends": async () => {
      proxy.stall();
      await write(2);
      proxy.goOn();
    },
    "a stall longer than the timeout": async () => {
      proxy.stall();
      await write(2);
      await failed(2);
      proxy.goOn();
    },
    "a connection that is dead and does not know": async () => {
      proxy.loseConnections();
      await write(2);
      await failed();
    },
    "a watch cut inside an event": async () => {
      proxy.plan("watch", { kind: "cut", afterBytes: 150, by: "reset" });
      proxy.reset();
      await write(4);
      await happened();
    },
    "a watch that ends inside an event": async () => {
      proxy.plan("watch", { kind: "cut", afterBytes: 150, by: "end" });
      proxy.reset();
      await write(4);
      await happened();
    },
    "410 as a status": async () => {
      const before = lists;
      proxy.plan("watch", { kind: "answer", status: 410, body: JSON.stringify(status(410, "Expired")) });
      proxy.reset();
      await expect.poll(() => lists).toBeGreaterThan(before);
    },
    "410 in the stream": async () => {
      const before = lists;
      proxy.say({ type: "ERROR", object: status(410, "Expired") });
      await expect.poll(() => lists).toBeGreaterThan(before);
    },
    "a list that dies in the middle": async () => {
      const cut = { kind: "cut", afterBytes: 300, by: "reset" } as const;
      proxy.plan(streamList ? "watch" : "other", cut, cut);
      proxy.say({ type: "ERROR", object: status(410, "Expired") });
      await happened();
    },
    "429 with a time to wait": async () => {
      const answer = {
        kind: "answer",
        status: 429,
        headers: { "retry-after": "1" },
        body: JSON.stringify(status(429, "")),
      } as const;
      proxy.plan("watch", answer);
      proxy.reset();
      await expect.poll(() => failures).toContain("throttled");
    },
    "500 again and again": async () => {
      const answer = { kind: "answer", status: 500, body: JSON.stringify(status(500, "InternalError")) } as const;
      proxy.plan("watch", answer, answer, answer);
      proxy.reset();
      await happened();
    },
    "a page of a load balancer": async () => {
      const headers = { "content-type": "text/html" };
      proxy.plan("watch", { kind: "answer", status: 503, headers, body: "<html>" });
      proxy.reset();
      await happened();
    },
    "an answer that is no stream of events": async () => {
      proxy.plan("watch", { kind: "answer", status: 200, headers: { "content-type": "text/html" }, body: "<html>\n" });
      proxy.reset();
      await happened();
    },
    "no server for a while": async () => {
      await proxy.refuse();
      await write(2);
      await failed(3);
      await proxy.listen();
    },
    "a restart of the server": async () => {
      await server.close();
      await failed();
      server = await startServer({ dir: join(directory, "server"), port: server.port });
    },
  };

  test.each(Object.entries(faults))("survives %s", async (_name, happen) => {
    await write(3);
    await happen();
    await write(5);
    await caughtUp();
  });

  test("survives all faults, one after the other, while objects keep changing", async () => {
    for (const [name, happen] of Object.entries(faults)) {
      failures.length = 0;
      // The writer uses the server without the proxy, and would fail with the server.
      if (name === "a restart of the server") await happen();
      else await Promise.all([happen(), write(30)]);
      await watching();
    }
    await caughtUp();
  });
});
