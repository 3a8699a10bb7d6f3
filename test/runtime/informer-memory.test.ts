import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { createInformer } from "../../src/cluster/kube/informer/informer.ts";
import { untyped } from "../../src/cluster/kube/kinds.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { clientFor } from "../servers/client-for.ts";
import { startEmbeddedServer } from "../servers/embedded-server.ts";
import type { ServerUnderTest } from "../servers/server-under-test.ts";
import { collectGarbage } from "../../src/cluster/runtime/testing/collect-garbage.ts";

const configMaps = untyped("v1", "ConfigMap", "configmaps", true);
const objects = 20;
const rounds = 12;

let server: ServerUnderTest;
let client: HttpClient;
beforeAll(async () => {
  server = await startEmbeddedServer();
  client = clientFor(server);
});
afterAll(async () => {
  client.close();
  await server.close();
});

const namespace = "default";
const nameOf = (i: number): string => `kept-${i}`;
const each = (act: (i: number) => Promise<unknown>): Promise<unknown> =>
  Promise.all(Array.from({ length: objects }, (_, i) => act(i)));
const make = (i: number): Promise<unknown> =>
  client.create<KubeObject>(
    configMaps,
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: nameOf(i) }, data: {} },
    { namespace },
  );

test("an informer keeps the newest version of each object, and no other", async () => {
  const informer = createInformer<KubeObject>(client, configMaps, {
    indexes: { version: (object) => [String((object.data as { round?: string } | undefined)?.round)] },
  });
  /** Every version that the informer has had, as far as anything still holds it. */
  const versions: WeakRef<KubeObject>[] = [];
  let events = 0;
  informer.subscribe((event) => {
    events++;
    if (event.type !== "deleted") versions.push(new WeakRef(event.object));
  });
  const stop = new AbortController();
  const running = informer.run(stop.signal);
  await informer.whenSynced();
  const others = informer.list().length;
  await each(make);
  for (let round = 0; round < rounds; round++) {
    await each((i) =>
      client.patch(configMaps, nameOf(i), { type: "merge", patch: { data: { round: String(round) } } }, { namespace }),
    );
    if (round % 5 === 0) await each((i) => client.delete(configMaps, nameOf(i), { namespace }).then(() => make(i)));
  }
  await expect.poll(() => events).toBeGreaterThanOrEqual(others + objects * rounds);
  const made = versions.length;
  expect(made).toBeGreaterThan(objects * rounds);

  await vi.waitFor(
    () => {
      collectGarbage();
      const alive = versions.filter((version) => version.deref() !== undefined).length;
      expect(informer.list()).toHaveLength(objects + others);
      // The watch, which waits, may still hold what its last event replaced.
      expect(alive).toBeLessThanOrEqual(objects + others + 1);
    },
    { timeout: 100_000 },
  );
  stop.abort();
  await running;
});
