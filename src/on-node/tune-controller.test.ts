import { afterEach, describe, expect, test } from "vitest";
import type { ApplyReport, Engine } from "../engine/engine.ts";
import { MemoryBase } from "../host/memory-base.ts";
import { MemoryHost } from "../host/memory-host.ts";
import type { CacheEvent, Informer } from "../kube/cache.ts";
import type { Client, Patch } from "../kube/client.ts";
import { apiVersion, type Profile, type ProfileStatus } from "../node-tuning/api.ts";
import { VirtualClock } from "../runtime/virtual-clock.ts";
import { tuneController } from "./tune-controller.ts";

const namespace = "tuning";
let end = new AbortController();
afterEach(() => end.abort());

/** A server with at most one Profile, the informer on it, and an engine that notes what it is told to do. */
function world(start?: Profile): {
  clock: VirtualClock;
  done: string[];
  statuses: ProfileStatus[];
  change: (profile: Profile | undefined) => void;
  failing: { message?: string };
} {
  end = new AbortController();
  const clock = new VirtualClock();
  const done: string[] = [];
  const statuses: ProfileStatus[] = [];
  const failing: { message?: string } = {};
  let current = start;
  let tell: (event: CacheEvent<Profile>) => void = () => {};

  const change = (profile: Profile | undefined): void => {
    const before = current;
    current = profile;
    if (!profile) tell({ type: "deleted", object: before! });
    else tell(before ? { type: "updated", object: profile, before } : { type: "added", object: profile });
  };
  const profiles = {
    whenSynced: async () => {},
    get: (key: string) => (key === `${namespace}/n` ? current : undefined),
    subscribe(handler: typeof tell) {
      tell = handler;
      if (current) handler({ type: "added", object: current });
      return () => {};
    },
  } as unknown as Informer<Profile>;
  const client = {
    async patch(_of: unknown, _name: string, { patch }: Extract<Patch, { type: "merge" }>) {
      const { status } = patch as { status: ProfileStatus };
      statuses.push(status);
      change({ ...current!, status: { ...current!.status, ...status } });
      return current;
    },
  } as unknown as Client;
  const engine: Engine = {
    name: "native",
    async apply(profile): Promise<ApplyReport> {
      done.push(`apply ${profile.profile}`);
      if (failing.message) throw new Error(failing.message);
      return { settings: [], restored: [] };
    },
    verify: async () => ({ differences: [] }),
    async rollback() {
      done.push("rollback");
      return { restored: [] };
    },
  };
  const host = new MemoryHost(new MemoryBase([]));
  const controller = tuneController({ client, profiles, namespace, node: "n", host, engine, clock });
  controller.queue.add(`${namespace}/n`);
  void controller.run(end.signal);
  return { clock, done, statuses, change, failing };
}

function profile(name: string, generation = 1, more: Partial<Profile> = {}): Profile {
  return {
    apiVersion,
    kind: "Profile",
    metadata: { name: "n", namespace, generation, uid: "u" },
    spec: { config: { tunedProfile: name }, profile: [{ name, data: "" }] },
    ...more,
  };
}

describe("the agent of a node", () => {
  test("applies its Profile once and does not take its own status for news", async () => {
    const { clock, done, statuses } = world(profile("p"));
    await clock.advance(0);
    expect(done).toEqual(["apply p"]);
    expect(statuses).toMatchObject([{ tunedProfile: "p", observedGeneration: 1 }]);
  });

  test("follows changes of spec", async () => {
    const { clock, done, change, statuses } = world(profile("p"));
    await clock.advance(0);
    change(profile("q", 2));
    await clock.advance(0);
    expect(done).toEqual(["apply p", "apply q"]);
    expect(statuses.at(-1)).toMatchObject({ tunedProfile: "q", observedGeneration: 2 });
  });

  test("puts right a status that somebody else wrote", async () => {
    const { clock, change, statuses } = world(profile("p"));
    await clock.advance(0);
    change(profile("p", 1, { status: { tunedProfile: "lie" } }));
    await clock.advance(0);
    expect(statuses).toHaveLength(2);
    expect(statuses[1]).toMatchObject({ tunedProfile: "p" });
  });

  test("puts the originals back when its Profile goes, or is gone when it starts", async () => {
    const { clock, done, change } = world();
    await clock.advance(0);
    change(profile("p"));
    await clock.advance(0);
    change(undefined);
    await clock.advance(0);
    expect(done).toEqual(["rollback", "apply p", "rollback"]);
  });

  test("pays no attention to the Profiles of other nodes", async () => {
    const { clock, done, change } = world(profile("p"));
    await clock.advance(0);
    change({ ...profile("p"), metadata: { name: "other", namespace, generation: 9 } });
    await clock.advance(0);
    expect(done).toEqual(["apply p"]);
  });

  test("says in its status that the engine failed, and tries again until it does not", async () => {
    const w = world(profile("p"));
    w.failing.message = "read the journal of originals: broken";
    await w.clock.advance(0);
    expect(w.statuses[0]?.conditions).toMatchObject([
      { type: "Applied", status: "False", message: "read the journal of originals: broken" },
      { type: "Degraded", status: "True", reason: "TunedError" },
    ]);
    delete w.failing.message;
    await w.clock.advance(60_000);
    expect(w.statuses.at(-1)?.conditions).toMatchObject([{ status: "True" }, { status: "False" }]);
  });
});
