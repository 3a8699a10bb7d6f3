import { describe, expect, it } from "vitest";
import type { Client, KindRef } from "../../src/cluster/kube/client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { profileKind, tunedKind, tuningNamespace as namespace } from "../../src/domain/node-tuning/api.ts";
import { DirectClient } from "../workloads/direct-client.ts";
import { isTrue } from "../../src/language/object/condition.ts";
import { MemoryBase } from "../../src/node/host/memory-base.ts";
import { MemoryHost } from "../../src/node/host/memory-host.ts";
import { runAgent } from "../../src/program/agent/agent.ts";
import { clusterCaches } from "../../src/program/webhook/cluster-caches.ts";
import { nodes, type Running, Stage } from "./stage.ts";
import { story } from "./story.ts";

/** Frequent events that need no reaction. */
const trifles: readonly { readonly what: string; readonly happen: (stage: Stage) => Promise<unknown> }[] = [
  {
    what: "a label that no rule names is put on a node",
    happen: ({ client }) => client.patch(nodes, "one", merge({ metadata: { labels: { any: "thing" } } })),
  },
  {
    what: "a node's heartbeat",
    happen: ({ client }) => client.patch(nodes, "one", merge({ metadata: { annotations: { beat: "1" } } })),
  },
  {
    what: "an annotation on a Tuned",
    happen: ({ client }) =>
      client.patch(tunedKind, "web", merge({ metadata: { annotations: { any: "thing" } } }), { namespace }),
  },
  {
    what: "a ConfigMap of another client",
    happen: ({ client }) =>
      client.create(kinds.configMap, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "other", namespace } }),
  },
  { what: "an hour without anything", happen: ({ clock }) => clock.advance(3_600_000) },
];

describe("an operator with nothing to do", () => {
  it.each(trifles)("writes nothing: $what", async ({ happen }) => {
    const stage = await Stage.open();
    const writes: string[] = [];
    const operator = stage.startOperator(new DirectClient(stage.server, { onWrite: (write) => writes.push(write) }));
    for (const { happen: begin } of story.slice(0, 2)) {
      await begin(stage.client);
      await stage.settle();
    }
    expect(writes.splice(0).length).toBeGreaterThan(10);
    await happen(stage);
    await stage.settle();
    expect(writes).toEqual([]);
    await operator.stop();
    stage.close();
  });

  it("writes nothing after a restart", async () => {
    const stage = await Stage.open();
    const first = stage.startOperator(stage.client);
    for (const { happen } of story.slice(0, 2)) {
      await happen(stage.client);
      await stage.settle();
    }
    await first.stop();
    const writes: string[] = [];
    const second = stage.startOperator(new DirectClient(stage.server, { onWrite: (write) => writes.push(write) }));
    await stage.settle();
    expect(writes).toEqual([]);
    await second.stop();
    stage.close();
  });

  it("writes one status and no Profile for an edit that concerns no node", async () => {
    const stage = await Stage.open();
    const writes: string[] = [];
    const operator = stage.startOperator(new DirectClient(stage.server, { onWrite: (write) => writes.push(write) }));
    for (const { happen } of story.slice(0, 2)) {
      await happen(stage.client);
      await stage.settle();
    }
    writes.length = 0;
    const recommend = [{ profile: "web", priority: 20, match: [{ label: "tier", value: "web" }, { label: "nobody" }] }];
    await stage.client.patch(tunedKind, "web", merge({ spec: { recommend } }), { namespace });
    await stage.settle();
    expect(writes).toEqual(["patch tuneds/status"]);
    await operator.stop();
    stage.close();
  });
});

describe("requests in an hour without events, reopened watches included", () => {
  const minutes = 60;
  /** Sorted, with how often each was sent: `10 watch nodes`. */
  const tally = (sent: readonly string[]): string[] =>
    [...new Set(sent)].toSorted().map((what) => `${sent.filter((one) => one === what).length} ${what}`);

  it("are fewer than 12 a minute for a leading operator, and only watches for one that waits", async () => {
    const stage = await Stage.open();
    const start = (sent: string[]): Running =>
      stage.startOperator(counted(stage.client, sent), { leaderElection: true, features: undefined });
    const [leader, standby]: [string[], string[]] = [[], []];
    const first = start(leader);
    await stage.settle();
    const second = start(standby);
    for (const { happen } of story.slice(0, 2)) {
      await happen(stage.client);
      await stage.settle();
    }
    expect(leader.length).toBeGreaterThan(10);
    for (const sent of [leader, standby]) sent.length = 0;
    await stage.clock.advance(minutes * 60_000);
    expect(leader.length / minutes, tally(leader).join()).toBeLessThan(12);
    expect(leader.filter((what) => !what.startsWith("watch"))).toEqual(Array(450).fill("update leases"));
    expect(standby.filter((what) => !what.startsWith("watch"))).toEqual([]);
    expect(standby.length / minutes, tally(standby).join()).toBeLessThan(12);
    // A watch is reopened after five to ten minutes: they are counted.
    expect(tally(standby).join()).toMatch(/\d watch nodes/);
    await first.stop();
    await second.stop();
    stage.close();
  });

  it("are only watches for the caches of the webhook, although the cluster lacks some of its kinds", async () => {
    const stage = await Stage.open();
    const sent: string[] = [];
    const stop = new AbortController();
    const view = clusterCaches(counted(stage.client, sent), { clock: stage.clock });
    const running = view.run(stop.signal);
    await stage.clock.advance(0);
    view.check();
    expect(view.objects()).toHaveProperty("pools");
    expect(view.objects()).not.toHaveProperty("infrastructure");
    sent.length = 0;
    await stage.clock.advance(minutes * 60_000);
    expect(sent.filter((what) => !what.startsWith("watch"))).toEqual([]);
    expect(sent.length / minutes, tally(sent).join()).toBeLessThan(12);
    stop.abort();
    await running;
    stage.close();
  });
});

it("an agent in an hour without events only reopens the watches of its Profile and of its account", async () => {
  const stage = await Stage.open();
  const spec = { config: { tunedProfile: "p" }, profile: [{ name: "p", data: "[sysctl]\nvm.swappiness=10\n" }] };
  const { apiVersion, kind } = profileKind;
  await stage.client.create(profileKind, { apiVersion, kind, metadata: { name: "n", namespace }, spec });
  const base = new MemoryBase([
    ["/proc/sys/kernel/random/boot_id", "b\n"],
    ["/proc/sys/vm/swappiness", "60\n"],
  ]);
  const sent: string[] = [];
  const stop = new AbortController();
  const client = counted(stage.client, sent);
  const agent = runAgent({ client, node: "n", host: new MemoryHost(base), signal: stop.signal, clock: stage.clock });
  const isApplied = async (): Promise<boolean> => {
    const { status } = await stage.client.get(profileKind, "n", { namespace });
    return isTrue(status?.conditions, "Applied");
  };
  while (!(await isApplied())) await stage.clock.advance(1000);
  await stage.clock.advance(60_000);
  sent.length = 0;
  await stage.clock.advance(3_600_000);
  expect(new Set(sent)).toEqual(new Set(["watch profiles", "watch serviceaccounts"]));
  // Each watch lasts five minutes or more.
  expect(sent.length).toBeLessThanOrEqual(2 * 12);
  stop.abort();
  await stage.clock.advance(0);
  await agent;
  stage.close();
});

/** The client, with a list of the requests that it starts. */
function counted(client: Client, sent: string[]): Client {
  return new Proxy(client, {
    get: (target, verb: keyof Client) => {
      const send = target[verb] as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => {
        sent.push(`${verb} ${(args[0] as KindRef).plural}`);
        return send.apply(target, args);
      };
    },
  });
}

function merge(patch: object): { type: "merge"; patch: object } {
  return { type: "merge", patch };
}
