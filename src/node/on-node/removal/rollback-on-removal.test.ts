import { expect, test } from "vitest";
import { apiErrorFromStatus } from "../../../cluster/kube/api-error.ts";
import type { Informer } from "../../../cluster/kube/cache.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { type Clock, systemClock, whenAborted } from "../../../cluster/runtime/clock.ts";
import { type Profile, profileKind } from "../../../domain/node-tuning/api.ts";
import { RollbackOnRemoval } from "./rollback-on-removal.ts";

/** Waits a thousandth of the time. */
const impatient: Clock = { ...systemClock, after: (ms, callback) => systemClock.after(ms / 1000, callback) };

/** Whether it is there, or an error. */
type Reply = "found" | Error;

const refused = (code: number) => apiErrorFromStatus({ kind: "Status", code, details: { name: "n" } }, { code });
const ofProxy = (code: number): Error => apiErrorFromStatus(`${code} page not found\n`, { code });

/** An agent that ends after `atStart` was answered, in turn, to its first questions for its DaemonSet. */
async function decided(atStart: Reply[], atEnd: Record<string, Reply>): Promise<string> {
  const left = [...atStart];
  const started = new AbortController();
  const client = {
    async get({ kind }: { kind: string }, name: string) {
      const reply = left.shift() ?? atEnd[kind] ?? "found";
      if (left.length === 0) started.abort();
      if (reply !== "found") throw reply;
      return { metadata: { name } };
    },
    list: async () => ({ metadata: { resourceVersion: "1" }, items: [] }),
    async *watch(_: unknown, { signal }: { signal: AbortSignal }) {
      await whenAborted(signal);
      yield* [];
    },
  } as unknown as Client;
  const profiles = { synced: true, get: () => ({}) } as unknown as Informer<Profile>;
  const options = { client, namespace: "ns", node: "n", serviceAccount: "sa", profiles, clock: impatient };
  const removal = new RollbackOnRemoval(options);
  const over = new AbortController();
  const running = removal.run(over.signal);
  await whenAborted(started.signal);
  const { type } = await removal.decide();
  over.abort();
  await running;
  return type;
}

const all = (reply: Reply): Record<string, Reply> =>
  Object.fromEntries([profileKind, kinds.daemonSet, kinds.namespace].map(({ kind }) => [kind, reply]));

test.each<[string, Reply[], Record<string, Reply>, string]>([
  ["its DaemonSet was deleted", ["found"], { DaemonSet: refused(404) }, "removed"],
  [
    "its DaemonSet was deleted, and the API server was away when the agent started",
    [refused(503), refused(500), ofProxy(404), "found"],
    { DaemonSet: refused(404) },
    "removed",
  ],
  ["there was no DaemonSet", [refused(404)], { DaemonSet: refused(404) }, "restarted"],
  ["the CRD of Profiles is gone", ["found"], { Profile: ofProxy(404) }, "removed"],
  ["a proxy before the API server knows no path", ["found"], all(ofProxy(404)), "restarted"],
  ["a proxy before the API server refuses", ["found"], all(ofProxy(403)), "restarted"],
  ["its roles are gone", ["found"], all(refused(403)), "removed"],
])("an agent that ends: %s", async (_, atStart, atEnd, type) => {
  expect(await decided(atStart, atEnd)).toBe(type);
});
